// Reader of gSpan's text format: `t # id`, `v id label`, `e u v label`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphassay {

enum class GspanRefusal : std::int32_t {
  no_vertex,
  vertex_ids_not_contiguous,
  vertex_declared_twice,
  vertex_without_label,
  undeclared_vertex,
  self_loop,
  parallel_edges,
  edge_without_label,
  directed_edge,
  unreadable_line,
};

struct RefusedGspan {
  GspanRefusal reason;
  std::int64_t line;  // 1-based
  std::string text;   // how that line begins
};

struct ParsedGspan {
  std::vector<std::int64_t> vertex_offsets{0};
  std::vector<std::int64_t> edge_offsets{0};
  std::vector<std::int32_t> vertex_labels;
  std::vector<std::int32_t> edge_u;
  std::vector<std::int32_t> edge_v;
  std::vector<std::int32_t> edge_labels;
  std::vector<std::string> vertex_names;
  std::vector<std::string> edge_names;
  std::vector<std::string> ids;       // what follows `t #`
  std::vector<std::int64_t> lines;    // 1-based line of each graph's `t`
  std::vector<RefusedGspan> refused;  // one per refused record, in file order
  std::int64_t n_ignored_lines = 0;   // `x` lines (occurrence lists) and comments
};

// A record that breaks a rule is refused whole, for the first rule it breaks; the others are kept.
// A `v` or `e` line before the first `t`, or a file without `t`, throws InvalidInput. O(size log).
ParsedGspan parse_gspan(std::string_view text);

}  // namespace graphassay
