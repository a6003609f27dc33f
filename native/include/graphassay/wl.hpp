// Weisfeiler-Lehman subtree features of labelled graphs, and their dot products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphassay/canon.hpp"
#include "graphassay/graph_view.hpp"

namespace graphassay {

// How often each colour occurs in each graph: graph g owns
// [offsets[g], offsets[g + 1]), ascending by colour, each colour once.
struct WlFeatures {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> colours;
  std::vector<std::int32_t> counts;
};

// The colours of 0 .. iterations rounds of refinement (Shervashidze et al., JMLR 12 (2011) 2539).
// A colour is a 64-bit hash of the round, the vertex's colour before and the multiset of its
// neighbours' (with edge keys, of pairs of edge key and colour), so that colours compare across
// sets and need no dictionary; two colours of 10 million fall together with probability 3e-6.
// edge_keys may be empty: edge labels then play no part. Keys: one per label, equal exactly for
// equal labels. Precondition: a validated view. O(iterations * (vertices + edges)) and a sort.
// The same for every number of threads.
WlFeatures wl_features(const GraphSetView& graphs, std::span<const std::uint64_t> vertex_keys,
                       std::span<const std::uint64_t> edge_keys, std::size_t iterations,
                       const RunOptions& options);

// Sparse rows of non-negative counts: row r owns [offsets[r], offsets[r + 1]); columns are below
// n_columns and occur once in a row.
struct SparseCounts {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> columns;
  std::span<const std::int32_t> counts;

  [[nodiscard]] std::size_t n_rows() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

// All dot products, row-major a.n_rows() x b.n_rows(); exact below 2^53. Throws InvalidInput when
// the columns break a promise above. O(products that are not zero).
std::vector<double> sparse_products(const SparseCounts& a, const SparseCounts& b,
                                    std::size_t n_columns, const RunOptions& options);

}  // namespace graphassay
