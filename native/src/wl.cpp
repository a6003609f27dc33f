#include "graphassay/wl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "canon_hash.hpp"
#include "canon_parallel.hpp"
#include "graphassay/errors.hpp"

namespace graphassay {

namespace {

using canon::mix64;

struct Workspace {
  std::vector<std::uint64_t> colours, gathered, all;
};

// Adds to each vertex's sum what it sees along the graph's edges.
void gather(const GraphSetView& graphs, std::size_t graph, std::span<const std::uint64_t> edge_keys,
            Workspace& w) {
  const auto first = static_cast<std::size_t>(graphs.edge_offsets[graph]);
  for (std::size_t e = first; e < first + graphs.n_edges(graph); ++e) {
    const auto u = static_cast<std::size_t>(graphs.edge_u[e]);
    const auto v = static_cast<std::size_t>(graphs.edge_v[e]);
    const std::uint64_t key =
        edge_keys.empty() ? 0 : edge_keys[static_cast<std::size_t>(graphs.edge_labels[e])];
    // A sum of mixed hashes is a hash of the multiset.
    w.gathered[u] += mix64(w.colours[v], key);
    w.gathered[v] += mix64(w.colours[u], key);
  }
}

// The colours of all rounds of one graph into w.all, sorted.
void refine(const GraphSetView& graphs, std::size_t graph,
            std::span<const std::uint64_t> vertex_keys, std::span<const std::uint64_t> edge_keys,
            std::size_t iterations, Workspace& w) {
  const std::size_t n = graphs.n_vertices(graph);
  const auto first = static_cast<std::size_t>(graphs.vertex_offsets[graph]);
  w.colours.resize(n);
  w.all.clear();
  for (std::size_t v = 0; v < n; ++v) {
    const auto label = static_cast<std::size_t>(graphs.vertex_labels[first + v]);
    w.colours[v] = mix64(vertex_keys[label], 0x5bf0'3635'9a3c'21e7u);
  }
  w.all.insert(w.all.end(), w.colours.begin(), w.colours.end());
  for (std::size_t round = 1; round <= iterations; ++round) {
    w.gathered.assign(n, 0);
    gather(graphs, graph, edge_keys, w);
    for (std::size_t v = 0; v < n; ++v) {
      w.colours[v] = mix64(mix64(w.colours[v], round), w.gathered[v]);
    }
    w.all.insert(w.all.end(), w.colours.begin(), w.colours.end());
  }
  std::sort(w.all.begin(), w.all.end());
}

void check(const SparseCounts& rows, std::size_t n_columns) {
  bool fine = !rows.offsets.empty() && rows.offsets.front() == 0 &&
              std::is_sorted(rows.offsets.begin(), rows.offsets.end()) &&
              rows.offsets.back() == static_cast<std::int64_t>(rows.columns.size()) &&
              rows.columns.size() == rows.counts.size();
  for (const std::int32_t column : rows.columns) {
    fine = fine && column >= 0 && static_cast<std::size_t>(column) < n_columns;
  }
  if (!fine) throw InvalidInput("expected sparse rows with ascending offsets and columns in range");
}

// The other way round: which rows hold a column, and how often.
struct Postings {
  std::vector<std::size_t> starts;
  std::vector<std::pair<std::uint32_t, double>> entries;

  Postings(const SparseCounts& rows, std::size_t n_columns)
      : starts(n_columns + 1, 0), entries(rows.columns.size()) {
    for (const std::int32_t column : rows.columns) ++starts[static_cast<std::size_t>(column) + 1];
    for (std::size_t c = 0; c < n_columns; ++c) starts[c + 1] += starts[c];
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t r = 0; r < rows.n_rows(); ++r) {
      for (auto i = rows.offsets[r]; i < rows.offsets[r + 1]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        entries[next[static_cast<std::size_t>(rows.columns[at])]++] = {
            static_cast<std::uint32_t>(r), static_cast<double>(rows.counts[at])};
      }
    }
  }
};

struct Nothing {};

}  // namespace

WlFeatures wl_features(const GraphSetView& graphs, std::span<const std::uint64_t> vertex_keys,
                       std::span<const std::uint64_t> edge_keys, std::size_t iterations,
                       const RunOptions& options) {
  const std::size_t n_rounds = iterations + 1;
  const std::size_t most = graphs.vertex_labels.size() * n_rounds;
  WlFeatures found;
  found.offsets.assign(graphs.size() + 1, 0);
  found.colours.resize(most);  // each graph writes where it would start if no colour repeated
  found.counts.resize(most);
  canon::for_each_graph<Workspace>(graphs.size(), options, [&](Workspace& w, std::size_t graph) {
    refine(graphs, graph, vertex_keys, edge_keys, iterations, w);
    const std::size_t begin = static_cast<std::size_t>(graphs.vertex_offsets[graph]) * n_rounds;
    std::size_t place = begin;
    for (std::size_t i = 0; i < w.all.size();) {
      std::size_t end = i + 1;
      while (end < w.all.size() && w.all[end] == w.all[i]) ++end;
      found.colours[place] = w.all[i];
      found.counts[place++] = static_cast<std::int32_t>(end - i);
      i = end;
    }
    found.offsets[graph + 1] = static_cast<std::int64_t>(place - begin);
  });
  std::size_t place = 0;
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
    const std::size_t begin = static_cast<std::size_t>(graphs.vertex_offsets[graph]) * n_rounds;
    const auto n = static_cast<std::size_t>(found.offsets[graph + 1]);
    std::copy_n(found.colours.data() + begin, n, found.colours.data() + place);
    std::copy_n(found.counts.data() + begin, n, found.counts.data() + place);
    place += n;
    found.offsets[graph + 1] = static_cast<std::int64_t>(place);
  }
  found.colours.resize(place);
  found.counts.resize(place);
  return found;
}

std::vector<double> sparse_products(const SparseCounts& a, const SparseCounts& b,
                                    std::size_t n_columns, const RunOptions& options) {
  check(a, n_columns);
  check(b, n_columns);
  const Postings postings(b, n_columns);
  const std::size_t width = b.n_rows();
  std::vector<double> products(a.n_rows() * width, 0.0);
  canon::for_each_graph<Nothing>(a.n_rows(), options, [&](Nothing&, std::size_t row) {
    double* out = products.data() + row * width;
    for (auto i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
      const auto column = static_cast<std::size_t>(a.columns[static_cast<std::size_t>(i)]);
      const auto count = static_cast<double>(a.counts[static_cast<std::size_t>(i)]);
      for (std::size_t p = postings.starts[column]; p < postings.starts[column + 1]; ++p) {
        out[postings.entries[p].first] += count * postings.entries[p].second;
      }
    }
  });
  return products;
}

}  // namespace graphassay
