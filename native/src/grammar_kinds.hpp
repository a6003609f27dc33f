// The grammars behind Grammar::make.
#pragma once

#include <memory>
#include <vector>

#include "graphassay/grammar.hpp"

namespace graphassay::grammar {

std::shared_ptr<const Grammar> make_sent(const Layout& layout, GrammarLimits limits);
std::shared_ptr<const Grammar> make_dgmg(const Layout& layout, GrammarLimits limits);
std::shared_ptr<const Grammar> make_dfs_factored(const Layout& layout, GrammarLimits limits);
std::shared_ptr<const Grammar> make_dfs(const Layout& layout, GrammarLimits limits,
                                        std::vector<DfsTuple> tuples);

// The number of a token inside the group [first, first + n), or -1.
inline std::int32_t inside(std::int32_t token, std::int32_t first, std::int32_t n) {
  return token >= first && token < first + n ? token - first : -1;
}
inline std::int32_t position_of(const Layout& layout, std::int32_t token) {
  return inside(token, layout.first_position, layout.n_positions);
}
inline std::int32_t vertex_label_of(const Layout& layout, std::int32_t token) {
  return inside(token, layout.first_vertex_label, layout.n_vertex_labels);
}
inline std::int32_t edge_label_of(const Layout& layout, std::int32_t token) {
  return inside(token, layout.first_edge_label, layout.n_edge_labels);
}

}  // namespace graphassay::grammar
