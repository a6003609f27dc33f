// BOS (ADD_NODE:label (ADD_EDGE:label DEST:i)* END_EDGE)+ END_NODE EOS   destinations ascending
#include "grammar_kinds.hpp"

namespace graphassay::grammar {
namespace {

class DgmgGrammar final : public Grammar {
 public:
  DgmgGrammar(const Layout& layout, GrammarLimits limits) : Grammar(layout, std::move(limits)) {}

  [[nodiscard]] bool accepts(const GrammarState& s, std::int32_t token) const override {
    const std::int32_t position = position_of(layout_, token);
    const std::int32_t edge_label = edge_label_of(layout_, token);
    switch (s.phase) {
      case kStart:
        return token == kBos;
      case kNode:
        if (token == kEndNode) return s.n() > 0;
        return vertex_label_of(layout_, token) >= 0 && has_room(s);
      case kEdge:
        return token == kEndEdge || (edge_label >= 0 && can_join(s, order(edge_label)));
      case kDestination:
        return position > s.last_target && position < s.n() - 1 &&
               left(s, position) >= order(s.pending);
      case kClosed:
        return token == kEos;
      default:
        return token == kPad;
    }
  }

  void apply(GrammarState& s, std::int32_t token) const override {
    switch (s.phase) {
      case kStart:
        s.phase = kNode;
        break;
      case kNode:
        if (token == kEndNode) {
          s.phase = kClosed;
        } else {
          add_vertex(s, token - layout_.first_vertex_label);
          s.last_target = -1;
          s.phase = kEdge;
        }
        break;
      case kEdge:
        if (token == kEndEdge) {
          s.phase = kNode;
        } else {
          s.pending = token - layout_.first_edge_label;
          s.phase = kDestination;
        }
        break;
      case kDestination:
        s.last_target = token - layout_.first_position;
        add_edge(s, s.last_target, s.n() - 1, s.pending);
        s.phase = kEdge;
        break;
      case kClosed:
        s.phase = kEnd;
        break;
      default:
        break;
    }
  }

 private:
  enum Phase : std::uint8_t { kNode = 1, kEdge, kDestination, kClosed };

  // Is there an earlier vertex after the last one joined? Without limits the first one is.
  [[nodiscard]] static bool can_join(const GrammarState& s, std::int32_t cost) {
    if (left(s, s.n() - 1) < cost) return false;
    for (std::int32_t v = s.last_target + 1; v < s.n() - 1; ++v) {
      if (left(s, v) >= cost) return true;
    }
    return false;
  }
};

}  // namespace

std::shared_ptr<const Grammar> make_dgmg(const Layout& layout, GrammarLimits limits) {
  return std::make_shared<DgmgGrammar>(layout, std::move(limits));
}

}  // namespace graphassay::grammar
