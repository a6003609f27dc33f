#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/orbits.hpp"
#include "graphassay/wl.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

RunOptions run_options(std::size_t threads) {
  return {0, threads, [] {
            const nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
          }};
}

std::size_t n_labels(std::span<const std::int32_t> labels) {
  std::int32_t most = -1;
  for (const std::int32_t label : labels) most = std::max(most, label);
  return static_cast<std::size_t>(most + 1);
}

}  // namespace

void bind_graph_metrics(nb::module_& module) {
  module.def(
      "vertex_orbits",
      [](const GraphSetView& graphs, std::size_t threads) {
        std::vector<std::int64_t> orbits;
        {
          nb::gil_scoped_release release;
          orbits = vertex_orbits(graphs, run_options(threads));
        }
        return to_numpy(std::move(orbits));
      },
      "graphs"_a, "threads"_a, "Orbit counts of graphlets up to 4 vertices, 15 per vertex, flat.");
  module.def(
      "wl_features",
      [](const GraphSetView& graphs, const Column<std::uint64_t>& vertex_keys,
         const Column<std::uint64_t>& edge_keys, std::size_t iterations, std::size_t threads) {
        WlFeatures found;
        {
          nb::gil_scoped_release release;
          if (vertex_keys.shape(0) < n_labels(graphs.vertex_labels) ||
              (edge_keys.shape(0) != 0 && edge_keys.shape(0) < n_labels(graphs.edge_labels))) {
            throw InvalidInput("expected a key for every label");
          }
          found = wl_features(graphs, as_span(vertex_keys), as_span(edge_keys), iterations,
                              run_options(threads));
        }
        return std::tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.colours)),
                          to_numpy(std::move(found.counts)));
      },
      "graphs"_a, "vertex_keys"_a.noconvert(), "edge_keys"_a.noconvert(), "iterations"_a,
      "threads"_a,
      "Weisfeiler-Lehman colours of each graph and how often each occurs (offsets, colours, "
      "counts); no edge keys: edge labels are ignored.");
  module.def(
      "sparse_products",
      [](const Column<std::int64_t>& a_offsets, const Column<std::int32_t>& a_columns,
         const Column<std::int32_t>& a_counts, const Column<std::int64_t>& b_offsets,
         const Column<std::int32_t>& b_columns, const Column<std::int32_t>& b_counts,
         std::size_t n_columns, std::size_t threads) {
        std::vector<double> products;
        {
          nb::gil_scoped_release release;
          products = sparse_products({as_span(a_offsets), as_span(a_columns), as_span(a_counts)},
                                     {as_span(b_offsets), as_span(b_columns), as_span(b_counts)},
                                     n_columns, run_options(threads));
        }
        return to_numpy(std::move(products));
      },
      "a_offsets"_a.noconvert(), "a_columns"_a.noconvert(), "a_counts"_a.noconvert(),
      "b_offsets"_a.noconvert(), "b_columns"_a.noconvert(), "b_counts"_a.noconvert(), "n_columns"_a,
      "threads"_a, "Dot products of all pairs of sparse rows, flat, row-major.");
}

}  // namespace graphassay::bindings
