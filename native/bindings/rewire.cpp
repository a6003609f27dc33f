#include "graphassay/rewire.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

void bind_rewire(nb::module_& module) {
  module.def(
      "rewire",
      [](const GraphSetView& graphs, std::uint64_t seed, std::uint32_t swaps_per_edge) {
        RewiredEdges edges;
        {
          nb::gil_scoped_release release;
          edges = rewire(graphs, seed, swaps_per_edge);
        }
        return std::tuple(to_numpy(std::move(edges.edge_u)), to_numpy(std::move(edges.edge_v)),
                          to_numpy(std::move(edges.edge_labels)));
      },
      "graphs"_a, "seed"_a, "swaps_per_edge"_a,
      "Edge columns (u, v, label) after degree- and label-preserving double-edge swaps.");
}

}  // namespace graphassay::bindings
