#include "linearize_rows.hpp"

namespace graphassay {

Layout Layout::of(LinearKind kind, std::int32_t n_positions, std::int32_t n_vertex_labels,
                  std::int32_t n_edge_labels, std::int32_t n_tuples) {
  constexpr std::array<std::int32_t, 4> kStructural{3, 2, 1, 1};
  const bool tuples = kind == LinearKind::kDfs;
  Layout layout;
  layout.kind = kind;
  layout.n_positions = tuples ? 0 : n_positions;
  layout.n_vertex_labels = n_vertex_labels;
  layout.n_edge_labels = n_edge_labels;
  layout.n_tuples = tuples ? n_tuples : 0;
  layout.first_position = kUnknown + 1 + kStructural[static_cast<std::size_t>(kind)];
  layout.first_vertex_label = layout.first_position + layout.n_positions;
  layout.first_edge_label = layout.first_vertex_label + n_vertex_labels;
  layout.first_tuple = layout.first_edge_label + (tuples ? 0 : n_edge_labels);
  layout.size = layout.first_tuple + layout.n_tuples;
  return layout;
}

namespace linearize {

void Adjacency::load(const LinearizeInput& input, const GraphSlice& s) {
  const std::int32_t* u = input.graphs.edge_u.data() + s.first_edge;
  const std::int32_t* v = input.graphs.edge_v.data() + s.first_edge;
  // offsets_[x + 1] first counts the half-edges of x, then becomes where the next one of x goes,
  // and so ends as the end of x.
  offsets_.assign(s.n + 2, 0);
  half_edges_.resize(2 * s.m);
  std::int32_t* next = offsets_.data() + 1;
  for (std::size_t e = 0; e < s.m; ++e) {
    ++next[u[e] + 1];
    ++next[v[e] + 1];
  }
  for (std::size_t x = 1; x <= s.n; ++x) next[x] += next[x - 1];
  const std::int32_t first_label = input.layout.first_edge_label;
  for (std::size_t e = 0; e < s.m; ++e) {
    const std::int32_t token = first_label + edge_label(input, s, e);
    half_edges_[static_cast<std::size_t>(next[u[e]]++)] = {v[e], token};
    half_edges_[static_cast<std::size_t>(next[v[e]]++)] = {u[e], token};
  }
}

}  // namespace linearize
}  // namespace graphassay
