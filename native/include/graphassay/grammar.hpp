// Which tokens may follow a prefix of a linearization, and the graph that the prefix describes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graphassay/linearize.hpp"

namespace graphassay {

// Limits beyond what the vocabulary imposes. Empty vectors: no limit on valence.
struct GrammarLimits {
  std::int32_t max_vertices = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> valences;  // most that the edges of a vertex may add up to, per label
  std::vector<std::int32_t> orders;    // what an edge adds to both its ends, per label
};

// A prefix: the graph so far, and where in the sequence it stands.
struct GrammarState {
  struct Edge {
    std::int32_t u, v, label;
  };
  std::uint8_t phase = 0;
  std::int32_t previous = -1;     // SENT: the vertex just left
  std::int32_t last_target = -1;  // the latest earlier vertex that the current one was joined to
  std::int32_t pending = -1;      // edge label whose far end is still to come
  std::int32_t base = 0;          // DFS code: number of the component's first vertex
  std::int32_t i = -1, j = -1;    // DFS code: the tuple begun
  std::int32_t label_i = -1, label_j = -1;
  std::vector<std::int32_t> path;  // DFS code: rightmost path, numbers inside the component
  std::vector<std::int32_t> labels;
  std::vector<std::int32_t> remaining;  // valence left, per vertex
  std::vector<Edge> edges;

  [[nodiscard]] std::int32_t n() const { return static_cast<std::int32_t>(labels.size()); }
};

// One per family. Immutable, so that any number of states may use it from any thread.
class Grammar {
 public:
  // Throws InvalidInput on limits that do not fit the layout.
  static std::shared_ptr<const Grammar> make(const Layout& layout, GrammarLimits limits,
                                             std::vector<DfsTuple> tuples);
  virtual ~Grammar() = default;
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  // O(1), but O(vertices) where a valence limit makes it look for an earlier vertex with some left.
  [[nodiscard]] virtual bool accepts(const GrammarState& state, std::int32_t token) const = 0;
  // Takes an accepted token. O(1) amortized.
  virtual void apply(GrammarState& state, std::int32_t token) const = 0;
  // Writes one byte per token of the vocabulary. O(vocabulary); a tuple is looked at only when its
  // numbers fit.
  virtual void allowed(const GrammarState& state, std::span<std::uint8_t> mask) const;
  [[nodiscard]] static bool complete(const GrammarState& state) { return state.phase == kEnd; }

 protected:
  static constexpr std::uint8_t kStart = 0;  // before BOS
  static constexpr std::uint8_t kEnd = 255;  // after EOS
  Grammar(const Layout& layout, GrammarLimits limits);

  // Without limits on valence all of these are 0, and every comparison of theirs holds.
  [[nodiscard]] bool limits_valence() const { return !limits_.valences.empty(); }
  [[nodiscard]] std::int32_t order(std::int32_t edge_label) const {
    return limits_valence() ? limits_.orders[static_cast<std::size_t>(edge_label)] : 0;
  }
  [[nodiscard]] std::int32_t valence(std::int32_t vertex_label) const {
    return limits_valence() ? limits_.valences[static_cast<std::size_t>(vertex_label)] : 0;
  }
  [[nodiscard]] static std::int32_t left(const GrammarState& state, std::int32_t vertex) {
    return state.remaining[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] bool has_room(const GrammarState& state, std::int32_t n_more = 1) const {
    return state.n() <= limits_.max_vertices - n_more;
  }
  void add_vertex(GrammarState& state, std::int32_t label) const;
  void add_edge(GrammarState& state, std::int32_t u, std::int32_t v, std::int32_t label) const;

  Layout layout_;
  GrammarLimits limits_;
  std::int32_t greatest_valence_ = 0, least_order_ = 0;
};

// The graphs that complete sequences describe, as columns of a set.
struct DecodedGraphs {
  std::vector<std::int64_t> vertex_offsets, edge_offsets;
  std::vector<std::int32_t> vertex_labels, edge_u, edge_v, edge_labels;  // labels of the vocabulary
  // Per row -1, or the place of the first token that is not allowed (the row's length when it ends
  // before EOS). Such rows contribute a graph without vertices.
  std::vector<std::int64_t> failed_at;
};
DecodedGraphs decode(const Grammar& grammar, std::span<const std::int32_t> tokens,
                     std::span<const std::int64_t> offsets);

}  // namespace graphassay
