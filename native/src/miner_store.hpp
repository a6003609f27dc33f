// The graphs to search, reduced to what frequent patterns can use, and indexed for matching.
//
// Only edges whose (label, label, label) triple is frequent stay, only vertices with such an edge,
// only graphs with such a vertex. A vertex's neighbours are grouped by type = (edge label, vertex
// label); graphs of at most kMaxBitsetVertices vertices hold each group as a bitset row, larger
// ones as a sorted list.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "graphassay/miner.hpp"
#include "miner_pattern.hpp"

namespace graphassay::miner {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;
inline constexpr unsigned kMaxBitsetVertices = 1024;

// Dense numbers for the (edge label, vertex label) pairs that occur at frequent edges.
class TypeTable {
 public:
  void reset(std::size_t n_vertex_labels, std::size_t n_edge_labels);
  void add(std::uint32_t edge_label, std::uint32_t vertex_label);
  [[nodiscard]] std::uint32_t find(std::uint32_t edge_label, std::uint32_t vertex_label) const {
    const std::uint64_t key = edge_label * n_vertex_labels_ + vertex_label;
    if (!dense_.empty()) return dense_[key];
    const auto found = sparse_.find(key);
    return found == sparse_.end() ? kNone : found->second;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pairs_.size()); }
  [[nodiscard]] std::uint32_t edge_label(std::uint32_t type) const { return pairs_[type].first; }
  [[nodiscard]] std::uint32_t vertex_label(std::uint32_t type) const { return pairs_[type].second; }

 private:
  std::uint64_t n_vertex_labels_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

// A frequent single edge with one occurrence in each graph that has it.
struct EdgePattern {
  std::uint32_t label_u;  // <= label_v
  std::uint32_t label_v;
  std::uint32_t edge_label;
  std::vector<std::uint32_t> graphs;  // ascending store numbers
  std::vector<std::pair<std::uint16_t, std::uint16_t>> places;
};

struct StoredGraph {
  std::uint32_t n = 0;
  std::uint32_t words = 0;  // per row: 1, 2, 4, 8 or 16; 0: neighbours as lists
  std::uint64_t first_vertex = 0;
  std::uint64_t first_row = 0;      // index into rows (bitset graphs)
  std::uint64_t first_feature = 0;  // index into features (bitset graphs)
  std::uint64_t id = 0;             // number of the graph in the input, through all sources
};

class GraphStore {
 public:
  std::vector<StoredGraph> graphs;
  TypeTable types;
  std::uint32_t max_vertices = 0;  // of any stored graph

  [[nodiscard]] std::size_t size() const { return graphs.size(); }
  [[nodiscard]] std::uint32_t label(const StoredGraph& g, unsigned v) const {
    return labels_[g.first_vertex + v];
  }

  // The neighbours of v over edges of a type: a bitset row of g.words words, or nullptr if none (or
  // an empty row).
  [[nodiscard]] const std::uint64_t* row(const StoredGraph& g, unsigned v,
                                         std::uint32_t type) const {
    if (n_dense_types_ != 0) {
      return rows_.data() + g.first_row + std::size_t{v * n_dense_types_ + type} * g.words;
    }
    if (few_types_) {
      const VertexRows& vertex = vertex_rows_[g.first_vertex + v];
      const std::uint64_t bit = std::uint64_t{1} << type;
      if ((vertex.types & bit) == 0) return nullptr;
      return rows_.data() + vertex.first_row +
             static_cast<unsigned>(std::popcount(vertex.types & (bit - 1))) * g.words;
    }
    const std::uint64_t group = find_group(g.first_vertex + v, type);
    if (group == kNoGroup) return nullptr;
    const std::uint64_t in_graph = group - first_group_[g.first_vertex];
    return rows_.data() + g.first_row + in_graph * g.words;
  }
  // The same in a graph with g.words == 1; 0 if none.
  [[nodiscard]] std::uint64_t word(const StoredGraph& g, unsigned v, std::uint32_t type) const {
    if (n_dense_types_ != 0) return rows_[g.first_row + v * n_dense_types_ + type];
    const std::uint64_t* bits = row(g, v, type);
    return bits == nullptr ? 0 : *bits;
  }
  // All rows around one vertex: row(type) of what this returns is row(g, v, type).
  class Rows {
   public:
    [[nodiscard]] const std::uint64_t* row(std::uint32_t type) const {
      if (n_dense_types_ != 0) return first_ + std::size_t{type} * g_.words;
      if (first_ == nullptr) return store_.row(g_, v_, type);
      const std::uint64_t bit = std::uint64_t{1} << type;
      if ((types_ & bit) == 0) return nullptr;
      return first_ + static_cast<unsigned>(std::popcount(types_ & (bit - 1))) * g_.words;
    }

   private:
    friend class GraphStore;
    Rows(const GraphStore& store, const StoredGraph& g, unsigned v)
        : store_(store), g_(g), v_(v), n_dense_types_(store.n_dense_types_) {
      if (n_dense_types_ != 0) first_ = store.row(g, v, 0);
      if (n_dense_types_ != 0 || !store.few_types_) return;
      const VertexRows& vertex = store.vertex_rows_[g.first_vertex + v];
      types_ = vertex.types;
      first_ = store.rows_.data() + vertex.first_row;
    }

    const GraphStore& store_;
    const StoredGraph& g_;
    unsigned v_;
    std::uint32_t n_dense_types_;
    std::uint64_t types_ = 0;
    const std::uint64_t* first_ = nullptr;
  };
  [[nodiscard]] Rows rows(const StoredGraph& g, unsigned v) const { return {*this, g, v}; }
  // The same for list graphs.
  [[nodiscard]] std::span<const std::uint16_t> list(const StoredGraph& g, unsigned v,
                                                    std::uint32_t type) const {
    const std::uint64_t group = find_group(g.first_vertex + v, type);
    if (group == kNoGroup) return {};
    return {neighbours_.data() + group_lists_[group], neighbours_.data() + group_lists_[group + 1]};
  }
  // Number of neighbours of v over edges of a type.
  [[nodiscard]] unsigned count(const StoredGraph& g, unsigned v, std::uint32_t type) const;

  // Vertices that could play a part: those with a label, or with at least `least` neighbours of a
  // type. A row of g.words words, or nullptr if there is none. Bitset graphs only.
  [[nodiscard]] const std::uint64_t* feature(const StoredGraph& g, std::uint32_t feature) const {
    if (feature_places_.empty()) return find_feature(g, feature);
    const auto index = static_cast<std::size_t>(&g - graphs.data());
    const std::uint16_t place = feature_places_[index * n_features_ + feature];
    if (place == kNoFeature) return nullptr;
    return feature_rows_.data() + g.first_feature + std::size_t{place} * g.words;
  }
  [[nodiscard]] std::uint32_t label_feature(std::uint32_t label) const { return label; }
  [[nodiscard]] std::uint32_t count_feature(std::uint32_t type, unsigned least) const {
    return first_count_feature_ + type * kMaxVertices + least - 1;
  }

  [[nodiscard]] std::size_t n_bytes() const;

 private:
  friend class StoreBuilder;
  static constexpr std::uint64_t kNoGroup = ~std::uint64_t{0};
  static constexpr std::uint16_t kNoFeature = 0xFFFF;
  static constexpr std::size_t kMaxFeaturePlaces = std::size_t{1} << 22;

  struct VertexRows {
    std::uint64_t types;      // mask of the types around a vertex
    std::uint64_t first_row;  // of its groups, in rows (bitset graphs)
  };

  [[nodiscard]] const std::uint64_t* find_feature(const StoredGraph& g,
                                                  std::uint32_t feature) const;

  [[nodiscard]] std::uint64_t find_group(std::uint64_t vertex, std::uint32_t type) const {
    if (n_dense_types_ != 0) return vertex * n_dense_types_ + type;
    const std::uint64_t first = first_group_[vertex];
    if (few_types_) {
      const std::uint64_t mask = vertex_rows_[vertex].types;
      const std::uint64_t bit = std::uint64_t{1} << type;
      if ((mask & bit) == 0) return kNoGroup;
      return first + static_cast<unsigned>(std::popcount(mask & (bit - 1)));
    }
    const std::uint64_t last = first_group_[vertex + 1];
    for (std::uint64_t group = first; group < last; ++group) {
      if (group_types_[group] == type) return group;
    }
    return kNoGroup;
  }

  // At most that many: every vertex has a group for every type, empty or not. That takes about as
  // much memory as saying which ones it has, and finding one is no look-up.
  static constexpr std::uint32_t kMaxDenseTypes = 4;

  std::uint32_t n_dense_types_ = 0;  // all of them, or 0
  bool few_types_ = true;            // at most 64: a vertex's types are a mask
  std::uint32_t first_count_feature_ = 0;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint64_t> first_group_;   // not dense: per vertex, and one past the end
  std::vector<VertexRows> vertex_rows_;      // few types, not dense: per vertex
  std::vector<std::uint32_t> group_types_;   // many types: per group, ascending in a vertex
  std::vector<std::uint64_t> rows_;          // bitset graphs
  std::vector<std::uint64_t> group_lists_;   // list graphs exist: per group
  std::vector<std::uint16_t> neighbours_;    // list graphs
  std::vector<std::uint32_t> feature_keys_;  // per graph ascending, as many as feature rows
  std::vector<std::uint64_t> first_feature_key_;
  std::vector<std::uint64_t> feature_rows_;
  // Small databases: [graph][feature] -> place of the row among the graph's, to save a search.
  std::uint32_t n_features_ = 0;
  std::vector<std::uint16_t> feature_places_;
};

}  // namespace graphassay::miner
