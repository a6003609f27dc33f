// Random graphs through every kernel and back, random walks through every grammar.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graphassay/canon.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/grammar.hpp"
#include "graphassay/linearize.hpp"

namespace {

using graphassay::DecodedGraphs;
using graphassay::DfsTuple;
using graphassay::Grammar;
using graphassay::GrammarState;
using graphassay::GraphSetView;
using graphassay::InvalidInput;
using graphassay::Layout;
using graphassay::LinearizeInput;
using graphassay::LinearKind;
using graphassay::Pick;
using graphassay::TokenRows;

constexpr std::int32_t kMost = 12;  // vertices
constexpr std::int32_t kVertexLabels = 3;
constexpr std::int32_t kEdgeLabels = 2;

struct Columns {
  std::vector<std::int64_t> vertex_offsets{0}, edge_offsets{0};
  std::vector<std::int32_t> vertex_labels, u, v, edge_labels;
  [[nodiscard]] GraphSetView view() const {
    return {vertex_offsets, edge_offsets, vertex_labels, u, v, edge_labels};
  }
};

Columns random_graphs(std::size_t n_graphs, std::mt19937& random) {
  Columns columns;
  for (std::size_t g = 0; g < n_graphs; ++g) {
    const auto n = static_cast<std::int32_t>(1 + random() % kMost);
    const auto percent = random() % 60;
    for (std::int32_t v = 0; v < n; ++v) {
      columns.vertex_labels.push_back(static_cast<std::int32_t>(random() % kVertexLabels));
    }
    for (std::int32_t u = 0; u < n; ++u) {
      for (std::int32_t v = u + 1; v < n; ++v) {
        if (random() % 100 >= percent) continue;
        columns.u.push_back(u);
        columns.v.push_back(v);
        columns.edge_labels.push_back(static_cast<std::int32_t>(random() % kEdgeLabels));
      }
    }
    columns.vertex_offsets.push_back(static_cast<std::int64_t>(columns.vertex_labels.size()));
    columns.edge_offsets.push_back(static_cast<std::int64_t>(columns.u.size()));
  }
  return columns;
}

const std::vector<std::int32_t> kVertexMap{0, 1, 2};
const std::vector<std::int32_t> kEdgeMap{0, 1};

std::vector<std::uint64_t> classes(const GraphSetView& view) {
  const std::vector<std::uint64_t> vertex_keys{11, 22, 33}, edge_keys{44, 55};
  return graphassay::class_ids(view, vertex_keys, edge_keys, {}).ids;
}

// The rows decode, to graphs of the same classes as those they came from.
void check_lossless(const Columns& columns, const TokenRows& rows, const Grammar& grammar) {
  const auto n_tokens = static_cast<std::size_t>(rows.offsets.back());
  const DecodedGraphs d = graphassay::decode(grammar, {rows.tokens.get(), n_tokens}, rows.offsets);
  for (const std::int64_t failed : d.failed_at) CHECK(failed == -1);
  const GraphSetView view{d.vertex_offsets, d.edge_offsets, d.vertex_labels,
                          d.edge_u,         d.edge_v,       d.edge_labels};
  graphassay::validate(view);
  CHECK(classes(view) == classes(columns.view()));
  // Every proper prefix fails at its end, and a foreign token where it stands.
  std::vector<std::int32_t> first(rows.tokens.get(), rows.tokens.get() + rows.offsets[1]);
  for (std::size_t length = 0; length < first.size(); ++length) {
    const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(length)};
    const auto cut = graphassay::decode(grammar, first, offsets).failed_at;
    CHECK(cut[0] == static_cast<std::int64_t>(length));
  }
  for (std::size_t at = 0; at < first.size(); ++at) {
    for (const std::int32_t foreign : {-1, graphassay::kUnknown, grammar.layout().size}) {
      std::vector<std::int32_t> broken = first;
      broken[at] = foreign;
      const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(first.size())};
      CHECK(graphassay::decode(grammar, broken, offsets).failed_at[0] ==
            static_cast<std::int64_t>(at));
    }
  }
}

void check_walks(const Grammar& grammar, std::mt19937& random) {
  const auto size = static_cast<std::size_t>(grammar.layout().size);
  for (int repeat = 0; repeat < 50; ++repeat) {
    GrammarState state;
    std::vector<std::uint8_t> mask(size);
    while (!Grammar::complete(state)) {
      grammar.allowed(state, mask);
      std::vector<std::int32_t> options;
      for (std::int32_t token = 0; token < grammar.layout().size; ++token) {
        const bool marked = mask[static_cast<std::size_t>(token)] != 0;
        CHECK(marked == grammar.accepts(state, token));
        if (marked) options.push_back(token);
      }
      CHECK(!options.empty());
      grammar.apply(state, options[random() % options.size()]);
    }
    CHECK(state.n() >= 1 && state.n() <= kMost);
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    for (const GrammarState::Edge& edge : state.edges) {
      CHECK(edge.u < edge.v && edge.v < state.n());
      CHECK(seen.emplace(edge.u, edge.v).second);
    }
    for (const std::int32_t left : state.remaining) CHECK(left >= 0);
  }
}

void check_grammar(const Layout& layout, const std::vector<DfsTuple>& tuples,
                   std::mt19937& random) {
  check_walks(*Grammar::make(layout, {kMost, {}, {}}, tuples), random);
  check_walks(*Grammar::make(layout, {kMost, {1, 4, 0}, {1, 2}}, tuples), random);
  CHECK_THROWS(Grammar::make(layout, {0, {}, {}}, tuples), InvalidInput);
  CHECK_THROWS(Grammar::make(layout, {kMost, {1}, {1, 2}}, tuples), InvalidInput);
  CHECK_THROWS(Grammar::make(layout, {kMost, {1, -1, 1}, {1, 2}}, tuples), InvalidInput);
}

Layout layout_of(LinearKind kind, std::size_t n_tuples = 0) {
  return Layout::of(kind, kind == LinearKind::kDgmg ? kMost - 1 : kMost, kVertexLabels, kEdgeLabels,
                    static_cast<std::int32_t>(n_tuples));
}

bool equal(const TokenRows& a, const TokenRows& b) {
  return a.offsets == b.offsets && a.log_q == b.log_q &&
         std::equal(a.tokens.get(), a.tokens.get() + a.offsets.back(), b.tokens.get());
}

void test_sent(const Columns& columns, std::span<const std::int64_t> rows, std::mt19937& random) {
  const GraphSetView view = columns.view();
  const Layout layout = layout_of(LinearKind::kSent);
  const auto grammar = Grammar::make(layout, {}, {});
  LinearizeInput input{view, rows, kVertexMap, kEdgeMap, layout, 1};
  for (const Pick start : {Pick::kAny, Pick::kLeastDegree, Pick::kGreatestDegree}) {
    for (const Pick next : {Pick::kAny, Pick::kLeastDegree, Pick::kGreatestDegree}) {
      input.n_threads = 1;
      const TokenRows one = graphassay::sent_tokens(input, {start, next}, rows, 7, 0);
      check_lossless(columns, one, *grammar);
      for (const double log_q : one.log_q) CHECK(std::isfinite(log_q) && log_q <= 0);
      input.n_threads = 3;
      CHECK(equal(one, graphassay::sent_tokens(input, {start, next}, rows, 7, 0)));
      CHECK(!equal(one, graphassay::sent_tokens(input, {start, next}, rows, 7, 1)));
    }
  }
  check_grammar(layout, {}, random);
}

void test_fixed(const Columns& columns, std::span<const std::int64_t> rows, std::mt19937& random) {
  const GraphSetView view = columns.view();
  const Layout dgmg = layout_of(LinearKind::kDgmg);
  const TokenRows actions =
      graphassay::dgmg_tokens({view, rows, kVertexMap, kEdgeMap, dgmg, 2}, {});
  check_lossless(columns, actions, *Grammar::make(dgmg, {}, {}));
  for (std::size_t g = 0; g < rows.size(); ++g) {
    CHECK(actions.offsets[g + 1] - actions.offsets[g] ==
          static_cast<std::int64_t>(3 + 2 * view.n_vertices(g) + 2 * view.n_edges(g)));
  }
  check_grammar(dgmg, {}, random);

  const auto codes = graphassay::min_dfs_codes(view, kVertexMap, kEdgeMap, {});
  LinearizeInput input{view, rows, kVertexMap, kEdgeMap, layout_of(LinearKind::kDfsFactored), 2};
  check_lossless(columns, graphassay::dfs_tokens(input, codes.tuples, codes.order, {}),
                 *Grammar::make(input.layout, {}, {}));
  check_grammar(input.layout, {}, random);

  std::vector<DfsTuple> tuples = graphassay::distinct_dfs_tuples(input, codes.tuples, codes.order);
  input.layout = layout_of(LinearKind::kDfs, tuples.size());
  check_lossless(columns, graphassay::dfs_tokens(input, codes.tuples, codes.order, tuples),
                 *Grammar::make(input.layout, {}, tuples));
  check_grammar(input.layout, tuples, random);

  // Without its first tuple the vocabulary refuses the rows that need it, and no others.
  const DfsTuple lost = tuples.front();
  tuples.erase(tuples.begin());
  input.layout = layout_of(LinearKind::kDfs, tuples.size());
  const TokenRows partial = graphassay::dfs_tokens(input, codes.tuples, codes.order, tuples);
  CHECK(!partial.missing.empty());
  for (const auto& [row, tuple] : partial.missing) {
    CHECK(tuple == lost);
    CHECK(partial.offsets[static_cast<std::size_t>(row) + 1] ==
          partial.offsets[static_cast<std::size_t>(row)]);
  }
}

void test_random_codes(const Columns& columns, std::span<const std::int64_t> rows) {
  const GraphSetView view = columns.view();
  const LinearizeInput input{view, rows, kVertexMap, kEdgeMap, layout_of(LinearKind::kDfsFactored),
                             2};
  const auto one = graphassay::random_dfs_codes(view, rows, 7, 0, 1);
  check_lossless(columns, graphassay::dfs_tokens(input, one.tuples, one.order, {}),
                 *Grammar::make(input.layout, {}, {}));
  for (const double log_q : one.log_q) CHECK(std::isfinite(log_q) && log_q <= 0);
  const auto several = graphassay::random_dfs_codes(view, rows, 7, 0, 3);
  CHECK(one.tuples == several.tuples && one.order == several.order && one.log_q == several.log_q);
  CHECK(one.tuples != graphassay::random_dfs_codes(view, rows, 7, 1, 1).tuples);
  CHECK_THROWS(graphassay::random_dfs_codes(view, rows.subspan(1), 7, 0, 1), InvalidInput);
}

void test_refusals(const Columns& columns) {
  const GraphSetView view = columns.view();
  const std::vector<std::int64_t> outside{static_cast<std::int64_t>(view.size())};
  const std::vector<std::int64_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::int32_t> no_labels{-1, -1, -1};
  const Layout layout = layout_of(LinearKind::kSent);
  const Layout small = Layout::of(LinearKind::kSent, 1, kVertexLabels, kEdgeLabels, 0);
  const auto run = [&](std::span<const std::int64_t> rows, const std::vector<std::int32_t>& map,
                       const Layout& into) {
    return graphassay::sent_tokens({view, rows, map, kEdgeMap, into, 1}, {}, rows, 0, 0);
  };
  CHECK_THROWS(run(outside, kVertexMap, layout), InvalidInput);
  CHECK_THROWS(run(all, no_labels, layout), InvalidInput);
  CHECK_THROWS(run(all, {}, layout), InvalidInput);
  CHECK_THROWS(run(all, kVertexMap, small), InvalidInput);
  const auto grammar = Grammar::make(layout, {}, {});
  const std::vector<std::int32_t> tokens{1, 2};
  const std::vector<std::int64_t> too_far{0, 3}, backwards{0, 2, 1};
  CHECK_THROWS(graphassay::decode(*grammar, tokens, too_far), InvalidInput);
  CHECK_THROWS(graphassay::decode(*grammar, tokens, backwards), InvalidInput);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  const Columns columns = random_graphs(1200, random);
  std::vector<std::int64_t> rows(1200);
  for (std::size_t g = 0; g < rows.size(); ++g) rows[g] = static_cast<std::int64_t>(g);
  test_sent(columns, rows, random);
  test_fixed(columns, rows, random);
  test_random_codes(columns, rows);
  test_refusals(columns);
  return 0;
}
