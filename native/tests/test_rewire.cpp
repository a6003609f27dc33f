#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graphassay/rewire.hpp"

int main() {
  // A cycle of 12 with alternating labels, one edge alone, one vertex alone.
  std::vector<std::int64_t> vertex_offsets{0, 12, 14, 15}, edge_offsets{0, 12, 13, 13};
  std::vector<std::int32_t> labels(15, 0), u, v, edge_labels;
  std::vector<std::pair<std::pair<int, int>, int>> cycle;
  for (int i = 0; i < 12; ++i) cycle.push_back({std::minmax(i, (i + 1) % 12), i % 2});
  std::sort(cycle.begin(), cycle.end());
  for (const auto& [ends, label] : cycle) {
    u.push_back(ends.first);
    v.push_back(ends.second);
    edge_labels.push_back(label);
  }
  u.push_back(0);
  v.push_back(1);
  edge_labels.push_back(1);
  const graphassay::GraphSetView view{vertex_offsets, edge_offsets, labels, u, v, edge_labels};
  graphassay::validate(view);

  const auto rewired = graphassay::rewire(view, 7, 10);
  const graphassay::GraphSetView after{vertex_offsets, edge_offsets,   labels,
                                       rewired.edge_u, rewired.edge_v, rewired.edge_labels};
  graphassay::validate(after);                 // still simple, sorted
  std::map<std::pair<int, int>, int> degrees;  // (vertex, edge label) -> count
  for (int i = 0; i < 12; ++i) {
    ++degrees[{rewired.edge_u[i], rewired.edge_labels[i]}];
    ++degrees[{rewired.edge_v[i], rewired.edge_labels[i]}];
  }
  CHECK(degrees.size() == 24);
  for (const auto& [key, count] : degrees) CHECK(count == 1);
  CHECK(rewired.edge_u != u || rewired.edge_v != v);
  CHECK(rewired.edge_u[12] == 0 && rewired.edge_v[12] == 1 && rewired.edge_labels[12] == 1);

  const auto again = graphassay::rewire(view, 7, 10);
  CHECK(again.edge_u == rewired.edge_u && again.edge_v == rewired.edge_v);
  const auto none = graphassay::rewire(view, 7, 0);
  CHECK(none.edge_u == u && none.edge_v == v && none.edge_labels == edge_labels);
  return 0;
}
