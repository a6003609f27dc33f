#include "graphassay/linearize.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/grammar.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

using Ints = Column<std::int32_t>;
using Longs = Column<std::int64_t>;
using Mask = nb::ndarray<bool, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<DfsTuple> to_tuples(const Ints& flat) {
  if (flat.shape(0) % 5 != 0) throw InvalidInput("tuples: expected five numbers each");
  std::vector<DfsTuple> tuples(flat.shape(0) / 5);
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    for (std::size_t k = 0; k < 5; ++k) tuples[i][k] = flat.data()[5 * i + k];
  }
  return tuples;
}

std::vector<std::int32_t> flatten(const std::vector<DfsTuple>& tuples) {
  std::vector<std::int32_t> flat;
  flat.reserve(5 * tuples.size());
  for (const DfsTuple& tuple : tuples) flat.insert(flat.end(), tuple.begin(), tuple.end());
  return flat;
}

template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using RowArrays = std::tuple<Array<std::int32_t>, Array<std::int64_t>, Array<double>,
                             Array<std::int64_t>, Array<std::int32_t>>;
using GraphArrays =
    std::tuple<Array<std::int64_t>, Array<std::int64_t>, Array<std::int32_t>, Array<std::int32_t>,
               Array<std::int32_t>, Array<std::int32_t>, Array<std::int64_t>>;

// Tokens, offsets, log q, and the rows that lack a tuple with the tuples they lack.
RowArrays to_python(TokenRows&& rows) {
  const auto n = static_cast<std::size_t>(rows.offsets.back());
  auto* data = rows.tokens.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
  std::vector<std::int64_t> missing_rows;
  std::vector<DfsTuple> missing;
  for (const auto& [row, tuple] : rows.missing) {
    missing_rows.push_back(row);
    missing.push_back(tuple);
  }
  return {Array<std::int32_t>(data, {n}, owner), to_numpy(std::move(rows.offsets)),
          to_numpy(std::move(rows.log_q)), to_numpy(std::move(missing_rows)),
          to_numpy(flatten(missing))};
}

// The states of a batch of prefixes.
class GrammarBatch {
 public:
  GrammarBatch(std::shared_ptr<const Grammar> grammar, std::size_t n)
      : grammar_(std::move(grammar)), states_(n) {}

  [[nodiscard]] std::size_t size() const { return states_.size(); }

  void allowed(const std::optional<Longs>& rows, const Mask& out) const {
    const std::size_t n = n_chosen(rows);
    const auto width = static_cast<std::size_t>(grammar_->layout().size);
    if (out.shape(0) != n || out.shape(1) != width) {
      throw InvalidInput("out: expected shape (" + std::to_string(n) + ", " +
                         std::to_string(width) + ")");
    }
    auto* mask = reinterpret_cast<std::uint8_t*>(out.data());
    nb::gil_scoped_release release;
    for (std::size_t k = 0; k < n; ++k) {
      grammar_->allowed(states_[row_at(rows, k)], {mask + k * width, width});
    }
  }

  // Takes one token per row, all or none. Returns the place of the first one refused, or -1.
  std::int64_t advance(const Ints& tokens, const std::optional<Longs>& rows) {
    const std::size_t n = n_chosen(rows);
    if (tokens.shape(0) != n) {
      throw InvalidInput("expected one token for each of " + std::to_string(n) + " rows, got " +
                         std::to_string(tokens.shape(0)));
    }
    nb::gil_scoped_release release;
    for (std::size_t k = 0; k < n; ++k) {
      if (!grammar_->accepts(states_[row_at(rows, k)], tokens.data()[k])) {
        return static_cast<std::int64_t>(k);
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      grammar_->apply(states_[row_at(rows, k)], tokens.data()[k]);
    }
    return -1;
  }

  std::size_t feed(std::size_t row, const Ints& tokens) {
    if (row >= states_.size()) throw InvalidInput("expected a row of the batch");
    std::size_t k = 0;
    for (; k < tokens.shape(0); ++k) {
      if (!grammar_->accepts(states_[row], tokens.data()[k])) break;
      grammar_->apply(states_[row], tokens.data()[k]);
    }
    return k;
  }

  [[nodiscard]] std::vector<std::uint8_t> complete() const {
    std::vector<std::uint8_t> flags;
    for (const GrammarState& state : states_) flags.push_back(Grammar::complete(state) ? 1 : 0);
    return flags;
  }
  [[nodiscard]] std::vector<std::int32_t> n_vertices() const {
    std::vector<std::int32_t> counts;
    for (const GrammarState& state : states_) counts.push_back(state.n());
    return counts;
  }
  void reset(const std::optional<Longs>& rows) {
    for (std::size_t k = 0; k < n_chosen(rows); ++k) states_[row_at(rows, k)] = GrammarState{};
  }
  [[nodiscard]] GrammarBatch select(const std::optional<Longs>& rows) const {
    GrammarBatch chosen(grammar_, n_chosen(rows));
    for (std::size_t k = 0; k < chosen.size(); ++k) chosen.states_[k] = states_[row_at(rows, k)];
    return chosen;
  }

 private:
  [[nodiscard]] std::size_t n_chosen(const std::optional<Longs>& rows) const {
    if (!rows) return states_.size();
    for (std::size_t k = 0; k < rows->shape(0); ++k) {
      const std::int64_t row = rows->data()[k];
      if (row < 0 || static_cast<std::size_t>(row) >= states_.size()) {
        throw InvalidInput("rows: expected numbers in 0.." + std::to_string(states_.size()) +
                           " (exclusive), got " + std::to_string(row));
      }
    }
    return rows->shape(0);
  }
  [[nodiscard]] static std::size_t row_at(const std::optional<Longs>& rows, std::size_t k) {
    return rows ? static_cast<std::size_t>(rows->data()[k]) : k;
  }

  std::shared_ptr<const Grammar> grammar_;
  std::vector<GrammarState> states_;
};

std::vector<std::int32_t> to_vector(const Ints& column) {
  return {column.data(), column.data() + column.shape(0)};
}

void bind_kernels(nb::module_& module) {
  module.def(
      "sent_tokens",
      [](const GraphSetView& graphs, const Longs& rows, const Ints& vertex_map,
         const Ints& edge_map, const Layout& layout, std::size_t threads, std::uint8_t start,
         std::uint8_t next, const Longs& streams, std::uint64_t seed, std::uint64_t epoch) {
        if (start > 2 || next > 2) throw InvalidInput("strategy: expected 0, 1 or 2");
        TokenRows result;
        {
          nb::gil_scoped_release release;
          result = sent_tokens(
              {graphs, as_span(rows), as_span(vertex_map), as_span(edge_map), layout, threads},
              {static_cast<Pick>(start), static_cast<Pick>(next)}, as_span(streams), seed, epoch);
        }
        return to_python(std::move(result));
      },
      "graphs"_a, "rows"_a.noconvert(), "vertex_map"_a.noconvert(), "edge_map"_a.noconvert(),
      "layout"_a, "threads"_a, "start"_a, "next"_a, "streams"_a.noconvert(), "seed"_a, "epoch"_a,
      "SENT sequences: tokens, offsets, log q, missing rows, missing tuples (both empty).");
  module.def(
      "dgmg_tokens",
      [](const GraphSetView& graphs, const Longs& rows, const Ints& vertex_map,
         const Ints& edge_map, const Layout& layout, std::size_t threads, const Ints& numbers) {
        TokenRows result;
        {
          nb::gil_scoped_release release;
          result = dgmg_tokens(
              {graphs, as_span(rows), as_span(vertex_map), as_span(edge_map), layout, threads},
              as_span(numbers));
        }
        return to_python(std::move(result));
      },
      "graphs"_a, "rows"_a.noconvert(), "vertex_map"_a.noconvert(), "edge_map"_a.noconvert(),
      "layout"_a, "threads"_a, "numbers"_a.noconvert(),
      "DGMG sequences, vertices by (label, number); no numbers: order of input.");
  module.def(
      "dfs_tokens",
      [](const GraphSetView& graphs, const Longs& rows, const Ints& vertex_map,
         const Ints& edge_map, const Layout& layout, std::size_t threads, const Ints& codes,
         const Ints& order, const Ints& vocabulary) {
        const std::vector<DfsTuple> tuples = to_tuples(vocabulary);
        TokenRows result;
        {
          nb::gil_scoped_release release;
          result = dfs_tokens(
              {graphs, as_span(rows), as_span(vertex_map), as_span(edge_map), layout, threads},
              as_span(codes), as_span(order), tuples);
        }
        return to_python(std::move(result));
      },
      "graphs"_a, "rows"_a.noconvert(), "vertex_map"_a.noconvert(), "edge_map"_a.noconvert(),
      "layout"_a, "threads"_a, "codes"_a.noconvert(), "order"_a.noconvert(),
      "vocabulary"_a.noconvert(), "DFS codes (columns over the whole set) as tokens.");
  module.def(
      "random_dfs_codes",
      [](const GraphSetView& graphs, const Longs& streams, std::uint64_t seed, std::uint64_t epoch,
         std::size_t threads) {
        RandomDfsCodes codes;
        {
          nb::gil_scoped_release release;
          codes = random_dfs_codes(graphs, as_span(streams), seed, epoch, threads);
        }
        return std::tuple{to_numpy(std::move(codes.tuples)), to_numpy(std::move(codes.order)),
                          to_numpy(std::move(codes.log_q))};
      },
      "graphs"_a, "streams"_a.noconvert(), "seed"_a, "epoch"_a, "threads"_a,
      "Random DFS codes: columns as of min_dfs_codes, and log q of each graph.");
  module.def(
      "distinct_dfs_tuples",
      [](const GraphSetView& graphs, const Longs& rows, const Ints& vertex_map,
         const Ints& edge_map, const Ints& codes, const Ints& order) {
        std::vector<DfsTuple> tuples;
        {
          nb::gil_scoped_release release;
          tuples = distinct_dfs_tuples(
              {graphs, as_span(rows), as_span(vertex_map), as_span(edge_map), {}, 1},
              as_span(codes), as_span(order));
        }
        return to_numpy(flatten(tuples));
      },
      "graphs"_a, "rows"_a.noconvert(), "vertex_map"_a.noconvert(), "edge_map"_a.noconvert(),
      "codes"_a.noconvert(), "order"_a.noconvert(), "The distinct tuples, ascending, flat.");
}

void bind_grammar(nb::module_& module) {
  nb::class_<GrammarBatch>(module, "GrammarBatch", "States of a batch of prefixes.")
      .def("__len__", &GrammarBatch::size)
      .def("allowed", &GrammarBatch::allowed, "rows"_a.noconvert().none(), "out"_a.noconvert())
      .def("advance", &GrammarBatch::advance, "tokens"_a.noconvert(), "rows"_a.noconvert().none(),
           "One token per row, all or none; the place of the first one refused, or -1.")
      .def("feed", &GrammarBatch::feed, "row"_a, "tokens"_a.noconvert(),
           "Tokens to one row, up to the first one refused; how many were taken.")
      .def("complete", [](const GrammarBatch& self) { return to_numpy(self.complete()); })
      .def("n_vertices", [](const GrammarBatch& self) { return to_numpy(self.n_vertices()); })
      .def("reset", &GrammarBatch::reset, "rows"_a.noconvert().none())
      .def("select", &GrammarBatch::select, "rows"_a.noconvert().none());
  nb::class_<Grammar>(module, "Grammar", "The tokens that may follow a prefix; immutable.")
      .def_static(
          "make",
          [](const Layout& layout, std::int32_t max_vertices, const Ints& valences,
             const Ints& orders, const Ints& tuples) {
            // States are handed the grammar itself, which never changes.
            return std::const_pointer_cast<Grammar>(Grammar::make(
                layout, {max_vertices, to_vector(valences), to_vector(orders)}, to_tuples(tuples)));
          },
          "layout"_a, "max_vertices"_a, "valences"_a.noconvert(), "orders"_a.noconvert(),
          "tuples"_a.noconvert())
      .def(
          "start",
          [](const std::shared_ptr<Grammar>& self, std::size_t n) { return GrammarBatch(self, n); },
          "n"_a)
      .def(
          "decode",
          [](const Grammar& self, const Ints& tokens, const Longs& offsets) {
            DecodedGraphs d;
            {
              nb::gil_scoped_release release;
              d = decode(self, as_span(tokens), as_span(offsets));
            }
            return GraphArrays(to_numpy(std::move(d.vertex_offsets)),
                               to_numpy(std::move(d.edge_offsets)),
                               to_numpy(std::move(d.vertex_labels)), to_numpy(std::move(d.edge_u)),
                               to_numpy(std::move(d.edge_v)), to_numpy(std::move(d.edge_labels)),
                               to_numpy(std::move(d.failed_at)));
          },
          "tokens"_a.noconvert(), "offsets"_a.noconvert(),
          "Columns of the graphs in the order of GraphSet, and where each row failed or -1.");
}

}  // namespace

void bind_linearize(nb::module_& module) {
  nb::class_<Layout>(module, "TokenLayout", "Where each kind of token lies in a vocabulary.")
      .def(
          "__init__",
          [](Layout* self, std::uint8_t kind, std::int32_t n_positions,
             std::int32_t n_vertex_labels, std::int32_t n_edge_labels, std::int32_t n_tuples) {
            if (kind > 3 || n_positions < 0 || n_vertex_labels < 0 || n_edge_labels < 0 ||
                n_tuples < 0) {
              throw InvalidInput("expected a kind in 0..3 and counts >= 0");
            }
            new (self) Layout(Layout::of(static_cast<LinearKind>(kind), n_positions,
                                         n_vertex_labels, n_edge_labels, n_tuples));
          },
          "kind"_a, "n_positions"_a, "n_vertex_labels"_a, "n_edge_labels"_a, "n_tuples"_a)
      .def_ro("first_position", &Layout::first_position)
      .def_ro("n_positions", &Layout::n_positions)
      .def_ro("first_vertex_label", &Layout::first_vertex_label)
      .def_ro("first_edge_label", &Layout::first_edge_label)
      .def_ro("first_tuple", &Layout::first_tuple)
      .def_ro("size", &Layout::size);
  bind_kernels(module);
  bind_grammar(module);
}

}  // namespace graphassay::bindings
