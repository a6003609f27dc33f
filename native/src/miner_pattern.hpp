// Patterns of at most 16 vertices: their working form, permutations, and minimum DFS codes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace graphassay::miner {

inline constexpr unsigned kMaxVertices = 16;

// A map of at most 16 vertices: the i-th group of 4 bits holds the image of i.
using Perm = std::uint64_t;

inline constexpr Perm kIdentity = 0xFEDCBA9876543210ULL;

inline unsigned at(Perm p, unsigned i) { return static_cast<unsigned>(p >> (4 * i)) & 15U; }
inline Perm with(Perm p, unsigned i, unsigned image) {
  return (p & ~(Perm{15} << (4 * i))) | (Perm{image} << (4 * i));
}
// i -> second(first(i)) for i < n.
inline Perm then(Perm first, Perm second, unsigned n) {
  Perm result = 0;
  for (unsigned i = 0; i < n; ++i) result |= Perm{at(second, at(first, i))} << (4 * i);
  return result;
}
inline Perm inverse(Perm p, unsigned n) {
  Perm result = 0;
  for (unsigned i = 0; i < n; ++i) result |= Perm{i} << (4 * at(p, i));
  return result;
}

struct PatternEdge {
  std::uint8_t u;
  std::uint8_t v;
  std::uint32_t label;
};

// A pattern in full, for the code that computes with it.
struct PatternGraph {
  unsigned n = 0;
  std::array<std::uint32_t, kMaxVertices> labels;
  std::array<std::uint16_t, kMaxVertices> adjacent;  // bit w of entry v: v and w are adjacent
  std::array<std::array<std::uint32_t, kMaxVertices>, kMaxVertices> edge_label;  // if adjacent

  void add_vertex(std::uint32_t label) {
    labels[n] = label;
    adjacent[n] = 0;
    ++n;
  }
  void add_edge(unsigned u, unsigned v, std::uint32_t label) {
    adjacent[u] = static_cast<std::uint16_t>(adjacent[u] | (1U << v));
    adjacent[v] = static_cast<std::uint16_t>(adjacent[v] | (1U << u));
    edge_label[u][v] = edge_label[v][u] = label;
  }
  void remove_edge(unsigned u, unsigned v) {
    adjacent[u] = static_cast<std::uint16_t>(adjacent[u] & ~(1U << v));
    adjacent[v] = static_cast<std::uint16_t>(adjacent[v] & ~(1U << u));
  }
};

// Calls visit(i) for every set bit i, ascending.
template <typename Word, typename Visit>
inline void for_each_bit(Word bits, Visit&& visit) {
  while (bits != 0) {
    visit(static_cast<unsigned>(std::countr_zero(bits)));
    bits = static_cast<Word>(bits & (bits - 1));
  }
}

// Two vertices are twins when exchanging them is an automorphism. For each vertex: the twins
// with a smaller number. O(n^2).
std::array<std::uint16_t, kMaxVertices> lower_twins(const PatternGraph& pattern);

// How many bytes a vertex / edge label takes in a code (1, 2 or 4).
struct CodeFormat {
  unsigned vertex_label_bytes = 1;
  unsigned edge_label_bytes = 1;
};

// The minimum DFS code in gSpan's order (backward before forward; backward to the earliest
// vertex; forward from the deepest; then edge label, then vertex label) as bytes, such that codes
// of patterns with equally many edges compare like their bytes. Tuple formats:
//   first edge        [label 0] [edge label] [label 1]
//   backward (r, j)   00 [j] [edge label]
//   forward  (i, r)   01 [255 - i] [edge label] [vertex label]
struct Canonical {
  std::vector<std::uint8_t> code;
  Perm order = 0;                   // DFS number -> vertex
  std::vector<Perm> automorphisms;  // with exchanges of twins they generate the whole group
  std::array<std::uint16_t, kMaxVertices> lower_twins{};
  std::uint64_t n_orders = 0;  // |Aut| = n_orders * (product of the twin classes' factorials)
};

// Computes minimum DFS codes; one per thread, reused to save allocations.
class Canonizer {
 public:
  explicit Canonizer(CodeFormat format) : format_(format) {}

  // Precondition: connected, at least one edge. Time grows with the number of ties between
  // partial codes, which exchanges of twins (stars, cliques, complete multipartite) never cause.
  void run(const PatternGraph& pattern, Canonical& result);

 private:
  struct Partial {
    Perm order;
    std::uint16_t visited;
  };
  struct Step {  // how one more vertex joins; the smallest wins
    std::uint64_t labels;
    std::uint64_t back_low, back_high;  // edge label rank per path vertex, FF where no edge
    auto operator<=>(const Step&) const = default;
  };

  void start(const PatternGraph& pattern, Canonical& result);
  void grow(const PatternGraph& pattern, unsigned r, Canonical& result);
  [[nodiscard]] Step step(const PatternGraph& pattern, const Partial& partial, unsigned from,
                          unsigned depth, unsigned vertex) const;
  void rank_edge_labels(const PatternGraph& pattern);
  void emit_labels(std::uint32_t label, unsigned n_bytes, std::vector<std::uint8_t>& code) const;

  CodeFormat format_;
  std::vector<Partial> partials_;
  std::vector<Partial> next_;
  std::array<std::uint8_t, kMaxVertices> path_{};  // DFS numbers on the rightmost path
  unsigned path_size_ = 0;
  bool ranked_ = false;               // edge labels do not fit a byte and go by rank
  std::vector<std::uint32_t> ranks_;  // the pattern's edge labels, ascending, when ranked
};

// Rebuilds the pattern of a code; vertices are numbered by it. Appends to the columns.
struct DecodedCode {
  std::vector<std::uint32_t> labels;
  std::vector<PatternEdge> edges;  // u < v, in code order
};
void decode(std::span<const std::uint8_t> code, CodeFormat format, DecodedCode& result);

std::uint64_t hash_code(std::span<const std::uint8_t> code);

}  // namespace graphassay::miner
