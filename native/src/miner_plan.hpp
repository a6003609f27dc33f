// What a search for a pattern in many graphs prepares once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "miner_pattern.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

inline constexpr unsigned kMaxSmallPattern = 8;

// A connected order of a small pattern's vertices for backtracking.
struct SmallOrder {
  struct Back {          // an edge to an earlier vertex
    std::uint32_t type;  // of the later one seen from the earlier
    std::uint32_t position;
  };
  struct Step {
    std::uint8_t vertex;
    std::uint8_t
        twin;  // position of the last twin before, whose image is smaller; or kMaxSmallPattern
    std::uint8_t n_back;
    std::array<Back, kMaxSmallPattern - 1> back;
  };
  std::array<Step, kMaxSmallPattern> steps;
};

// What the search needs to know about a pattern, made once and used for many graphs.
struct SearchPlan {
  unsigned n = 0;
  std::array<std::uint32_t, kMaxVertices> labels{};
  std::array<std::uint16_t, kMaxVertices> adjacent{};
  std::array<std::uint16_t, kMaxVertices> lower_twins{};
  std::array<std::uint16_t, kMaxVertices> upper_twins{};
  std::array<std::array<std::uint32_t, kMaxVertices>, kMaxVertices> type{};  // of w seen from v
  std::array<std::uint16_t, kMaxVertices + 1> first_feature{};
  std::array<std::uint32_t, kMaxVertices * kMaxVertices> features{};
  std::array<std::uint8_t, kMaxVertices> order{};  // connected, for list graphs

  void make(const PatternGraph& pattern, const GraphStore& store);
  // n <= kMaxSmallPattern.
  const SmallOrder& order_from(unsigned root) {
    if (((ordered_ >> root) & 1U) == 0) make_order(root);
    return orders_[root];
  }

 private:
  void make_order(unsigned root);

  unsigned ordered_ = 0;  // bit v: orders_[v] is made
  std::array<SmallOrder, kMaxSmallPattern> orders_;
};

// Counts the steps of one search.
class Pauses {
 public:
  explicit Pauses(const std::function<void()>& pause) : pause_(pause) {}
  void step() {
    if (++n_steps_ % kPauseSteps == 0 && pause_) pause_();
  }

 private:
  static constexpr unsigned kPauseSteps = 1U << 16;  // about a millisecond
  const std::function<void()>& pause_;
  unsigned n_steps_ = 0;
};

}  // namespace graphassay::miner
