#include <vector>

#include "check.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/graph_view.hpp"

using graphassay::GraphSetView;
using graphassay::InvalidInput;
using graphassay::validate;

int main() {
  const std::vector<std::int64_t> vertex_offsets{0, 3, 4};
  const std::vector<std::int64_t> edge_offsets{0, 2, 2};
  const std::vector<std::int32_t> labels{0, 1, 0, 2};
  const std::vector<std::int32_t> u{0, 1};
  const std::vector<std::int32_t> v{1, 2};
  const std::vector<std::int32_t> edge_labels{0, 0};
  GraphSetView graphs{vertex_offsets, edge_offsets, labels, u, v, edge_labels};
  validate(graphs);
  CHECK(graphs.size() == 2);
  CHECK(graphs.n_vertices(0) == 3 && graphs.n_edges(0) == 2);

  const std::vector<std::int32_t> loop{1, 2};
  GraphSetView broken = graphs;
  broken.edge_u = loop;
  CHECK_THROWS(validate(broken), InvalidInput);
  const std::vector<std::int32_t> outside{1, 3};
  broken = graphs;
  broken.edge_v = outside;
  CHECK_THROWS(validate(broken), InvalidInput);
  const std::vector<std::int64_t> short_offsets{0, 3};
  broken = graphs;
  broken.vertex_offsets = short_offsets;
  CHECK_THROWS(validate(broken), InvalidInput);
  return 0;
}
