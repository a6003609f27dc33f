#include "graphassay/miner.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "bindings.hpp"

namespace graphassay::bindings {
namespace {

using namespace nb::literals;

MinerResult mine_columns(const std::vector<const GraphSetView*>& views,
                         const std::vector<Column<std::int32_t>>& vertex_label_ids,
                         const std::vector<Column<std::int32_t>>& edge_label_ids,
                         const std::vector<std::size_t>& database_sources,
                         const std::vector<std::optional<Column<std::int64_t>>>& weights,
                         const std::vector<std::int64_t>& min_counts, const nb::object& progress,
                         MinerOptions options) {
  std::vector<MinerSource> sources;
  for (std::size_t i = 0; i < views.size(); ++i) {
    sources.push_back({*views[i], as_span(vertex_label_ids.at(i)), as_span(edge_label_ids.at(i))});
  }
  std::vector<MinerDatabase> databases;
  for (std::size_t i = 0; i < database_sources.size(); ++i) {
    MinerDatabase database{database_sources[i], {}, min_counts.at(i)};
    if (weights.at(i).has_value()) database.weights = as_span(*weights[i]);
    databases.push_back(database);
  }
  // Also without a callback: this is where Ctrl-C gets in.
  options.progress = [&progress](const MinerProgress& p) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return;
    progress(p.n_edges, p.n_done, p.n_level, p.n_patterns, p.n_bytes, p.elapsed_s);
  };
  const nb::gil_scoped_release release;
  return mine(sources, databases, options);
}

}  // namespace

void bind_miner(nb::module_& module) {
  module.attr("MAX_PATTERN_VERTICES") = MinerOptions::kMaxVertices;
  module.def(
      "mine",
      [](const std::vector<const GraphSetView*>& views,
         const std::vector<Column<std::int32_t>>& vertex_label_ids,
         const std::vector<Column<std::int32_t>>& edge_label_ids,
         const std::vector<std::size_t>& database_sources,
         const std::vector<std::optional<Column<std::int64_t>>>& weights,
         const std::vector<std::int64_t>& min_counts, std::size_t max_vertices,
         std::size_t min_edges, std::optional<std::size_t> max_edges, std::size_t threads,
         bool occurrences, bool embeddings, std::optional<double> time_limit_s,
         std::optional<std::size_t> memory_limit_bytes, std::optional<std::size_t> max_patterns,
         const nb::object& progress) {
        MinerOptions options;
        options.max_vertices = max_vertices;
        options.min_edges = min_edges;
        options.max_edges = max_edges.value_or(options.max_edges);
        options.n_threads = threads;
        options.occurrences = occurrences;
        options.embeddings = embeddings;
        options.time_limit_s = time_limit_s.value_or(options.time_limit_s);
        options.memory_limit_bytes = memory_limit_bytes.value_or(options.memory_limit_bytes);
        options.max_patterns = max_patterns.value_or(options.max_patterns);
        MinerResult result = mine_columns(views, vertex_label_ids, edge_label_ids, database_sources,
                                          weights, min_counts, progress, options);
        nb::dict columns;
        columns["vertex_offsets"] = to_numpy(std::move(result.vertex_offsets));
        columns["edge_offsets"] = to_numpy(std::move(result.edge_offsets));
        columns["vertex_labels"] = to_numpy(std::move(result.vertex_labels));
        columns["edge_u"] = to_numpy(std::move(result.edge_u));
        columns["edge_v"] = to_numpy(std::move(result.edge_v));
        columns["edge_labels"] = to_numpy(std::move(result.edge_labels));
        columns["counts"] = to_numpy(std::move(result.counts));
        columns["occurrence_offsets"] = to_numpy(std::move(result.occurrence_offsets));
        columns["occurrence_graphs"] = to_numpy(std::move(result.occurrence_graphs));
        columns["embeddings"] = to_numpy(std::move(result.embeddings));
        return nb::typed<nb::dict, nb::str, nb::any>(columns);
      },
      "views"_a, "vertex_label_ids"_a.noconvert(), "edge_label_ids"_a.noconvert(),
      "database_sources"_a, "weights"_a.noconvert(), "min_counts"_a, nb::kw_only(),
      "max_vertices"_a, "min_edges"_a, "max_edges"_a.none(), "threads"_a, "occurrences"_a,
      "embeddings"_a, "time_limit_s"_a.none(), "memory_limit_bytes"_a.none(),
      "max_patterns"_a.none(), "progress"_a.none(),
      "Frequent subgraphs of several weighted databases, as columns; see graphassay.mining.");
}

}  // namespace graphassay::bindings
