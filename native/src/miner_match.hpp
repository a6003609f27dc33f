// Does a graph contain a pattern? The fallback when no witness of a parent extends.
//
// Bitset graphs: backtracking over domains (the vertices that each pattern vertex could map to),
// smallest domain first, with forward checking; the last two vertices are settled at once. Domains
// start from the label and, for each type, the number of neighbours needed. Twins of the pattern
// are mapped in ascending order only.
// List graphs: backtracking in a fixed connected order over the shortest neighbour list.
// A long search calls `pause` every millisecond or so; what that throws ends it.
// Header-only so that the evaluator can compile it for the machine's instruction set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "miner_match_small.hpp"
#include "miner_pattern.hpp"
#include "miner_plan.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

template <unsigned W>
class BitsetSearch {
 public:
  // Finds one embedding (image[v] for every pattern vertex v). Preconditions: g.words == W, the
  // pattern has at least two vertices.
  bool find(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
            std::uint16_t* image, Pauses pauses) {
    if (!begin(store, g, plan)) return false;
    while (true) {
      pauses.step();
      if (!next_value(image)) {
        if (depth_ == 0) return false;
        --depth_;
        continue;
      }
      const unsigned rest = levels_[depth_ + 1].unassigned;
      if (!forward(store, g, plan, image[levels_[depth_].vertex])) continue;
      const auto first = static_cast<unsigned>(std::countr_zero(rest));
      if ((rest & (rest - 1)) == 0) {  // one vertex left, and its domain is not empty
        image[first] = static_cast<std::uint16_t>(first_bit(levels_[depth_ + 1].domains[first]));
        return true;
      }
      const unsigned others = rest & (rest - 1);
      if ((others & (others - 1)) == 0) {
        const auto second = static_cast<unsigned>(std::countr_zero(others));
        if (settle_pair(store, g, plan, first, second, image)) return true;
        continue;
      }
      ++depth_;
      choose(levels_[depth_]);
    }
  }

  // Number of embeddings that map twins in ascending order.
  std::uint64_t count(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                      Pauses pauses) {
    std::array<std::uint16_t, kMaxVertices> image{};
    if (!begin(store, g, plan)) return 0;
    std::uint64_t total = 0;
    while (true) {
      pauses.step();
      if (!next_value(image.data())) {
        if (depth_ == 0) return total;
        --depth_;
        continue;
      }
      const unsigned rest = levels_[depth_ + 1].unassigned;
      if (rest == 0) {
        ++total;
        continue;
      }
      if (!forward(store, g, plan, image[levels_[depth_].vertex])) continue;
      if ((rest & (rest - 1)) == 0) {
        total += levels_[depth_ + 1].sizes[static_cast<unsigned>(std::countr_zero(rest))];
        continue;
      }
      ++depth_;
      choose(levels_[depth_]);
    }
  }

 private:
  using Row = std::array<std::uint64_t, W>;

  struct Level {
    unsigned unassigned = 0;
    unsigned vertex = 0;
    Row values{};  // of `vertex`, still to be tried
    std::array<Row, kMaxVertices> domains;
    std::array<unsigned, kMaxVertices> sizes;
  };

  static unsigned size(const Row& row) {
    unsigned total = 0;
    for (unsigned i = 0; i < W; ++i) total += static_cast<unsigned>(std::popcount(row[i]));
    return total;
  }
  static unsigned first_bit(const Row& row) {
    for (unsigned i = 0; i < W; ++i) {
      if (row[i] != 0) return i * 64 + static_cast<unsigned>(std::countr_zero(row[i]));
    }
    return W * 64;
  }
  static void keep_above(Row& row, unsigned value) {
    for (unsigned i = 0; i < value / 64; ++i) row[i] = 0;
    row[value / 64] &= ~std::uint64_t{0} << (value % 64) << 1;
  }
  static void keep_below(Row& row, unsigned value) {
    for (unsigned i = value / 64 + 1; i < W; ++i) row[i] = 0;
    row[value / 64] &= (std::uint64_t{1} << (value % 64)) - 1;
  }

  bool begin(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan) {
    if (g.n < plan.n) return false;
    Level& level = levels_[0];
    for (unsigned v = 0; v < plan.n; ++v) {
      Row domain;
      domain.fill(~std::uint64_t{0});
      for (unsigned f = plan.first_feature[v]; f < plan.first_feature[v + 1]; ++f) {
        const std::uint64_t* row = store.feature(g, plan.features[f]);
        if (row == nullptr) return false;
        for (unsigned i = 0; i < W; ++i) domain[i] &= row[i];
      }
      level.domains[v] = domain;
      level.sizes[v] = size(domain);
      if (level.sizes[v] == 0) return false;
    }
    level.unassigned = (1U << plan.n) - 1;
    depth_ = 0;
    choose(level);
    return true;
  }

  void choose(Level& level) {
    unsigned least = ~0U;
    for (unsigned rest = level.unassigned; rest != 0; rest &= rest - 1) {
      const auto v = static_cast<unsigned>(std::countr_zero(rest));
      if (level.sizes[v] < least) {
        least = level.sizes[v];
        level.vertex = v;
      }
    }
    level.values = level.domains[level.vertex];
    levels_[depth_ + 1].unassigned = level.unassigned & ~(1U << level.vertex);
  }

  bool next_value(std::uint16_t* image) {
    Level& level = levels_[depth_];
    for (unsigned i = 0; i < W; ++i) {
      if (level.values[i] == 0) continue;
      image[level.vertex] = static_cast<std::uint16_t>(
          i * 64 + static_cast<unsigned>(std::countr_zero(level.values[i])));
      level.values[i] &= level.values[i] - 1;
      return true;
    }
    return false;
  }

  // Domains of the next level after mapping this level's vertex to `value`; false if one empties.
  bool forward(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
               unsigned value) {
    const Level& level = levels_[depth_];
    Level& next = levels_[depth_ + 1];
    const unsigned v = level.vertex;
    const auto rows = store.rows(g, value);
    for (unsigned rest = next.unassigned & plan.adjacent[v]; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t* row = rows.row(plan.type[v][w]);
      if (row == nullptr) return false;
      Row domain = level.domains[w];
      for (unsigned i = 0; i < W; ++i) domain[i] &= row[i];
      if (!narrow(plan, v, w, value, domain, next)) return false;
    }
    for (unsigned rest = next.unassigned & ~unsigned{plan.adjacent[v]}; rest != 0;
         rest &= rest - 1) {
      const auto w = static_cast<unsigned>(std::countr_zero(rest));
      Row domain = level.domains[w];
      domain[value / 64] &= ~(std::uint64_t{1} << (value % 64));
      if (!narrow(plan, v, w, value, domain, next)) return false;
    }
    return true;
  }

  // Keeps what v = value leaves to w; false if nothing.
  static bool narrow(const SearchPlan& plan, unsigned v, unsigned w, unsigned value, Row& domain,
                     Level& next) {
    if (((plan.upper_twins[v] >> w) & 1U) != 0) keep_above(domain, value);
    if (((plan.lower_twins[v] >> w) & 1U) != 0) keep_below(domain, value);
    next.domains[w] = domain;
    next.sizes[w] = size(domain);
    return next.sizes[w] != 0;
  }

  // Maps the last two vertices, u < v, from their domains in the next level.
  bool settle_pair(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                   unsigned u, unsigned v, std::uint16_t* image) const {
    const Level& next = levels_[depth_ + 1];
    if (next.sizes[u] > next.sizes[v]) std::swap(u, v);
    const bool adjacent = ((plan.adjacent[u] >> v) & 1U) != 0;
    const bool above = ((plan.upper_twins[u] >> v) & 1U) != 0;
    const bool below = ((plan.lower_twins[u] >> v) & 1U) != 0;
    for (unsigned i = 0; i < W; ++i) {
      for (std::uint64_t bits = next.domains[u][i]; bits != 0; bits &= bits - 1) {
        const unsigned value = i * 64 + static_cast<unsigned>(std::countr_zero(bits));
        Row rest = next.domains[v];
        if (adjacent) {
          const std::uint64_t* row = store.row(g, value, plan.type[u][v]);
          if (row == nullptr) continue;
          for (unsigned j = 0; j < W; ++j) rest[j] &= row[j];
        } else {
          rest[value / 64] &= ~(std::uint64_t{1} << (value % 64));
        }
        if (above) keep_above(rest, value);
        if (below) keep_below(rest, value);
        const unsigned other = first_bit(rest);
        if (other == W * 64) continue;
        image[u] = static_cast<std::uint16_t>(value);
        image[v] = static_cast<std::uint16_t>(other);
        return true;
      }
    }
    return false;
  }

  std::array<Level, kMaxVertices + 1> levels_;
  unsigned depth_ = 0;
};

// For graphs too large for bitsets. Visits embeddings that map twins in ascending order.
class ListSearch {
 public:
  bool find(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
            std::uint16_t* image, Pauses pauses);
  std::uint64_t count(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                      Pauses pauses);

 private:
  bool extend(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan, unsigned depth,
              Pauses& pauses);
  bool fits(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan, unsigned depth,
            std::uint16_t value) const;

  std::uint16_t* image_ = nullptr;
  std::uint64_t n_found_ = 0;
  bool all_ = false;
};

// Any graph, any size.
class Search {
 public:
  explicit Search(std::function<void()> pause) : pause_(std::move(pause)) {}

  bool find(const GraphStore& store, const StoredGraph& g, SearchPlan& plan, std::uint16_t* image) {
    switch (g.words) {
      case 1:
        if (plan.n <= kMaxSmallPattern) return find_small(store, g, plan, image, Pauses(pause_));
        return one_.find(store, g, plan, image, Pauses(pause_));
      case 2:
        return two_.find(store, g, plan, image, Pauses(pause_));
      case 4:
        return four_.find(store, g, plan, image, Pauses(pause_));
      case 8:
        return eight_.find(store, g, plan, image, Pauses(pause_));
      case 16:
        return sixteen_.find(store, g, plan, image, Pauses(pause_));
      default:
        return list_.find(store, g, plan, image, Pauses(pause_));
    }
  }
  std::uint64_t count(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan) {
    switch (g.words) {
      case 1:
        return one_.count(store, g, plan, Pauses(pause_));
      case 2:
        return two_.count(store, g, plan, Pauses(pause_));
      case 4:
        return four_.count(store, g, plan, Pauses(pause_));
      case 8:
        return eight_.count(store, g, plan, Pauses(pause_));
      case 16:
        return sixteen_.count(store, g, plan, Pauses(pause_));
      default:
        return list_.count(store, g, plan, Pauses(pause_));
    }
  }

 private:
  std::function<void()> pause_;
  BitsetSearch<1> one_;
  BitsetSearch<2> two_;
  BitsetSearch<4> four_;
  BitsetSearch<8> eight_;
  BitsetSearch<16> sixteen_;
  ListSearch list_;
};

}  // namespace graphassay::miner
