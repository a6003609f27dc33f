// Graphlet orbits up to four vertices, for every vertex of every graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphassay/canon.hpp"
#include "graphassay/graph_view.hpp"

namespace graphassay {

inline constexpr std::size_t kOrbits = 15;

// How often each vertex lies at each orbit of the connected induced subgraphs on 2, 3 and 4
// vertices; orbits are numbered as in Przulj, Bioinformatics 23 (2007) e177 (0 is the degree, 3 the
// triangles, 14 the cliques of four). kOrbits numbers per vertex, graph by graph; labels play no
// part. Precondition: a validated view. O(sum of squared degrees + triangles * largest degree) time
// per graph: occurrences are counted in closed form where they can be, not listed.
// The same for every number of threads.
std::vector<std::int64_t> vertex_orbits(const GraphSetView& graphs, const RunOptions& options);

}  // namespace graphassay
