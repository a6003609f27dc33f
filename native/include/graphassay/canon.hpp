// Isomorphism classes and canonical codes of labelled graphs.
//
// Two answers to "which graph is this?", at two prices:
//   class_ids      a 128-bit number per graph, equal exactly for isomorphic graphs (up to hash
//                  collision). Colour refinement, and a search where refinement does not settle it.
//   min_dfs_codes  the minimum DFS code of Yan and Han (gSpan, ICDM 2002): readable, ordered,
//                  decodable, and dearer on symmetric graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "graphassay/graph_view.hpp"

namespace graphassay {

struct RunOptions {
  std::uint64_t max_work = 0;  // per graph, in elementary steps (edges scanned); 0: no limit
  std::size_t n_threads = 1;
  std::function<void()> poll;  // called now and then on the calling thread; may throw to stop
};

// How the id of a graph was settled: the dearest step that any of its components needed.
enum class ClassPath : std::uint8_t {
  kTree = 0,       // every component is a tree
  kDiscrete = 1,   // refinement told all vertices outside the pendant trees apart
  kSymmetric = 2,  // what refinement left together is provably interchangeable
  kSearched = 3,   // individualization-refinement search
};

struct ClassIds {
  std::vector<std::uint64_t> ids;   // 2 per graph
  std::vector<std::uint8_t> paths;  // ClassPath, 1 per graph
};

// 128-bit ids of the isomorphism classes. The keys (one per label, equal exactly for equal labels)
// are all that is known of a label, so ids compare across graph sets whose keys do.
// Near O(edges log vertices) for graphs that refinement settles. Throws BudgetExceeded naming the
// first graph that needs more than max_work steps. The same for every number of threads.
ClassIds class_ids(const GraphSetView& graphs, std::span<const std::uint64_t> vertex_keys,
                   std::span<const std::uint64_t> edge_keys, const RunOptions& options);

// One edge of a DFS code: i < j forward, i > j backward.
struct DfsEdge {
  std::int32_t i, j, label_i, label_j, label_ij;
  friend auto operator<=>(const DfsEdge&, const DfsEdge&) = default;
};

// The minimum DFS codes of the components of a graph, one after the other. Components come in the
// order of (label of the first vertex, edge tuples); vertex numbers run on from one to the next.
struct DfsCode {
  std::vector<DfsEdge> edges;
  std::vector<std::int32_t> order;             // order[k]: the vertex that has number k
  std::vector<std::int32_t> component_starts;  // the first number of each component
};

// Labels are compared through their ranks, one per label of the set's tables. Exact; the number
// of tied traversals kept is cut by the automorphisms of the graph. Throws BudgetExceeded.
DfsCode min_dfs_code(const GraphSetView& graphs, std::size_t graph,
                     std::span<const std::int32_t> vertex_ranks,
                     std::span<const std::int32_t> edge_ranks, std::uint64_t max_work);

// The codes of all graphs, on the columns of the set itself: edge tuples (i, j, l_i, l_j, l_ij)
// with label indices of the set's tables lie where the graph's edges lie, the order where its
// vertices lie.
struct DfsCodeColumns {
  std::vector<std::int32_t> tuples;  // 5 per edge
  std::vector<std::int32_t> order;   // 1 per vertex
};
DfsCodeColumns min_dfs_codes(const GraphSetView& graphs, std::span<const std::int32_t> vertex_ranks,
                             std::span<const std::int32_t> edge_ranks, const RunOptions& options);

// The codes as text (grammar: graphassay.canonical); names are already escaped, one per label.
std::vector<std::string> dfs_code_texts(const GraphSetView& graphs,
                                        std::span<const std::int32_t> vertex_ranks,
                                        std::span<const std::int32_t> edge_ranks,
                                        std::span<const std::string> vertex_names,
                                        std::span<const std::string> edge_names,
                                        const RunOptions& options);

}  // namespace graphassay
