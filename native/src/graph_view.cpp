#include "graphassay/graph_view.hpp"

#include <string>

#include "graphassay/errors.hpp"

namespace graphassay {
namespace {

void check_offsets(std::span<const std::int64_t> offsets, std::size_t n_items, const char* what) {
  if (offsets.empty() || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(n_items)) {
    throw InvalidInput(std::string(what) + ": expected offsets from 0 to the number of items");
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw InvalidInput(std::string(what) + ": expected ascending offsets");
    }
  }
}

void check_labels(std::span<const std::int32_t> labels, const char* what) {
  for (const std::int32_t label : labels) {
    if (label < 0) throw InvalidInput(std::string(what) + ": expected labels >= 0");
  }
}

}  // namespace

void validate(const GraphSetView& graphs) {
  check_offsets(graphs.vertex_offsets, graphs.vertex_labels.size(), "vertex_offsets");
  check_offsets(graphs.edge_offsets, graphs.edge_u.size(), "edge_offsets");
  if (graphs.vertex_offsets.size() != graphs.edge_offsets.size()) {
    throw InvalidInput("expected as many vertex offsets as edge offsets");
  }
  if (graphs.edge_u.size() != graphs.edge_v.size() ||
      graphs.edge_u.size() != graphs.edge_labels.size()) {
    throw InvalidInput("expected edge columns of one length");
  }
  check_labels(graphs.vertex_labels, "vertex_labels");
  check_labels(graphs.edge_labels, "edge_labels");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto n = static_cast<std::int32_t>(graphs.n_vertices(g));
    std::int64_t previous = -1;
    for (auto e = static_cast<std::size_t>(graphs.edge_offsets[g]);
         e < static_cast<std::size_t>(graphs.edge_offsets[g + 1]); ++e) {
      const std::int32_t u = graphs.edge_u[e];
      const std::int32_t v = graphs.edge_v[e];
      const std::int64_t key = (static_cast<std::int64_t>(u) << 32) | v;
      if (u < 0 || u >= v || v >= n || key <= previous) {
        throw InvalidInput("graph " + std::to_string(g) +
                           ": expected edges with u < v inside the graph, ascending, no repeats");
      }
      previous = key;
    }
  }
}

}  // namespace graphassay
