#include "graphassay/graph_view.hpp"

#include "bindings.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

void bind_graph_view(nb::module_& module) {
  nb::class_<GraphSetView>(
      module, "GraphSetView",
      "Borrowed, validated columns of a GraphSet; keeps the numpy arrays alive while it lives.")
      .def(
          "__init__",
          [](GraphSetView* self, const Column<std::int64_t>& vertex_offsets,
             const Column<std::int64_t>& edge_offsets, const Column<std::int32_t>& vertex_labels,
             const Column<std::int32_t>& edge_u, const Column<std::int32_t>& edge_v,
             const Column<std::int32_t>& edge_labels) {
            const GraphSetView view{as_span(vertex_offsets), as_span(edge_offsets),
                                    as_span(vertex_labels),  as_span(edge_u),
                                    as_span(edge_v),         as_span(edge_labels)};
            {
              nb::gil_scoped_release release;
              validate(view);
            }
            new (self) GraphSetView(view);
          },
          "vertex_offsets"_a.noconvert(), "edge_offsets"_a.noconvert(),
          "vertex_labels"_a.noconvert(), "edge_u"_a.noconvert(), "edge_v"_a.noconvert(),
          "edge_labels"_a.noconvert(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 7>())
      .def("__len__", &GraphSetView::size);
}

}  // namespace graphassay::bindings
