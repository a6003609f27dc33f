#include "miner_match.hpp"

#include <algorithm>

namespace graphassay::miner {

void SearchPlan::make(const PatternGraph& pattern, const GraphStore& store) {
  n = pattern.n;
  labels = pattern.labels;
  adjacent = pattern.adjacent;
  lower_twins = miner::lower_twins(pattern);
  upper_twins.fill(0);
  unsigned n_features = 0;
  for (unsigned v = 0; v < n; ++v) {
    for_each_bit(lower_twins[v], [&](unsigned u) {
      upper_twins[u] = static_cast<std::uint16_t>(upper_twins[u] | (1U << v));
    });
    first_feature[v] = static_cast<std::uint16_t>(n_features);
    features[n_features++] = store.label_feature(labels[v]);
    std::array<std::uint32_t, kMaxVertices> needed;
    unsigned n_needed = 0;
    for_each_bit(adjacent[v], [&](unsigned w) {
      type[v][w] = store.types.find(pattern.edge_label[v][w], labels[w]);
      needed[n_needed++] = type[v][w];
    });
    std::sort(needed.begin(), needed.begin() + n_needed);
    for (unsigned i = 0, run = 1; i < n_needed; ++i, ++run) {
      if (i + 1 < n_needed && needed[i + 1] == needed[i]) continue;
      features[n_features++] = store.count_feature(needed[i], run);
      run = 0;
    }
  }
  first_feature[n] = static_cast<std::uint16_t>(n_features);
  ordered_ = 0;
  // A connected order from the vertex of highest degree, most constrained next.
  unsigned placed = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned best = kMaxVertices;
    int best_score = -1;
    for (unsigned v = 0; v < n; ++v) {
      if (((placed >> v) & 1U) != 0) continue;
      const int backward = std::popcount(static_cast<unsigned>(adjacent[v] & placed));
      if (i > 0 && backward == 0) continue;
      const int score = backward * 32 + std::popcount(static_cast<unsigned>(adjacent[v]));
      if (score > best_score) {
        best_score = score;
        best = v;
      }
    }
    order[i] = static_cast<std::uint8_t>(best);
    placed |= 1U << best;
  }
}

// Next comes the vertex with most edges to the vertices before it, then with most edges.
void SearchPlan::make_order(unsigned root) {
  SmallOrder& made = orders_[root];
  unsigned placed = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned best = root;
    int best_score = -1;
    for (unsigned v = 0; v < n && i > 0; ++v) {
      if (((placed >> v) & 1U) != 0) continue;
      const int backward = std::popcount(static_cast<unsigned>(adjacent[v] & placed));
      if (backward == 0) continue;
      const int score = backward * 32 + std::popcount(static_cast<unsigned>(adjacent[v]));
      if (score > best_score) {
        best_score = score;
        best = v;
      }
    }
    SmallOrder::Step& step = made.steps[i];
    step.vertex = static_cast<std::uint8_t>(best);
    step.twin = kMaxSmallPattern;
    step.n_back = 0;
    const unsigned twins = lower_twins[best] | upper_twins[best];
    for (unsigned p = 0; p < i; ++p) {
      const unsigned v = made.steps[p].vertex;
      if (((twins >> v) & 1U) != 0) step.twin = static_cast<std::uint8_t>(p);
      if (((adjacent[best] >> v) & 1U) != 0) step.back[step.n_back++] = {type[v][best], p};
    }
    placed |= 1U << best;
  }
  ordered_ |= 1U << root;
}

bool ListSearch::find(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                      std::uint16_t* image, Pauses pauses) {
  image_ = image;
  all_ = false;
  return extend(store, g, plan, 0, pauses);
}

std::uint64_t ListSearch::count(const GraphStore& store, const StoredGraph& g,
                                const SearchPlan& plan, Pauses pauses) {
  std::array<std::uint16_t, kMaxVertices> image{};
  image_ = image.data();
  n_found_ = 0;
  all_ = true;
  extend(store, g, plan, 0, pauses);
  return n_found_;
}

// True ends the search. Recursion is at most 16 deep.
bool ListSearch::extend(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                        unsigned depth, Pauses& pauses) {
  if (depth == plan.n) {
    ++n_found_;
    return !all_;
  }
  const unsigned v = plan.order[depth];
  const auto attempt = [&](std::uint16_t value) {
    pauses.step();
    if (!fits(store, g, plan, depth, value)) return false;
    image_[v] = value;
    return extend(store, g, plan, depth + 1, pauses);
  };
  if (depth == 0) {
    for (std::uint32_t value = 0; value < g.n; ++value) {
      if (attempt(static_cast<std::uint16_t>(value))) return true;
    }
    return false;
  }
  std::span<const std::uint16_t> shortest;
  bool found = false;
  for (unsigned i = 0; i < depth; ++i) {
    const unsigned u = plan.order[i];
    if (((plan.adjacent[v] >> u) & 1U) == 0) continue;
    const auto list = store.list(g, image_[u], plan.type[u][v]);
    if (!found || list.size() < shortest.size()) shortest = list;
    found = true;
  }
  return std::any_of(shortest.begin(), shortest.end(), attempt);
}

bool ListSearch::fits(const GraphStore& store, const StoredGraph& g, const SearchPlan& plan,
                      unsigned depth, std::uint16_t value) const {
  const unsigned v = plan.order[depth];
  if (store.label(g, value) != plan.labels[v]) return false;
  for (unsigned i = 0; i < depth; ++i) {
    const unsigned u = plan.order[i];
    if (image_[u] == value) return false;
    if (((plan.lower_twins[v] >> u) & 1U) != 0 && image_[u] > value) return false;
    if (((plan.upper_twins[v] >> u) & 1U) != 0 && image_[u] < value) return false;
    if (((plan.adjacent[v] >> u) & 1U) == 0) continue;
    const auto list = store.list(g, value, plan.type[v][u]);
    if (!std::binary_search(list.begin(), list.end(), image_[u])) return false;
  }
  return true;
}

}  // namespace graphassay::miner
