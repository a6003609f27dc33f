#include "graphassay/text.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>

#include "bindings.hpp"
#include "graphassay/gspan.hpp"
#include "graphassay/rdkit_binary.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

std::string_view as_view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

// Names may hold any bytes; what is not UTF-8 keeps its place as U+FFFD.
nb::list to_strings(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) {
    list.append(nb::steal(
        PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace")));
  }
  return list;
}

}  // namespace

void bind_text(nb::module_& module) {
  module.def(
      "parse_integer_rows",
      [](const nb::bytes& text, std::size_t n_columns) {
        std::vector<std::int64_t> values;
        {
          nb::gil_scoped_release release;
          values = parse_integer_rows(as_view(text), n_columns);
        }
        return to_numpy(std::move(values));
      },
      "text"_a, "n_columns"_a,
      "Rows of integers, flat. Raises InvalidInput with the line that is not such a row.");
  module.def(
      "parse_label_lines",
      [](const nb::bytes& text) -> nb::typed<nb::tuple, nb::any, nb::typed<nb::list, nb::str>> {
        LabelColumn column;
        {
          nb::gil_scoped_release release;
          column = parse_label_lines(as_view(text));
        }
        return nb::make_tuple(to_numpy(std::move(column.labels)), to_strings(column.names));
      },
      "text"_a, "One label per line: (indices, names by first appearance).");
  module.def(
      "parse_gspan",
      [](const nb::bytes& text) -> nb::typed<nb::dict, nb::str, nb::any> {
        ParsedGspan parsed;
        {
          nb::gil_scoped_release release;
          parsed = parse_gspan(as_view(text));
        }
        nb::dict out;
        out["vertex_offsets"] = to_numpy(std::move(parsed.vertex_offsets));
        out["edge_offsets"] = to_numpy(std::move(parsed.edge_offsets));
        out["vertex_labels"] = to_numpy(std::move(parsed.vertex_labels));
        out["edge_u"] = to_numpy(std::move(parsed.edge_u));
        out["edge_v"] = to_numpy(std::move(parsed.edge_v));
        out["edge_labels"] = to_numpy(std::move(parsed.edge_labels));
        out["vertex_names"] = to_strings(parsed.vertex_names);
        out["edge_names"] = to_strings(parsed.edge_names);
        out["ids"] = to_strings(parsed.ids);
        out["lines"] = to_numpy(std::move(parsed.lines));
        nb::list refused;
        for (const RefusedGspan& record : parsed.refused) {
          refused.append(nb::make_tuple(static_cast<int>(record.reason), record.line,
                                        to_strings({record.text})[0]));
        }
        out["refused"] = refused;
        out["n_ignored_lines"] = parsed.n_ignored_lines;
        return out;
      },
      "text"_a, "gSpan text as columns; see graphassay.io.gspan.");
  module.def(
      "read_rdkit_binary",
      [](const nb::bytes& blob,
         const Column<std::int64_t>& ends) -> std::optional<nb::typed<nb::dict, nb::str, nb::any>> {
        MoleculeColumns columns;
        bool understood = false;
        {
          nb::gil_scoped_release release;
          understood = read_rdkit_binary(as_view(blob), as_span(ends), columns);
        }
        if (!understood) return std::nullopt;
        nb::dict out;
        out["vertex_counts"] = to_numpy(std::move(columns.vertex_counts));
        out["edge_counts"] = to_numpy(std::move(columns.edge_counts));
        out["atoms"] = to_numpy(std::move(columns.atoms));
        out["edge_u"] = to_numpy(std::move(columns.edge_u));
        out["edge_v"] = to_numpy(std::move(columns.edge_v));
        out["bonds"] = to_numpy(std::move(columns.bonds));
        return nb::typed<nb::dict, nb::str, nb::any>(out);
      },
      "blob"_a, "ends"_a.noconvert(),
      "RDKit's binary molecules, one behind the other, as columns; None if not understood.");
}

}  // namespace graphassay::bindings
