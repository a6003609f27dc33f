#include "graphassay/grammar.hpp"

#include <algorithm>
#include <string>

#include "grammar_kinds.hpp"
#include "graphassay/errors.hpp"

namespace graphassay {

Grammar::Grammar(const Layout& layout, GrammarLimits limits)
    : layout_(layout), limits_(std::move(limits)) {
  const bool has_positions = layout_.kind != LinearKind::kDfs;
  // The last vertex of a DGMG sequence is never a destination.
  const std::int32_t extra = layout_.kind == LinearKind::kDgmg ? 1 : 0;
  if (has_positions) {
    limits_.max_vertices = std::min(limits_.max_vertices, layout_.n_positions + extra);
  }
  if (limits_.max_vertices < 1) throw InvalidInput("max_vertices: expected at least 1");
  if (!limits_valence()) return;
  if (limits_.valences.size() != static_cast<std::size_t>(layout_.n_vertex_labels) ||
      limits_.orders.size() != static_cast<std::size_t>(layout_.n_edge_labels)) {
    throw InvalidInput("expected one valence per vertex label and one order per edge label");
  }
  for (const std::int32_t value : limits_.valences) {
    if (value < 0) throw InvalidInput("valences: expected numbers >= 0");
    greatest_valence_ = std::max(greatest_valence_, value);
  }
  least_order_ = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t value : limits_.orders) {
    if (value < 0) throw InvalidInput("orders: expected numbers >= 0");
    least_order_ = std::min(least_order_, value);
  }
}

std::shared_ptr<const Grammar> Grammar::make(const Layout& layout, GrammarLimits limits,
                                             std::vector<DfsTuple> tuples) {
  switch (layout.kind) {
    case LinearKind::kSent:
      return grammar::make_sent(layout, std::move(limits));
    case LinearKind::kDgmg:
      return grammar::make_dgmg(layout, std::move(limits));
    case LinearKind::kDfsFactored:
      return grammar::make_dfs_factored(layout, std::move(limits));
    case LinearKind::kDfs:
      return grammar::make_dfs(layout, std::move(limits), std::move(tuples));
  }
  throw InvalidInput("unknown kind of linearization");
}

void Grammar::allowed(const GrammarState& state, std::span<std::uint8_t> mask) const {
  for (std::int32_t token = 0; token < layout_.size; ++token) {
    mask[static_cast<std::size_t>(token)] = accepts(state, token) ? 1 : 0;
  }
}

void Grammar::add_vertex(GrammarState& state, std::int32_t label) const {
  state.labels.push_back(label);
  state.remaining.push_back(valence(label));
}

void Grammar::add_edge(GrammarState& state, std::int32_t u, std::int32_t v,
                       std::int32_t label) const {
  state.edges.push_back({std::min(u, v), std::max(u, v), label});
  state.remaining[static_cast<std::size_t>(u)] -= order(label);
  state.remaining[static_cast<std::size_t>(v)] -= order(label);
}

DecodedGraphs decode(const Grammar& grammar, std::span<const std::int32_t> tokens,
                     std::span<const std::int64_t> offsets) {
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    const std::int64_t least = row == 0 ? 0 : offsets[row - 1];
    if (offsets[row] < least || offsets[row] > static_cast<std::int64_t>(tokens.size())) {
      throw InvalidInput("offsets: expected ascending places in the tokens");
    }
  }
  DecodedGraphs result;
  result.vertex_offsets.push_back(0);
  result.edge_offsets.push_back(0);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    GrammarState state;
    std::int64_t failed_at = -1;
    std::int64_t t = offsets[row];
    for (; t < offsets[row + 1]; ++t) {
      const std::int32_t token = tokens[static_cast<std::size_t>(t)];
      if (!grammar.accepts(state, token)) break;
      grammar.apply(state, token);
    }
    if (t < offsets[row + 1] || !Grammar::complete(state)) {
      failed_at = t - offsets[row];
    } else {
      std::sort(state.edges.begin(), state.edges.end(),
                [](const auto& a, const auto& b) { return a.u != b.u ? a.u < b.u : a.v < b.v; });
      result.vertex_labels.insert(result.vertex_labels.end(), state.labels.begin(),
                                  state.labels.end());
      for (const GrammarState::Edge& edge : state.edges) {
        result.edge_u.push_back(edge.u);
        result.edge_v.push_back(edge.v);
        result.edge_labels.push_back(edge.label);
      }
    }
    result.failed_at.push_back(failed_at);
    result.vertex_offsets.push_back(static_cast<std::int64_t>(result.vertex_labels.size()));
    result.edge_offsets.push_back(static_cast<std::int64_t>(result.edge_u.size()));
  }
  return result;
}

}  // namespace graphassay
