// BOS trail (RESET trail)* EOS
// trail:  index label bracket? (edge-label index label bracket?)*
// bracket: [ (edge-label index)+ ]   earlier vertices, ascending, not the one just left
#include "grammar_kinds.hpp"

namespace graphassay::grammar {
namespace {

class SentGrammar final : public Grammar {
 public:
  SentGrammar(const Layout& layout, GrammarLimits limits) : Grammar(layout, std::move(limits)) {}

  [[nodiscard]] bool accepts(const GrammarState& s, std::int32_t token) const override {
    const std::int32_t position = position_of(layout_, token);
    const std::int32_t vertex_label = vertex_label_of(layout_, token);
    const std::int32_t edge_label = edge_label_of(layout_, token);
    switch (s.phase) {
      case kStart:
        return token == kBos;
      case kIndex:
        return position == s.n();
      case kLabel:
        return vertex_label >= 0 && fits_new(s, vertex_label);
      case kVertex:
        if (token == kOpen) return any_bracket(s);
        [[fallthrough]];
      case kClosed:
        if (token == kEos) return true;
        if (token == kReset) return has_room(s);
        return edge_label >= 0 && can_step(s, edge_label);
      case kOpened:
        return edge_label >= 0 && can_bracket(s, edge_label);
      case kListed:
        return token == kClose || (edge_label >= 0 && can_bracket(s, edge_label));
      case kTarget:
        return position > s.last_target && is_target(s, position, order(s.pending));
      default:
        return token == kPad;
    }
  }

  void apply(GrammarState& s, std::int32_t token) const override {
    switch (s.phase) {
      case kStart:
        s.phase = kIndex;
        break;
      case kIndex:
        s.phase = kLabel;
        break;
      case kLabel:
        add_vertex(s, token - layout_.first_vertex_label);
        if (s.pending >= 0) add_edge(s, s.previous, s.n() - 1, s.pending);
        s.pending = -1;
        s.last_target = -1;
        s.phase = kVertex;
        break;
      case kTarget:
        s.last_target = token - layout_.first_position;
        add_edge(s, s.last_target, s.n() - 1, s.pending);
        s.pending = -1;
        s.phase = kListed;
        break;
      case kOpened:
      case kListed:
        if (token == kClose) {
          s.phase = kClosed;
        } else {
          s.pending = token - layout_.first_edge_label;
          s.phase = kTarget;
        }
        break;
      case kVertex:
      case kClosed:
        leave_vertex(s, token);
        break;
      default:
        break;
    }
  }

 private:
  enum Phase : std::uint8_t {
    kIndex = 1,  // of a new vertex
    kLabel,      // of that vertex
    kVertex,     // after it: a bracket, or what follows one
    kOpened,     // after [
    kTarget,     // after an edge label inside a bracket
    kListed,     // after an index inside a bracket
    kClosed,     // after ]
  };

  void leave_vertex(GrammarState& s, std::int32_t token) const {
    if (token == kOpen) {
      s.phase = kOpened;
    } else if (token == kEos) {
      s.phase = kEnd;
    } else {
      s.previous = token == kReset ? -1 : s.n() - 1;
      s.pending = token == kReset ? -1 : token - layout_.first_edge_label;
      s.phase = kIndex;
    }
  }

  [[nodiscard]] bool fits_new(const GrammarState& s, std::int32_t label) const {
    return s.pending < 0 || valence(label) >= order(s.pending);
  }
  [[nodiscard]] bool can_step(const GrammarState& s, std::int32_t edge_label) const {
    const std::int32_t cost = order(edge_label);
    return has_room(s) && left(s, s.n() - 1) >= cost && greatest_valence_ >= cost;
  }
  [[nodiscard]] bool is_target(const GrammarState& s, std::int32_t vertex,
                               std::int32_t cost) const {
    return vertex < s.n() - 1 && vertex != s.previous && left(s, vertex) >= cost;
  }
  [[nodiscard]] bool can_bracket(const GrammarState& s, std::int32_t edge_label) const {
    return can_bracket_at(s, order(edge_label));
  }
  [[nodiscard]] bool any_bracket(const GrammarState& s) const {
    return layout_.n_edge_labels > 0 && can_bracket_at(s, least_order_);
  }
  // Is there an earlier vertex after the last one listed? Without limits the first or second is.
  [[nodiscard]] bool can_bracket_at(const GrammarState& s, std::int32_t cost) const {
    if (left(s, s.n() - 1) < cost) return false;
    for (std::int32_t v = s.last_target + 1; v < s.n() - 1; ++v) {
      if (is_target(s, v, cost)) return true;
    }
    return false;
  }
};

}  // namespace

std::shared_ptr<const Grammar> make_sent(const Layout& layout, GrammarLimits limits) {
  return std::make_shared<SentGrammar>(layout, std::move(limits));
}

}  // namespace graphassay::grammar
