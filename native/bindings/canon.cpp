#include "graphassay/canon.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

RunOptions run_options(std::uint64_t max_work, std::size_t threads) {
  return {max_work, threads, [] {
            const nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
          }};
}

}  // namespace

void bind_canon(nb::module_& module) {
  module.def(
      "class_ids",
      [](const GraphSetView& graphs, const Column<std::uint64_t>& vertex_keys,
         const Column<std::uint64_t>& edge_keys, std::uint64_t max_work, std::size_t threads) {
        ClassIds result;
        {
          nb::gil_scoped_release release;
          result = class_ids(graphs, as_span(vertex_keys), as_span(edge_keys),
                             run_options(max_work, threads));
        }
        return std::pair(to_numpy(std::move(result.ids)), to_numpy(std::move(result.paths)));
      },
      "graphs"_a, "vertex_keys"_a.noconvert(), "edge_keys"_a.noconvert(), "max_work"_a, "threads"_a,
      "128-bit class ids, two words per graph, and how each was settled (0 tree, 1 discrete, "
      "2 symmetric, 3 searched).");
  module.def(
      "min_dfs_codes",
      [](const GraphSetView& graphs, const Column<std::int32_t>& vertex_ranks,
         const Column<std::int32_t>& edge_ranks, std::uint64_t max_work, std::size_t threads) {
        DfsCodeColumns result;
        {
          nb::gil_scoped_release release;
          result = min_dfs_codes(graphs, as_span(vertex_ranks), as_span(edge_ranks),
                                 run_options(max_work, threads));
        }
        return std::pair(to_numpy(std::move(result.tuples)), to_numpy(std::move(result.order)));
      },
      "graphs"_a, "vertex_ranks"_a.noconvert(), "edge_ranks"_a.noconvert(), "max_work"_a,
      "threads"_a,
      "Minimum DFS codes: (i, j, l_i, l_j, l_ij) per edge, flat, and the vertex of each number.");
  module.def(
      "dfs_code_texts",
      [](const GraphSetView& graphs, const Column<std::int32_t>& vertex_ranks,
         const Column<std::int32_t>& edge_ranks, const std::vector<std::string>& vertex_names,
         const std::vector<std::string>& edge_names, std::uint64_t max_work, std::size_t threads) {
        nb::gil_scoped_release release;
        return dfs_code_texts(graphs, as_span(vertex_ranks), as_span(edge_ranks), vertex_names,
                              edge_names, run_options(max_work, threads));
      },
      "graphs"_a, "vertex_ranks"_a.noconvert(), "edge_ranks"_a.noconvert(), "vertex_names"_a,
      "edge_names"_a, "max_work"_a, "threads"_a, "Minimum DFS codes as text.");
}

}  // namespace graphassay::bindings
