#include <cstdint>
#include <vector>

#include "check.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/orbits.hpp"
#include "graphassay/wl.hpp"

namespace {

using graphassay::SparseCounts;

void test_orbits() {
  // A clique of four, a paw (tail 0 - 1, triangle 1 2 3), and a vertex alone.
  const std::vector<std::int64_t> vertex_offsets{0, 4, 8, 9}, edge_offsets{0, 6, 10, 10};
  const std::vector<std::int32_t> labels(9, 0), edge_labels(10, 0);
  const std::vector<std::int32_t> u{0, 0, 0, 1, 1, 2, 0, 1, 1, 2}, v{1, 2, 3, 2, 3, 3, 1, 2, 3, 3};
  const graphassay::GraphSetView view{vertex_offsets, edge_offsets, labels, u, v, edge_labels};
  graphassay::validate(view);
  const auto orbits = graphassay::vertex_orbits(view, {});
  CHECK(orbits.size() == 9 * graphassay::kOrbits);
  const auto at = [&](std::size_t vertex, std::size_t orbit) {
    return orbits[vertex * graphassay::kOrbits + orbit];
  };
  CHECK(at(0, 0) == 3 && at(0, 3) == 3 && at(0, 14) == 1);
  for (const std::size_t orbit : {1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}) CHECK(at(0, orbit) == 0);
  CHECK(at(4, 9) == 1 && at(5, 11) == 1 && at(6, 10) == 1 && at(7, 10) == 1);
  CHECK(at(5, 0) == 3 && at(5, 2) == 2 && at(5, 3) == 1 && at(4, 1) == 2);
  for (std::size_t orbit = 0; orbit < graphassay::kOrbits; ++orbit) CHECK(at(8, orbit) == 0);
  CHECK(graphassay::vertex_orbits(view, {0, 4, {}}) == orbits);
}

void test_wl() {
  // Paths A-B-A and A-A-B, and no vertex at all.
  const std::vector<std::int64_t> vertex_offsets{0, 3, 6, 6}, edge_offsets{0, 2, 4, 4};
  const std::vector<std::int32_t> labels{0, 1, 0, 0, 0, 1}, u{0, 1, 0, 1}, v{1, 2, 1, 2};
  const std::vector<std::int32_t> edge_labels{0, 0, 0, 0};
  const graphassay::GraphSetView view{vertex_offsets, edge_offsets, labels, u, v, edge_labels};
  graphassay::validate(view);
  const std::vector<std::uint64_t> keys{11, 22};
  const auto found = graphassay::wl_features(view, keys, {}, 1, {});
  CHECK((found.offsets == std::vector<std::int64_t>{0, 4, 9, 9}));
  CHECK(found.colours.size() == 9 && found.counts.size() == 9);
  std::int64_t total = 0;
  for (const auto count : found.counts) total += count;
  CHECK(total == 2 * 6);
  const auto again = graphassay::wl_features(view, keys, {}, 1, {0, 4, {}});
  CHECK(again.colours == found.colours && again.counts == found.counts);
}

void test_products() {
  const std::vector<std::int64_t> offsets{0, 2, 2, 3};
  const std::vector<std::int32_t> columns{0, 2, 2}, counts{3, 1, 5};
  const SparseCounts rows{offsets, columns, counts};
  const auto products = graphassay::sparse_products(rows, rows, 3, {});
  CHECK((products == std::vector<double>{10, 0, 5, 0, 0, 0, 5, 0, 25}));
  CHECK_THROWS(graphassay::sparse_products(rows, rows, 2, {}), graphassay::InvalidInput);
}

}  // namespace

int main() {
  test_orbits();
  test_wl();
  test_products();
  return 0;
}
