// Degree- and label-preserving randomization: the graph that knows only its degrees.
#pragma once

#include <cstdint>
#include <vector>

#include "graphassay/graph_view.hpp"

namespace graphassay {

// Edges of the rewired graphs, graph by graph in the order of the input and as many per graph as
// there; within a graph ascending by (u, v).
struct RewiredEdges {
  std::vector<std::int32_t> edge_u;
  std::vector<std::int32_t> edge_v;
  std::vector<std::int32_t> edge_labels;
};

// Tries swaps_per_edge * |E| double-edge swaps in every graph: two edges a-b and c-d of one label
// become a-d and c-b when that leaves the graph simple. Every vertex keeps its label and its number
// of edges of each label. Graph g depends on (seed, g) and itself alone, on every platform.
// Precondition: a validated view. O(swaps * smallest degree involved) time, O(E) memory.
RewiredEdges rewire(const GraphSetView& graphs, std::uint64_t seed, std::uint32_t swaps_per_edge);

}  // namespace graphassay
