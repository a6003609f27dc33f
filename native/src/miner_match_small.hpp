// Does a graph of at most 64 vertices contain a pattern of at most 8?
//
// Most fallback searches are of this kind and short. A set of vertices is one word; backtracking
// goes through the pattern in a connected order fixed by its first vertex, the one with the fewest
// places. A step costs an AND per pattern edge to earlier vertices: far less than keeping all
// domains up to date, for somewhat more steps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "miner_plan.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

// As BitsetSearch::find. Preconditions: g.words == 1, 2 <= plan.n <= kMaxSmallPattern.
inline bool find_small(const GraphStore& store, const StoredGraph& g, SearchPlan& plan,
                       std::uint16_t* image, Pauses pauses) {
  if (g.n < plan.n) return false;
  std::array<std::uint64_t, kMaxSmallPattern> domains;
  unsigned root = 0;
  unsigned least = ~0U;
  for (unsigned v = 0; v < plan.n; ++v) {
    std::uint64_t domain = ~std::uint64_t{0};
    for (unsigned f = plan.first_feature[v]; f < plan.first_feature[v + 1]; ++f) {
      const std::uint64_t* row = store.feature(g, plan.features[f]);
      if (row == nullptr) return false;
      domain &= *row;
    }
    if (domain == 0) return false;
    domains[v] = domain;
    const auto size = static_cast<unsigned>(std::popcount(domain));
    if (size < least) {
      least = size;
      root = v;
    }
  }
  const SmallOrder& order = plan.order_from(root);
  std::array<std::uint64_t, kMaxSmallPattern> values;     // still to be tried, by position
  std::array<std::uint64_t, kMaxSmallPattern + 1> above;  // values above the position's
  std::array<std::uint8_t, kMaxSmallPattern> places;
  above[kMaxSmallPattern] = ~std::uint64_t{0};
  const unsigned last = plan.n - 1;
  std::uint64_t used = 0;
  unsigned depth = 0;
  values[0] = domains[root];
  while (true) {
    if (values[depth] == 0) {
      if (depth == 0) return false;
      --depth;
      used &= ~(std::uint64_t{1} << places[depth]);
      continue;
    }
    pauses.step();
    const auto value = static_cast<unsigned>(std::countr_zero(values[depth]));
    const std::uint64_t bit = values[depth] & (~values[depth] + 1);
    values[depth] ^= bit;
    places[depth] = static_cast<std::uint8_t>(value);
    above[depth] = ~bit & ~(bit - 1);
    const SmallOrder::Step& step = order.steps[depth + 1];
    std::uint64_t next = domains[step.vertex] & ~(used | bit) & above[step.twin];
    for (unsigned i = 0; i < step.n_back; ++i) {
      next &= store.word(g, places[step.back[i].position], step.back[i].type);
    }
    if (next == 0) continue;
    if (depth + 1 == last) {
      image[step.vertex] = static_cast<std::uint16_t>(std::countr_zero(next));
      for (unsigned i = 0; i < last; ++i) image[order.steps[i].vertex] = places[i];
      return true;
    }
    used |= bit;
    values[++depth] = next;
  }
}

}  // namespace graphassay::miner
