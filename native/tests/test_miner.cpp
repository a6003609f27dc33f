#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "../src/miner_match.hpp"
#include "../src/miner_store_builder.hpp"
#include "check.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/miner.hpp"

namespace {

using namespace graphassay;

// Owns the columns of a set of graphs built edge by edge.
struct Columns {
  std::vector<std::int64_t> vertex_offsets{0}, edge_offsets{0};
  std::vector<std::int32_t> vertex_labels, edge_u, edge_v, edge_labels;
  std::vector<std::int32_t> identity;

  Columns() {
    for (std::int32_t i = 0; i < 2000; ++i) identity.push_back(i);
  }
  struct Edge {
    std::int32_t u, v, label;
  };
  void add(const std::vector<std::int32_t>& labels, const std::vector<Edge>& edges) {
    vertex_labels.insert(vertex_labels.end(), labels.begin(), labels.end());
    for (const Edge& e : edges) {
      edge_u.push_back(e.u);
      edge_v.push_back(e.v);
      edge_labels.push_back(e.label);
    }
    vertex_offsets.push_back(static_cast<std::int64_t>(vertex_labels.size()));
    edge_offsets.push_back(static_cast<std::int64_t>(edge_u.size()));
  }
  [[nodiscard]] MinerSource source() const {
    return {{vertex_offsets, edge_offsets, vertex_labels, edge_u, edge_v, edge_labels},
            identity,
            identity};
  }
};

void add_complete(Columns& columns, std::int32_t n, std::int32_t vertex_label = 0) {
  std::vector<Columns::Edge> edges;
  for (std::int32_t u = 0; u < n; ++u) {
    for (std::int32_t v = u + 1; v < n; ++v) edges.push_back({u, v, 0});
  }
  columns.add(std::vector<std::int32_t>(static_cast<std::size_t>(n), vertex_label), edges);
}

MinerResult mine_one(const Columns& columns, std::int64_t min_count, MinerOptions options) {
  const MinerSource source = columns.source();
  const MinerDatabase database{0, {}, min_count};
  return mine({&source, 1}, {&database, 1}, options);
}

std::size_t n_patterns(const MinerResult& result) { return result.edge_offsets.size() - 1; }

// K_n holds every connected graph on at most n vertices: 1, 2, 6, 21, 112, 853 of them on 2..7.
void test_complete_graphs() {
  Columns columns;
  add_complete(columns, 7);
  MinerOptions options;
  options.max_vertices = 7;
  std::vector<std::size_t> expected{1, 3, 9, 30, 142, 995};
  for (std::size_t n = 2; n <= 7; ++n) {
    options.max_vertices = n;
    options.n_threads = 1 + n % 2;
    CHECK(n_patterns(mine_one(columns, 1, options)) == expected[n - 2]);
  }
}

// A list graph (above 1,024 vertices) gives what the same graph gives as bitsets; with nine kinds
// of neighbours, and with three.
void test_large_graph(std::int32_t n_edge_labels) {
  Columns small;
  Columns large;
  for (Columns* columns : {&small, &large}) {
    const std::int32_t n = columns == &small ? 40 : 1500;
    std::vector<Columns::Edge> edges;
    std::vector<std::int32_t> labels;
    for (std::int32_t v = 0; v < n; ++v) {  // a ladder of triangles, periodic labels
      labels.push_back(v % 3);
      if (v + 1 < n) edges.push_back({v, v + 1, v % n_edge_labels});
      if (v + 2 < n) edges.push_back({v, v + 2, n_edge_labels - 1 - v % n_edge_labels});
    }
    columns->add(labels, edges);
  }
  MinerOptions options;
  options.max_vertices = 5;
  options.embeddings = true;
  const MinerResult a = mine_one(small, 1, options);
  const MinerResult b = mine_one(large, 1, options);
  CHECK(a.edge_u == b.edge_u);
  CHECK(a.vertex_labels == b.vertex_labels);
  CHECK(a.edge_labels == b.edge_labels);
  CHECK(b.embeddings.size() == n_patterns(b));
  for (const std::int64_t count : b.embeddings) CHECK(count > 1);
}

void test_weights_and_threads() {
  Columns columns;
  columns.add({0, 1, 2}, {{0, 1, 0}, {1, 2, 1}});
  columns.add({0, 1}, {{0, 1, 0}});
  columns.add({}, {});
  columns.add({5}, {});
  const MinerSource source = columns.source();
  const std::vector<std::int64_t> weights{3, 70000, 1, 1};
  const std::vector<std::int64_t> nothing{0, 0, 1, 0};
  const std::vector<MinerDatabase> databases{{0, weights, 3}, {0, {}, 2}, {0, nothing, 1}};
  MinerOptions options;
  options.occurrences = true;
  const MinerResult result = mine({&source, 1}, databases, options);
  CHECK(n_patterns(result) == 3);
  const std::vector<std::int64_t> expected{70003, 2, 0, 3, 1, 0, 3, 1, 0};
  CHECK(result.counts == expected);
  const std::vector<std::int64_t> graphs{0, 1, 0, 0};
  CHECK(result.occurrence_graphs == graphs);
}

void test_limits() {
  Columns columns;
  add_complete(columns, 8);
  MinerOptions options;
  options.max_patterns = 100;
  CHECK_THROWS(mine_one(columns, 1, options), BudgetExceeded);
  options = {};
  options.time_limit_s = 0;
  CHECK_THROWS(mine_one(columns, 1, options), BudgetExceeded);
  options = {};
  options.memory_limit_bytes = 10000;
  CHECK_THROWS(mine_one(columns, 1, options), BudgetExceeded);
  options = {};
  options.progress_interval_s = 0;
  options.progress = [](const MinerProgress& p) {
    if (p.n_edges > 3) throw Interrupted("stop");
  };
  CHECK_THROWS(mine_one(columns, 1, options), Interrupted);
  options = {};
  options.max_vertices = 17;
  CHECK_THROWS(mine_one(columns, 1, options), InvalidInput);
  options = {};
  CHECK_THROWS(mine_one(columns, 0, options), InvalidInput);
}

// Sixteen vertices, all adjacent, are not among fifteen groups of four without edges inside: to
// see that takes about 4^15 steps.
void test_a_long_search_can_be_ended() {
  Columns columns;
  std::vector<Columns::Edge> edges;
  for (std::int32_t u = 0; u < 60; ++u) {
    for (std::int32_t v = u + 1; v < 60; ++v) {
      if (u / 4 != v / 4) edges.push_back({u, v, 0});
    }
  }
  columns.add(std::vector<std::int32_t>(60, 0), edges);
  const MinerSource source = columns.source();
  const MinerDatabase database{0, {}, 1};
  const auto active = miner::active_graphs({&source, 1}, {&database, 1});
  const std::vector<std::int64_t> min_counts{1};
  const miner::Counter counter(1, min_counts, [](std::size_t, std::size_t) { return 1; });
  const miner::Prepared prepared = miner::prepare({&source, 1}, active, counter);
  miner::PatternGraph pattern;
  for (unsigned v = 0; v < 16; ++v) {
    pattern.add_vertex(0);
    for (unsigned u = 0; u < v; ++u) pattern.add_edge(u, v, 0);
  }
  miner::SearchPlan plan;
  plan.make(pattern, prepared.store);
  int n_pauses = 0;
  miner::Search search([&n_pauses] {
    if (++n_pauses == 3) throw Interrupted("stop");
  });
  std::array<std::uint16_t, 16> image{};
  CHECK_THROWS(search.find(prepared.store, prepared.store.graphs[0], plan, image.data()),
               Interrupted);
  CHECK_THROWS((n_pauses = 0, search.count(prepared.store, prepared.store.graphs[0], plan)),
               Interrupted);
}

struct Prepared {
  explicit Prepared(const Columns& columns)
      : source(columns.source()),
        active(miner::active_graphs({&source, 1}, {&database, 1})),
        counter(active.size(), std::vector<std::int64_t>{1},
                [](std::size_t, std::size_t) { return 1; }),
        result(miner::prepare({&source, 1}, active, counter)) {}

  MinerSource source;
  MinerDatabase database{0, {}, 1};
  std::vector<miner::ActiveGraph> active;
  miner::Counter counter;
  miner::Prepared result;
};

// n vertices on a ring with random chords, so that every vertex is stored.
void add_random(Columns& columns, std::mt19937& random, std::int32_t n, std::int32_t n_chords,
                std::int32_t n_vertex_labels, std::int32_t n_edge_labels) {
  const auto below = [&random](std::int32_t bound) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(bound));
  };
  std::vector<std::int32_t> labels;
  for (std::int32_t v = 0; v < n; ++v) labels.push_back(below(n_vertex_labels));
  std::vector<char> chords(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0);
  const auto chord = [&](std::int32_t u, std::int32_t v) -> char& {
    return chords[static_cast<std::size_t>(std::min(u, v) * n + std::max(u, v))];
  };
  for (std::int32_t v = 0; v < n; ++v) chord(v, (v + 1) % n) = 1;
  for (std::int32_t i = 0; i < n_chords; ++i) {
    const std::int32_t u = below(n);
    const std::int32_t v = below(n);
    if (u != v) chord(u, v) = 1;
  }
  std::vector<Columns::Edge> edges;
  for (std::int32_t u = 0; u < n; ++u) {
    for (std::int32_t v = u + 1; v < n; ++v) {
      if (chord(u, v) != 0) edges.push_back({u, v, below(n_edge_labels)});
    }
  }
  columns.add(labels, edges);
}

miner::PatternGraph random_pattern(std::mt19937& random, unsigned n, unsigned n_chords,
                                   std::uint32_t n_vertex_labels, std::uint32_t n_edge_labels) {
  miner::PatternGraph pattern;
  for (unsigned v = 0; v < n; ++v) {
    pattern.add_vertex(static_cast<std::uint32_t>(random()) % n_vertex_labels);
    if (v > 0)
      pattern.add_edge(random() % v, v, static_cast<std::uint32_t>(random()) % n_edge_labels);
  }
  for (unsigned i = 0; i < n_chords; ++i) {
    const unsigned u = random() % n;
    const unsigned v = random() % n;
    if (u == v || ((pattern.adjacent[u] >> v) & 1U) != 0) continue;
    pattern.add_edge(u, v, static_cast<std::uint32_t>(random()) % n_edge_labels);
  }
  return pattern;
}

bool is_embedding(const Columns& columns, std::size_t g, const miner::PatternGraph& pattern,
                  const std::vector<std::int32_t>& names, const std::uint16_t* image) {
  const auto first = static_cast<std::size_t>(columns.vertex_offsets[g]);
  std::vector<std::int32_t> stored;  // the store numbers vertices as edges first name them
  const auto place = [&stored](std::int32_t v) {
    if (std::find(stored.begin(), stored.end(), v) == stored.end()) stored.push_back(v);
  };
  const auto edges_begin = static_cast<std::size_t>(columns.edge_offsets[g]);
  const auto edges_end = static_cast<std::size_t>(columns.edge_offsets[g + 1]);
  for (std::size_t e = edges_begin; e < edges_end; ++e) {
    place(columns.edge_u[e]);
    place(columns.edge_v[e]);
  }
  for (unsigned v = 0; v < pattern.n; ++v) {
    const std::int32_t mine = stored.at(image[v]);
    const auto label = columns.vertex_labels[first + static_cast<std::size_t>(mine)];
    if (label != names.at(pattern.labels[v])) return false;
    for (unsigned u = 0; u < v; ++u) {
      if (image[u] == image[v]) return false;
      if (((pattern.adjacent[u] >> v) & 1U) == 0) continue;
      const std::int32_t other = stored.at(image[u]);
      bool found = false;
      for (std::size_t e = edges_begin; e < edges_end; ++e) {
        found = found ||
                (columns.edge_u[e] == std::min(mine, other) &&
                 columns.edge_v[e] == std::max(mine, other) &&
                 columns.edge_labels[e] == static_cast<std::int32_t>(pattern.edge_label[u][v]));
      }
      if (!found) return false;
    }
  }
  return true;
}

// Graphs of at most 64 vertices have a search of their own for patterns of at most 8; counting
// embeddings shares no step with it. Also with more kinds of neighbours than a mask has bits.
void test_searches_agree() {
  std::mt19937 random(5);
  unsigned n_found = 0;
  unsigned n_missing = 0;
  for (const std::int32_t n_labels : {1, 2, 3, 9}) {
    const std::int32_t n_edge_labels = n_labels == 9 ? 8 : (n_labels + 1) / 2;
    Columns columns;
    for (const std::int32_t n : {3, 5, 8, 12, 20, 31, 62, 63, 64, 65, 66, 127, 128, 129, 200}) {
      for (int i = 0; i < 3; ++i)
        add_random(columns, random, n, n * i / 2, n_labels, n_edge_labels);
    }
    const Prepared prepared(columns);
    const miner::GraphStore& store = prepared.result.store;
    const auto& names = prepared.result.vertex_labels;
    CHECK((store.types.size() > 64) == (n_labels == 9));
    miner::Search search(nullptr);
    for (int i = 0; i < 120; ++i) {
      const unsigned n = 2 + random() % 8;  // up to 9
      const miner::PatternGraph pattern =
          random_pattern(random, n, random() % n, static_cast<std::uint32_t>(names.size()),
                         static_cast<std::uint32_t>(prepared.result.edge_labels.size()));
      miner::SearchPlan plan;
      plan.make(pattern, store);
      for (std::size_t g = 0; g < store.size(); ++g) {
        std::array<std::uint16_t, 16> image{};
        const bool found = search.find(store, store.graphs[g], plan, image.data());
        CHECK(found == (search.count(store, store.graphs[g], plan) > 0));
        if (found) CHECK(is_embedding(columns, g, pattern, names, image.data()));
        ++(found ? n_found : n_missing);
      }
    }
  }
  CHECK(n_found > 3000);
  CHECK(n_missing > 3000);
}

}  // namespace

int main() {
  test_complete_graphs();
  test_large_graph(3);
  test_large_graph(1);
  test_weights_and_threads();
  test_limits();
  test_a_long_search_can_be_ended();
  test_searches_agree();
  return 0;
}
