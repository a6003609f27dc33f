// Exact frequent subgraph mining of several weighted databases in one traversal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "graphassay/graph_view.hpp"

namespace graphassay {

// One set of graphs. The label ids are shared by all sources: label l of the set is the shared
// label vertex_label_ids[l]; shared ids must ascend with the label's string, so that the order of
// codes does not depend on how a file happened to number its labels.
struct MinerSource {
  GraphSetView graphs;
  std::span<const std::int32_t> vertex_label_ids;
  std::span<const std::int32_t> edge_label_ids;
};

// A weighting of one source's graphs. A pattern is frequent when the weights of the graphs that
// contain it sum to at least min_count (>= 1). Empty weights mean 1 for every graph.
struct MinerDatabase {
  std::size_t source = 0;
  std::span<const std::int64_t> weights;  // >= 0; their sum must fit 32 bits
  std::int64_t min_count = 1;
};

struct MinerProgress {
  std::size_t n_edges = 0;     // patterns of this many edges are being extended
  std::size_t n_done = 0;      // of n_level, how many have been
  std::size_t n_level = 0;     // frequent patterns with n_edges edges
  std::size_t n_patterns = 0;  // frequent patterns found so far
  std::size_t n_bytes = 0;     // memory held by patterns and their witnesses
  double elapsed_s = 0;
};

struct MinerOptions {
  static constexpr std::size_t kMaxVertices = 16;

  std::size_t max_vertices = 8;  // 2..kMaxVertices
  std::size_t min_edges = 1;     // smaller patterns are traversed, not listed
  std::size_t max_edges = std::numeric_limits<std::size_t>::max();
  std::size_t n_threads = 0;  // 0: one per core
  bool occurrences = false;   // list the graphs that contain each pattern
  bool embeddings = false;    // count the distinct subgraphs that are images of each pattern
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::size_t memory_limit_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t max_patterns = std::numeric_limits<std::size_t>::max();
  // Called from the calling thread, at most every progress_interval_s. What it throws ends the
  // run and reaches the caller; Interrupted is meant for that.
  std::function<void(const MinerProgress&)> progress;
  double progress_interval_s = 0.05;
};

// Patterns ascend by number of edges, then by minimum DFS code; their vertices are numbered in
// the order of that code. Columns are those of GraphSetView, labels are shared ids.
struct MinerResult {
  std::vector<std::int64_t> vertex_offsets;
  std::vector<std::int64_t> edge_offsets;
  std::vector<std::int32_t> vertex_labels;
  std::vector<std::int32_t> edge_u;
  std::vector<std::int32_t> edge_v;
  std::vector<std::int32_t> edge_labels;
  std::vector<std::int64_t> counts;              // (n_patterns, n_databases), exact in all of them
  std::vector<std::int64_t> occurrence_offsets;  // n_patterns + 1, if asked for
  std::vector<std::int64_t> occurrence_graphs;   // graphs count through the sources in order
  std::vector<std::int64_t> embeddings;          // (n_patterns, n_databases), if asked for
};

// All connected patterns with at least one edge and at most max_vertices vertices that are
// frequent in at least one database, by non-induced label-preserving subgraph isomorphism.
// The result is the same for every number of threads and every numbering of the input.
// Throws InvalidInput (broken preconditions, a graph above 65,535 vertices), BudgetExceeded
// (naming the limit), and whatever `progress` throws. Precondition: the views are valid.
MinerResult mine(std::span<const MinerSource> sources, std::span<const MinerDatabase> databases,
                 const MinerOptions& options);

}  // namespace graphassay
