// Graphs as token sequences: the three families of linearization and what they share.
//
// A sequence is BOS body EOS. Token ids are laid out by `Layout`; labels reach the kernels through
// maps from the label table of the graph set to label numbers of the vocabulary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graphassay/graph_view.hpp"

namespace graphassay {

enum class LinearKind : std::uint8_t { kSent = 0, kDgmg = 1, kDfsFactored = 2, kDfs = 3 };

// The four tokens that every vocabulary starts with.
inline constexpr std::int32_t kPad = 0;
inline constexpr std::int32_t kBos = 1;
inline constexpr std::int32_t kEos = 2;
inline constexpr std::int32_t kUnknown = 3;
// The structural tokens that follow.
inline constexpr std::int32_t kReset = 4;  // SENT
inline constexpr std::int32_t kOpen = 5;
inline constexpr std::int32_t kClose = 6;
inline constexpr std::int32_t kEndEdge = 4;  // DGMG
inline constexpr std::int32_t kEndNode = 5;
inline constexpr std::int32_t kNext = 4;  // DFS code: the next component

// Where each kind of token lies in the vocabulary: special, structural, positions, vertex labels,
// edge labels, tuples. DFS tuples need neither positions nor edge labels of their own; there a
// vertex label token stands for a component of one vertex.
struct Layout {
  LinearKind kind = LinearKind::kSent;
  std::int32_t first_position = 0, n_positions = 0;
  std::int32_t first_vertex_label = 0, n_vertex_labels = 0;
  std::int32_t first_edge_label = 0, n_edge_labels = 0;
  std::int32_t first_tuple = 0, n_tuples = 0;
  std::int32_t size = 0;

  // n_edge_labels counts the labels of the data, also where they have no token of their own.
  static Layout of(LinearKind kind, std::int32_t n_positions, std::int32_t n_vertex_labels,
                   std::int32_t n_edge_labels, std::int32_t n_tuples);
};

// One edge of a DFS code, numbered from 0 inside its component; labels of the vocabulary.
using DfsTuple = std::array<std::int32_t, 5>;  // i, j, l_i, l_j, l_ij

// Sequences one after the other; row r owns tokens[offsets[r]] to tokens[offsets[r + 1]].
struct TokenRows {
  std::unique_ptr<std::int32_t[]> tokens;
  std::vector<std::int64_t> offsets;
  std::vector<double> log_q;  // SENT: log of the product of 1 / choices over all decisions
  // DFS tuples that the vocabulary lacks: (row, the tuple); such a row is left empty.
  std::vector<std::pair<std::int64_t, DfsTuple>> missing;
};

// Which graphs to linearize, and over which vocabulary.
struct LinearizeInput {
  const GraphSetView& graphs;
  std::span<const std::int64_t> rows;        // graph of each row, repeats allowed
  std::span<const std::int32_t> vertex_map;  // label of the set -> label of the vocabulary, or -1
  std::span<const std::int32_t> edge_map;
  Layout layout;
  std::size_t n_threads = 1;
};

// How SENT picks among candidates: uniformly among all, or among those of least or greatest degree.
enum class Pick : std::uint8_t { kAny = 0, kLeastDegree = 1, kGreatestDegree = 2 };

struct SentStrategy {
  Pick start = Pick::kAny;  // first vertex, and where to resume when stuck
  Pick next = Pick::kAny;   // which unvisited neighbour to step to
};

// Segmented trails. Row r draws from a stream that (seed, epoch, streams[r]) alone determine, so
// rows do not depend on each other nor on threads. O(vertices + edges) per row, brackets sorted.
// Throws InvalidInput on a label that is mapped to -1, a graph without vertices or with more
// vertices than positions (all kernels do).
TokenRows sent_tokens(const LinearizeInput& input, SentStrategy strategy,
                      std::span<const std::int64_t> streams, std::uint64_t seed,
                      std::uint64_t epoch);

// DGMG actions with vertices in the order of (label, number). `numbers` lies on the set's vertex
// column; empty means the order of input.
TokenRows dgmg_tokens(const LinearizeInput& input, std::span<const std::int32_t> numbers);

// DFS codes given as columns over the whole set (canon.hpp): five per edge, vertex numbers running
// on over components, labels of the set; `order` has the vertex of each number, those without edges
// included. `vocabulary` holds the tuples, ascending (empty for the factored kind).
TokenRows dfs_tokens(const LinearizeInput& input, std::span<const std::int32_t> code_columns,
                     std::span<const std::int32_t> order, std::span<const DfsTuple> vocabulary);

// The distinct tuples of such columns, ascending. O(edges).
std::vector<DfsTuple> distinct_dfs_tuples(const LinearizeInput& input,
                                          std::span<const std::int32_t> code_columns,
                                          std::span<const std::int32_t> order);

// Codes of random depth-first searches, as columns like those that dfs_tokens takes. A search
// starts at any vertex not visited yet, and goes on to any unvisited neighbour of the newest vertex
// that has one; the edges back from a new vertex are in the order of their ends.
struct RandomDfsCodes {
  std::vector<std::int32_t> tuples, order;
  std::vector<double> log_q;  // of each graph: log of the product of 1 / choices
};

// Graph g draws from a stream that (seed, epoch, streams[g]) alone determine. O(vertices + sum of
// squared degrees) per graph.
RandomDfsCodes random_dfs_codes(const GraphSetView& graphs, std::span<const std::int64_t> streams,
                                std::uint64_t seed, std::uint64_t epoch, std::size_t n_threads);

}  // namespace graphassay
