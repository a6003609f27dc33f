// A set of labelled graphs as borrowed columns: the one shape in which graphs reach the core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace graphassay {

// Graph g owns vertices [vertex_offsets[g], vertex_offsets[g + 1]) and edges
// [edge_offsets[g], edge_offsets[g + 1]). Edge endpoints count from 0 inside their graph,
// with edge_u < edge_v, and the edges of a graph ascend by (u, v) without repeats.
struct GraphSetView {
  std::span<const std::int64_t> vertex_offsets;  // n_graphs + 1
  std::span<const std::int64_t> edge_offsets;    // n_graphs + 1
  std::span<const std::int32_t> vertex_labels;   // n_vertices, >= 0
  std::span<const std::int32_t> edge_u;          // n_edges
  std::span<const std::int32_t> edge_v;          // n_edges
  std::span<const std::int32_t> edge_labels;     // n_edges, >= 0

  [[nodiscard]] std::size_t size() const {
    return vertex_offsets.empty() ? 0 : vertex_offsets.size() - 1;
  }
  [[nodiscard]] std::size_t n_vertices(std::size_t graph) const {
    return static_cast<std::size_t>(vertex_offsets[graph + 1] - vertex_offsets[graph]);
  }
  [[nodiscard]] std::size_t n_edges(std::size_t graph) const {
    return static_cast<std::size_t>(edge_offsets[graph + 1] - edge_offsets[graph]);
  }
};

// Throws InvalidInput when the columns break any promise above. O(vertices + edges).
void validate(const GraphSetView& graphs);

}  // namespace graphassay
