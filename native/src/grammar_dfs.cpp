// BOS component (NEXT component)* EOS, with numbers that start from 0 in each component.
// component: (0, 1, …) and then forward tuples from the rightmost path to the next number and
// backward tuples from the last number to the path, ascending, not to its own parent; or a single
// vertex. The code need not be the minimum one.
#include <algorithm>

#include "grammar_kinds.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::grammar {
namespace {

class DfsRules : public Grammar {
 protected:
  using Grammar::Grammar;

  [[nodiscard]] static std::int32_t n_in_component(const GrammarState& s) { return s.n() - s.base; }
  [[nodiscard]] static std::int32_t label_at(const GrammarState& s, std::int32_t number) {
    return s.labels[static_cast<std::size_t>(s.base + number)];
  }
  [[nodiscard]] static bool on_path(const GrammarState& s, std::int32_t number) {
    return std::binary_search(s.path.begin(), s.path.end(), number);
  }
  // The two kinds of tuple inside a begun component, edge label aside: is there any for i (and j)?
  [[nodiscard]] bool can_go_forward(const GrammarState& s, std::int32_t i) const {
    return has_room(s) && layout_.n_edge_labels > 0 && on_path(s, i) &&
           left(s, s.base + i) >= least_order_ && greatest_valence_ >= least_order_;
  }
  [[nodiscard]] bool can_go_back(const GrammarState& s, std::int32_t i, std::int32_t j) const {
    return i == n_in_component(s) - 1 && s.path.size() > 2 && j > s.last_target && j < i &&
           j != s.path[s.path.size() - 2] && on_path(s, j) && left(s, s.base + i) >= least_order_ &&
           left(s, s.base + j) >= least_order_;
  }
  [[nodiscard]] bool can_go_back(const GrammarState& s, std::int32_t i) const {
    if (i != n_in_component(s) - 1) return false;
    const auto first = std::upper_bound(s.path.begin(), s.path.end(), s.last_target);
    return std::any_of(first, s.path.end(), [&](std::int32_t j) { return can_go_back(s, i, j); });
  }
  [[nodiscard]] bool can_start_edge(const GrammarState& s) const {
    return has_room(s, 2) && layout_.n_edge_labels > 0 && greatest_valence_ >= least_order_;
  }

  void add_tuple(GrammarState& s, const DfsTuple& tuple) const {
    const auto [i, j, label_i, label_j, label_ij] = tuple;
    if (s.path.empty()) {
      add_vertex(s, label_i);
      s.path.push_back(0);
    }
    if (i < j) {
      while (s.path.back() != i) s.path.pop_back();
      s.path.push_back(j);
      add_vertex(s, label_j);
      s.last_target = -1;
    } else {
      s.last_target = j;
    }
    add_edge(s, s.base + i, s.base + j, label_ij);
  }
  static void start_component(GrammarState& s) {
    s.base = s.n();
    s.path.clear();
    s.last_target = -1;
  }
};

class DfsFactoredGrammar final : public DfsRules {
 public:
  DfsFactoredGrammar(const Layout& layout, GrammarLimits limits)
      : DfsRules(layout, std::move(limits)) {}

  [[nodiscard]] bool accepts(const GrammarState& s, std::int32_t token) const override {
    const std::int32_t position = position_of(layout_, token);
    const std::int32_t vertex_label = vertex_label_of(layout_, token);
    const std::int32_t edge_label = edge_label_of(layout_, token);
    switch (s.phase) {
      case kStart:
        return token == kBos;
      case kComponent:
        return position == 0;
      case kFirstJ:
        return vertex_label >= 0 || (position == 1 && can_start_edge(s));
      case kTuple:
        if (token == kEos || token == kNext) return ends_component(s, token);
        return position >= 0 && position < n_in_component(s) &&
               (can_go_forward(s, position) || can_go_back(s, position));
      case kJ:
        if (position < 0) return false;
        if (position == n_in_component(s)) return can_go_forward(s, s.i);
        return can_go_back(s, s.i, position);
      case kLabelI:
        if (vertex_label < 0) return false;
        return s.path.empty() ? valence(vertex_label) >= least_order_
                              : vertex_label == label_at(s, s.i);
      case kLabelJ:
        if (vertex_label < 0) return false;
        return s.i > s.j ? vertex_label == label_at(s, s.j) : valence(vertex_label) >= least_order_;
      case kLabelIJ:
        return edge_label >= 0 && affords(s, order(edge_label));
      case kClosed:
        return ends_component(s, token);
      default:
        return token == kPad;
    }
  }

  void apply(GrammarState& s, std::int32_t token) const override {
    const std::int32_t vertex_label = vertex_label_of(layout_, token);
    switch (s.phase) {
      case kStart:
        s.phase = kComponent;
        break;
      case kComponent:
        s.i = 0;
        s.phase = kFirstJ;
        break;
      case kFirstJ:
        if (vertex_label >= 0) {
          add_vertex(s, vertex_label);
          s.phase = kClosed;
          break;
        }
        [[fallthrough]];
      case kJ:
        s.j = token - layout_.first_position;
        s.phase = kLabelI;
        break;
      case kTuple:
      case kClosed:
        if (token == kEos) {
          s.phase = kEnd;
        } else if (token == kNext) {
          start_component(s);
          s.phase = kComponent;
        } else {
          s.i = token - layout_.first_position;
          s.phase = kJ;
        }
        break;
      case kLabelI:
        s.label_i = vertex_label;
        s.phase = kLabelJ;
        break;
      case kLabelJ:
        s.label_j = vertex_label;
        s.phase = kLabelIJ;
        break;
      case kLabelIJ:
        add_tuple(s, {s.i, s.j, s.label_i, s.label_j, token - layout_.first_edge_label});
        s.phase = kTuple;
        break;
      default:
        break;
    }
  }

 private:
  enum Phase : std::uint8_t {
    kComponent = 1,  // the first number of a component
    kFirstJ,         // its second, or the label of a single vertex
    kTuple,          // i of a further tuple, or the end of the component
    kJ,
    kLabelI,
    kLabelJ,
    kLabelIJ,
    kClosed,  // after a single vertex
  };

  [[nodiscard]] bool ends_component(const GrammarState& s, std::int32_t token) const {
    return token == kEos || (token == kNext && has_room(s));
  }
  [[nodiscard]] bool affords(const GrammarState& s, std::int32_t cost) const {
    const std::int32_t left_i = s.path.empty() ? valence(s.label_i) : left(s, s.base + s.i);
    const std::int32_t left_j = s.i < s.j ? valence(s.label_j) : left(s, s.base + s.j);
    return left_i >= cost && left_j >= cost;
  }
};

class DfsGrammar final : public DfsRules {
 public:
  DfsGrammar(const Layout& layout, GrammarLimits limits, std::vector<DfsTuple> tuples)
      : DfsRules(layout, std::move(limits)), tuples_(std::move(tuples)) {
    if (tuples_.size() != static_cast<std::size_t>(layout.n_tuples) ||
        !std::is_sorted(tuples_.begin(), tuples_.end())) {
      throw InvalidInput("tuples: expected as many as in the layout, ascending");
    }
    for (const DfsTuple& t : tuples_) {
      const bool numbers = t[0] >= 0 && t[1] >= 0 && t[0] != t[1];
      const bool labels = t[2] >= 0 && t[2] < layout.n_vertex_labels && t[3] >= 0 &&
                          t[3] < layout.n_vertex_labels && t[4] >= 0 && t[4] < layout.n_edge_labels;
      if (!numbers || !labels) throw InvalidInput("tuples: numbers or labels out of range");
    }
  }

  [[nodiscard]] bool accepts(const GrammarState& s, std::int32_t token) const override {
    switch (s.phase) {
      case kStart:
        return token == kBos;
      case kComponent:
        return vertex_label_of(layout_, token) >= 0 || accepts_tuple(s, token);
      case kTuple:
        return ends_component(s, token) || accepts_tuple(s, token);
      case kClosed:
        return ends_component(s, token);
      default:
        return token == kPad;
    }
  }

  void apply(GrammarState& s, std::int32_t token) const override {
    if (s.phase == kStart) {
      s.phase = kComponent;
    } else if (token == kEos) {
      s.phase = kEnd;
    } else if (token == kNext) {
      start_component(s);
      s.phase = kComponent;
    } else if (vertex_label_of(layout_, token) >= 0) {
      add_vertex(s, token - layout_.first_vertex_label);
      s.phase = kClosed;
    } else if (s.phase != kEnd) {
      add_tuple(s, tuple_of(token));
      s.phase = kTuple;
    }
  }

  void allowed(const GrammarState& s, std::span<std::uint8_t> mask) const override {
    std::fill(mask.begin(), mask.end(), std::uint8_t{0});
    for (std::int32_t token = 0; token < layout_.first_tuple; ++token) {
      mask[static_cast<std::size_t>(token)] = accepts(s, token) ? 1 : 0;
    }
    if (s.phase == kComponent) mark(s, 0, 1, mask);
    if (s.phase != kTuple) return;
    const std::int32_t n = n_in_component(s);
    for (const std::int32_t number : s.path) {
      mark(s, number, n, mask);
      mark(s, n - 1, number, mask);
    }
  }

 private:
  enum Phase : std::uint8_t { kComponent = 1, kTuple, kClosed };

  [[nodiscard]] const DfsTuple& tuple_of(std::int32_t token) const {
    return tuples_[static_cast<std::size_t>(token - layout_.first_tuple)];
  }
  [[nodiscard]] bool ends_component(const GrammarState& s, std::int32_t token) const {
    return token == kEos || (token == kNext && has_room(s));
  }
  [[nodiscard]] bool accepts_tuple(const GrammarState& s, std::int32_t token) const {
    if (inside(token, layout_.first_tuple, layout_.n_tuples) < 0) return false;
    const auto& [i, j, label_i, label_j, label_ij] = tuple_of(token);
    const std::int32_t cost = order(label_ij);
    if (s.path.empty()) {
      return i == 0 && j == 1 && has_room(s, 2) && valence(label_i) >= cost &&
             valence(label_j) >= cost;
    }
    const std::int32_t n = n_in_component(s);
    if (i >= n || label_i != label_at(s, i) || left(s, s.base + i) < cost) return false;
    if (i < j) return j == n && can_go_forward(s, i) && valence(label_j) >= cost;
    return can_go_back(s, i, j) && label_j == label_at(s, j) && left(s, s.base + j) >= cost;
  }
  // Marks the tuples between i and j that are accepted.
  void mark(const GrammarState& s, std::int32_t i, std::int32_t j,
            std::span<std::uint8_t> mask) const {
    const auto first = std::lower_bound(tuples_.begin(), tuples_.end(), DfsTuple{i, j, -1, -1, -1});
    for (auto at = first; at != tuples_.end() && (*at)[0] == i && (*at)[1] == j; ++at) {
      const auto token = layout_.first_tuple + static_cast<std::int32_t>(at - tuples_.begin());
      if (accepts_tuple(s, token)) mask[static_cast<std::size_t>(token)] = 1;
    }
  }

  std::vector<DfsTuple> tuples_;  // ascending
};

}  // namespace

std::shared_ptr<const Grammar> make_dfs_factored(const Layout& layout, GrammarLimits limits) {
  return std::make_shared<DfsFactoredGrammar>(layout, std::move(limits));
}
std::shared_ptr<const Grammar> make_dfs(const Layout& layout, GrammarLimits limits,
                                        std::vector<DfsTuple> tuples) {
  return std::make_shared<DfsGrammar>(layout, std::move(limits), std::move(tuples));
}

}  // namespace graphassay::grammar
