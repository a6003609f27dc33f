// From the caller's columns to a GraphStore and the frequent single edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphassay/miner.hpp"
#include "miner_count.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

struct Prepared {
  GraphStore store;
  std::vector<EdgePattern> edges;           // ascending by (label_u, label_v, edge_label)
  std::vector<std::int32_t> vertex_labels;  // store label -> shared id, ascending
  std::vector<std::int32_t> edge_labels;    // likewise
};

// Numbers of the graphs that weigh something in some database, through all sources, ascending.
struct ActiveGraph {
  std::uint32_t source;
  std::uint32_t graph;
  std::uint64_t id;
};
std::vector<ActiveGraph> active_graphs(std::span<const MinerSource> sources,
                                       std::span<const MinerDatabase> databases);

// O(vertices + edges) plus sorting each vertex's neighbours.
Prepared prepare(std::span<const MinerSource> sources, std::span<const ActiveGraph> active,
                 const Counter& counter);

}  // namespace graphassay::miner
