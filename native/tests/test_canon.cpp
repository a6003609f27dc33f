// Class ids and codes on small, symmetric and hard graphs, under random relabelling.
#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graphassay/canon.hpp"
#include "graphassay/errors.hpp"

namespace {

using graphassay::BudgetExceeded;
using graphassay::class_ids;
using graphassay::ClassIds;
using graphassay::GraphSetView;
using graphassay::RunOptions;

struct Edge {
  int u, v, label;
};
struct Graph {
  std::vector<int> labels;
  std::vector<Edge> edges;
};

Graph relabelled(const Graph& graph, std::mt19937& random) {
  std::vector<int> place(graph.labels.size());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  Graph result = graph;
  for (std::size_t v = 0; v < place.size(); ++v) result.labels[place[v]] = graph.labels[v];
  for (Edge& edge : result.edges) edge = {place[edge.u], place[edge.v], edge.label};
  std::shuffle(result.edges.begin(), result.edges.end(), random);
  return result;
}

// Owns the columns of a set.
class Set {
 public:
  explicit Set(const std::vector<Graph>& graphs) {
    for (const Graph& graph : graphs) {
      for (const int label : graph.labels) vertex_labels_.push_back(label);
      std::vector<Edge> edges = graph.edges;
      for (Edge& edge : edges) {
        if (edge.u > edge.v) std::swap(edge.u, edge.v);
      }
      std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return std::pair(a.u, a.v) < std::pair(b.u, b.v);
      });
      for (const Edge& edge : edges) {
        u_.push_back(edge.u);
        v_.push_back(edge.v);
        edge_labels_.push_back(edge.label);
      }
      vertex_offsets_.push_back(static_cast<std::int64_t>(vertex_labels_.size()));
      edge_offsets_.push_back(static_cast<std::int64_t>(u_.size()));
    }
    validate(view());
  }
  [[nodiscard]] GraphSetView view() const {
    return {vertex_offsets_, edge_offsets_, vertex_labels_, u_, v_, edge_labels_};
  }

 private:
  std::vector<std::int64_t> vertex_offsets_{0};
  std::vector<std::int64_t> edge_offsets_{0};
  std::vector<std::int32_t> vertex_labels_, u_, v_, edge_labels_;
};

std::vector<std::uint64_t> keys() {
  std::vector<std::uint64_t> result(16);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = (i + 1) * 0x9e3779b97f4a7c15u;
  return result;
}

std::vector<std::int32_t> ranks() {
  std::vector<std::int32_t> result(16);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> ids_of(const std::vector<Graph>& graphs,
                                                            std::size_t n_threads = 1) {
  const Set set(graphs);
  const ClassIds found = class_ids(set.view(), keys(), keys(), {0, n_threads, {}});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ids;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    ids.emplace_back(found.ids[2 * g], found.ids[2 * g + 1]);
  }
  return ids;
}

std::vector<std::string> codes_of(const std::vector<Graph>& graphs) {
  const Set set(graphs);
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f", "g", "h",
                                       "i", "j", "k", "l", "m", "n", "o", "p"};
  return dfs_code_texts(set.view(), ranks(), ranks(), names, names, {0, 1, {}});
}

Graph circulant(int n, const std::vector<int>& jumps) {
  Graph graph{std::vector<int>(n, 0), {}};
  std::set<std::pair<int, int>> seen;
  for (int v = 0; v < n; ++v) {
    for (const int jump : jumps) {
      const int w = (v + jump) % n;
      if (seen.emplace(std::min(v, w), std::max(v, w)).second) graph.edges.push_back({v, w, 0});
    }
  }
  return graph;
}

// The Cayley graph of Z4 x Z4 with the given connection set (and its negatives).
Graph cayley44(const std::vector<std::pair<int, int>>& steps) {
  Graph graph{std::vector<int>(16, 0), {}};
  std::set<std::pair<int, int>> seen;
  for (int v = 0; v < 16; ++v) {
    for (const auto& [dx, dy] : steps) {
      const int w = ((v / 4 + dx) % 4) * 4 + (v % 4 + dy) % 4;
      if (seen.emplace(std::min(v, w), std::max(v, w)).second) graph.edges.push_back({v, w, 0});
    }
  }
  return graph;
}

Graph disjoint(const std::vector<Graph>& graphs) {
  Graph result;
  for (const Graph& graph : graphs) {
    const auto shift = static_cast<int>(result.labels.size());
    result.labels.insert(result.labels.end(), graph.labels.begin(), graph.labels.end());
    for (const Edge& edge : graph.edges) {
      result.edges.push_back({edge.u + shift, edge.v + shift, edge.label});
    }
  }
  return result;
}

Graph hypercube(int dimension) {
  Graph graph{std::vector<int>(1 << dimension, 0), {}};
  for (int v = 0; v < 1 << dimension; ++v) {
    for (int bit = 0; bit < dimension; ++bit) {
      if ((v >> bit & 1) == 0) graph.edges.push_back({v, v | 1 << bit, 0});
    }
  }
  return graph;
}

Graph complete(int n) {
  Graph graph{std::vector<int>(n, 0), {}};
  for (int u = 0; u < n; ++u) {
    for (int v = u + 1; v < n; ++v) graph.edges.push_back({u, v, 0});
  }
  return graph;
}

Graph bipartite(int n_left, int n_right) {
  Graph graph{std::vector<int>(n_left + n_right, 0), {}};
  for (int u = 0; u < n_left; ++u) {
    for (int v = 0; v < n_right; ++v) graph.edges.push_back({u, n_left + v, 0});
  }
  return graph;
}

// K_n whose edges inside the first n_marked vertices have a label of their own.
Graph marked_complete(int n, int n_marked) {
  Graph graph = complete(n);
  for (Edge& edge : graph.edges) edge.label = edge.v < n_marked ? 1 : 0;
  return graph;
}

Graph star(int n_leaves) {
  Graph graph{std::vector<int>(n_leaves + 1, 0), {}};
  for (int v = 1; v <= n_leaves; ++v) graph.edges.push_back({0, v, 0});
  return graph;
}

Graph random_graph(std::mt19937& random) {
  std::uniform_int_distribution<int> sizes(0, 9);
  Graph graph{std::vector<int>(sizes(random), 0), {}};
  std::uniform_int_distribution<int> labels(0, static_cast<int>(random() % 3));
  std::uniform_int_distribution<int> edge_labels(0, random() % 2 == 0 ? 1 : 7);
  for (int& label : graph.labels) label = labels(random);
  const auto n = static_cast<int>(graph.labels.size());
  for (int u = 0; u < n; ++u) {
    for (int v = u + 1; v < n; ++v) {
      if (random() % 3 == 0) graph.edges.push_back({u, v, edge_labels(random)});
    }
  }
  return graph;
}

// All graphs differ from each other, and none from itself relabelled.
void check_distinct(const std::vector<Graph>& graphs, bool with_codes) {
  std::mt19937 random(7);
  const auto ids = ids_of(graphs);
  CHECK(std::set(ids.begin(), ids.end()).size() == graphs.size());
  std::vector<Graph> others;
  for (const Graph& graph : graphs) others.push_back(relabelled(graph, random));
  CHECK(ids_of(others) == ids);
  if (!with_codes) return;
  const auto codes = codes_of(graphs);
  CHECK(std::set(codes.begin(), codes.end()).size() == graphs.size());
  CHECK(codes_of(others) == codes);
}

void test_symmetric_and_hard() {
  const Graph benzene = circulant(6, {1});
  check_distinct({Graph{}, complete(1), complete(2), complete(3), complete(9), star(20), star(3),
                  benzene, disjoint({circulant(3, {1}), circulant(3, {1})}), hypercube(3),
                  hypercube(4), disjoint({benzene, benzene, complete(1), star(3)}),
                  circulant(12, {1, 5}), circulant(12, {1, 4}),
                  cayley44({{1, 0}, {2, 0}, {0, 1}, {0, 2}}), cayley44({{1, 0}, {0, 1}, {1, 1}})},
                 true);
  check_distinct(
      {complete(60), bipartite(20, 20), bipartite(3, 5), bipartite(4, 4), bipartite(1, 1),
       marked_complete(12, 2), marked_complete(12, 3), marked_complete(12, 6),
       marked_complete(12, 11), marked_complete(12, 12), disjoint({complete(5), bipartite(3, 3)})},
      true);
  check_distinct({hypercube(6), complete(20), star(200), circulant(100, {1, 10}),
                  disjoint(std::vector<Graph>(200, benzene)),
                  disjoint({complete(20), complete(20)}), circulant(100, {1, 9})},
                 false);
}

void test_random() {
  std::mt19937 random(1);
  std::vector<Graph> graphs;
  std::vector<Graph> others;
  for (int i = 0; i < 3000; ++i) {
    graphs.push_back(random_graph(random));
    others.push_back(relabelled(graphs.back(), random));
  }
  const auto ids = ids_of(graphs);
  CHECK(ids == ids_of(others));
  CHECK(ids == ids_of(graphs, 3));
  const auto codes = codes_of(graphs);
  CHECK(codes == codes_of(others));
  // Two independent invariants, both claimed complete, must agree on which graphs are equal.
  std::set<std::pair<std::pair<std::uint64_t, std::uint64_t>, std::string>> pairs;
  for (std::size_t i = 0; i < ids.size(); ++i) pairs.emplace(ids[i], codes[i]);
  CHECK(pairs.size() == std::set(ids.begin(), ids.end()).size());
  CHECK(pairs.size() == std::set(codes.begin(), codes.end()).size());
}

void test_budget() {
  const Set set({complete(3), hypercube(5)});
  CHECK_THROWS(class_ids(set.view(), keys(), keys(), (RunOptions{1000, 1, {}})), BudgetExceeded);
  CHECK_THROWS(min_dfs_codes(set.view(), ranks(), ranks(), (RunOptions{1000, 1, {}})),
               BudgetExceeded);
  CHECK_THROWS(class_ids(set.view(), keys(), {}, {}), graphassay::InvalidInput);
  const std::vector<std::int32_t> no_permutation(16, 0);
  CHECK_THROWS(min_dfs_code(set.view(), 0, no_permutation, ranks(), 0), graphassay::InvalidInput);
  CHECK_THROWS(min_dfs_code(set.view(), 2, ranks(), ranks(), 0), graphassay::InvalidInput);
}

void test_code_of_triangle() {
  const Set set({Graph{{1, 0, 0}, {{0, 1, 2}, {1, 2, 1}, {0, 2, 2}}}});
  const graphassay::DfsCode code = min_dfs_code(set.view(), 0, ranks(), ranks(), 0);
  CHECK(code.edges.size() == 3);
  CHECK((code.edges[0] == graphassay::DfsEdge{0, 1, 0, 0, 1}));
  CHECK((code.edges[1] == graphassay::DfsEdge{1, 2, 0, 1, 2}));
  CHECK((code.edges[2] == graphassay::DfsEdge{2, 0, 1, 0, 2}));
  CHECK(code.order[2] == 0);
}

}  // namespace

void test_poll_can_stop() {
  const std::vector<Graph> graphs(2000, hypercube(6));
  const Set set(graphs);
  const auto stop = [] { throw graphassay::Interrupted("stop"); };
  CHECK_THROWS(class_ids(set.view(), keys(), keys(), (RunOptions{0, 2, stop})),
               graphassay::Interrupted);
}

int main() {
  test_poll_can_stop();
  test_code_of_triangle();
  test_random();
  test_symmetric_and_hard();
  test_budget();
  return 0;
}
