// DFS codes as tokens: one token per tuple, or one per field.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "linearize_rows.hpp"

namespace graphassay {
namespace {

using linearize::GraphSlice;
using linearize::Part;

struct TupleHash {
  std::size_t operator()(const DfsTuple& tuple) const {
    std::uint64_t h = 0x9E3779B97F4A7C15ULL;
    for (const std::int32_t field : tuple) {
      h = (h ^ static_cast<std::uint32_t>(field)) * 0xD6E8FEB86659FD93ULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};
using TupleIndex = std::unordered_map<DfsTuple, std::int32_t, TupleHash>;

// Walks a code that numbers vertices through all components and reports, in order, each tuple with
// numbers that start from 0 in its component, and each vertex without edges.
class CodeWalker {
 public:
  CodeWalker(const LinearizeInput& input, std::span<const std::int32_t> columns,
             std::span<const std::int32_t> order)
      : input_(input), columns_(columns), order_(order) {}

  template <typename OnTuple, typename OnSingle>
  void walk(const GraphSlice& s, const OnTuple& on_tuple, const OnSingle& on_single) const {
    std::int32_t base = 0;
    std::int32_t next = 0;  // the first number not used yet
    const auto singles_until = [&](std::int32_t end) {
      for (; next < end; ++next) on_single(label_of(s, next));
    };
    for (std::size_t e = 0; e < s.m; ++e) {
      const std::int32_t* t = columns_.data() + 5 * (s.first_edge + e);
      const std::int32_t i = t[0];
      const std::int32_t j = t[1];
      if (i >= next) {  // a component starts: nothing before it led to i
        singles_until(i);
        base = i;
        next = i + 1;
      }
      on_tuple(DfsTuple{i - base, j - base, mapped(input_.vertex_map, t[2], s, "vertex"),
                        mapped(input_.vertex_map, t[3], s, "vertex"),
                        mapped(input_.edge_map, t[4], s, "edge")});
      next = std::max(next, j + 1);
    }
    singles_until(static_cast<std::int32_t>(s.n));
  }

 private:
  [[nodiscard]] std::int32_t label_of(const GraphSlice& s, std::int32_t number) const {
    const std::int32_t v = order_[s.first_vertex + static_cast<std::size_t>(number)];
    return linearize::vertex_label(input_, s, static_cast<std::size_t>(v));
  }
  static std::int32_t mapped(std::span<const std::int32_t> map, std::int32_t label,
                             const GraphSlice& s, const char* what) {
    const auto at = static_cast<std::size_t>(label);
    if (at >= map.size() || map[at] < 0) linearize::fail_label(s, what);
    return map[at];
  }

  const LinearizeInput& input_;
  std::span<const std::int32_t> columns_, order_;
};

class DfsKernel {
 public:
  DfsKernel(const LinearizeInput& input, const CodeWalker& walker, const TupleIndex& index)
      : input_(input), walker_(walker), index_(index) {}

  void write(std::size_t row, Part& part) {
    const GraphSlice s = linearize::slice(input_, row);
    const Layout& layout = input_.layout;
    const bool factored = layout.kind == LinearKind::kDfsFactored;
    if (factored) linearize::check_size(s, static_cast<std::size_t>(layout.n_positions));
    std::int32_t* const begin = part.sink.reserve(2 + 5 * s.m + 3 * s.n);
    std::int32_t* out = begin;
    const DfsTuple* lost = nullptr;
    DfsTuple lost_tuple;
    *out++ = kBos;
    const auto separate = [&] {
      if (out - begin > 1) *out++ = kNext;
    };
    walker_.walk(
        s,
        [&](const DfsTuple& tuple) {
          if (tuple[0] == 0 && tuple[1] == 1) separate();
          if (factored) {
            *out++ = layout.first_position + tuple[0];
            *out++ = layout.first_position + tuple[1];
            *out++ = layout.first_vertex_label + tuple[2];
            *out++ = layout.first_vertex_label + tuple[3];
            *out++ = layout.first_edge_label + tuple[4];
            return;
          }
          const auto found = index_.find(tuple);
          if (found != index_.end()) {
            *out++ = found->second;
          } else if (lost == nullptr) {
            lost_tuple = tuple;
            lost = &lost_tuple;
          }
        },
        [&](std::int32_t label) {
          separate();
          if (factored) *out++ = layout.first_position;
          *out++ = layout.first_vertex_label + label;
        });
    *out++ = kEos;
    if (lost != nullptr) {
      part.missing.emplace_back(static_cast<std::int64_t>(row), *lost);
      out = begin;
    }
    part.sink.commit(out);
  }

 private:
  const LinearizeInput& input_;
  const CodeWalker& walker_;
  const TupleIndex& index_;
};

void check_columns(const LinearizeInput& input, std::span<const std::int32_t> columns,
                   std::span<const std::int32_t> order) {
  if (columns.size() != 5 * input.graphs.edge_u.size() ||
      order.size() != input.graphs.vertex_labels.size()) {
    throw InvalidInput(
        "expected DFS codes of the whole set: five numbers per edge, one per vertex");
  }
}

}  // namespace

TokenRows dfs_tokens(const LinearizeInput& input, std::span<const std::int32_t> code_columns,
                     std::span<const std::int32_t> order, std::span<const DfsTuple> vocabulary) {
  check_columns(input, code_columns, order);
  TupleIndex index;
  index.reserve(vocabulary.size());
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    index.emplace(vocabulary[i], input.layout.first_tuple + static_cast<std::int32_t>(i));
  }
  const CodeWalker walker(input, code_columns, order);
  return linearize::fill_rows(input.rows.size(), input.n_threads,
                              [&] { return DfsKernel(input, walker, index); });
}

std::vector<DfsTuple> distinct_dfs_tuples(const LinearizeInput& input,
                                          std::span<const std::int32_t> code_columns,
                                          std::span<const std::int32_t> order) {
  check_columns(input, code_columns, order);
  const CodeWalker walker(input, code_columns, order);
  std::unordered_set<DfsTuple, TupleHash> seen;
  for (std::size_t row = 0; row < input.rows.size(); ++row) {
    walker.walk(
        linearize::slice(input, row), [&](const DfsTuple& tuple) { seen.insert(tuple); },
        [](std::int32_t) {});
  }
  std::vector<DfsTuple> tuples(seen.begin(), seen.end());
  std::sort(tuples.begin(), tuples.end());
  return tuples;
}

}  // namespace graphassay
