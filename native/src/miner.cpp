// Level-wise mining: from the frequent patterns with k edges to those with k + 1.
//
//   vertices (0 edges)  ->  single edges  ->  ...  ->  k  ->  k + 1
//
// A pattern keeps the set of graphs that contain it and one witness embedding in each, nothing
// else about the data; only two levels hold them at a time. Invariants at the top of the loop:
//   - `here` holds every frequent connected pattern with k edges once, in an order that depends
//     on the data only; its links name all its parents in `below`;
//   - `below`'s extension tables lead to `here`.
// miner_extend.hpp says how candidates are made once, miner_evaluate.hpp how they are counted.
#include "graphassay/miner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include "graphassay/errors.hpp"
#include "miner_count.hpp"
#include "miner_evaluate.hpp"
#include "miner_extend.hpp"
#include "miner_guard.hpp"
#include "miner_level.hpp"
#include "miner_match.hpp"
#include "miner_pattern.hpp"
#include "miner_results.hpp"
#include "miner_store_builder.hpp"

namespace graphassay {
namespace miner {
namespace {

void check(std::span<const MinerSource> sources, std::span<const MinerDatabase> databases,
           const MinerOptions& options) {
  if (databases.empty()) throw InvalidInput("expected at least one database");
  if (options.max_vertices < 2 || options.max_vertices > kMaxVertices) {
    throw InvalidInput("max_vertices: expected 2 to " + std::to_string(kMaxVertices) + ", got " +
                       std::to_string(options.max_vertices));
  }
  for (const MinerDatabase& database : databases) {
    if (database.source >= sources.size()) throw InvalidInput("database of an unknown source");
    if (database.min_count < 1) throw InvalidInput("min_count: expected at least 1");
    const std::size_t n_graphs = sources[database.source].graphs.size();
    if (database.weights.empty()) continue;
    if (database.weights.size() != n_graphs) {
      throw InvalidInput("weights: expected " + std::to_string(n_graphs) + " values, got " +
                         std::to_string(database.weights.size()));
    }
    std::uint64_t total = 0;
    for (const std::int64_t weight : database.weights) {
      if (weight < 0 || weight > 0xFFFFFFFF) {
        throw InvalidInput("weights: expected 0 to 2^32 - 1, got " + std::to_string(weight));
      }
      total += static_cast<std::uint64_t>(weight);
    }
    if (total > 0xFFFFFFFF) throw InvalidInput("weights: expected a sum below 2^32");
  }
}

Counter make_counter(std::span<const MinerSource> sources, std::span<const ActiveGraph> active,
                     std::span<const MinerDatabase> databases) {
  std::vector<std::int64_t> min_counts;
  for (const MinerDatabase& database : databases) min_counts.push_back(database.min_count);
  (void)sources;
  return Counter(active.size(), min_counts, [&](std::size_t d, std::size_t g) -> std::int64_t {
    const MinerDatabase& database = databases[d];
    if (database.source != active[g].source) return 0;
    return database.weights.empty() ? 1 : database.weights[active[g].graph];
  });
}

// A run with a fixed width of vertex numbers.
template <typename Vertex>
class Run {
 public:
  Run(const Prepared& prepared, const Counter& counter, const MinerOptions& options, Guard& guard,
      std::size_t n_active)
      : store_(prepared.store),
        counter_(counter),
        options_(options),
        guard_(guard),
        format_{prepared.vertex_labels.size() <= 0x100     ? 1U
                : prepared.vertex_labels.size() <= 0x10000 ? 2U
                                                           : 4U,
                prepared.edge_labels.size() <= 0xFF      ? 1U
                : prepared.edge_labels.size() <= 0x10000 ? 2U
                                                         : 4U},
        ascending_(n_active / 64 + 1) {
    std::iota(ascending_.begin(), ascending_.end(), 0U);
    std::size_t n_threads = options.n_threads;
    if (n_threads == 0) n_threads = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < n_threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(*this, [this, i] {
        guard_.pause();
        if (i == 0) guard_.report(progress_);
      }));
    }
  }

  void mine(const Prepared& prepared, Results& results) {
    Level vertices = vertex_level(prepared);
    Level below;
    Level here = edge_level(prepared, results);
    vertices.connect(here, store_.types);
    const Level* under = &vertices;
    for (std::size_t n_edges = 1; !here.patterns.empty() && n_edges < options_.max_edges;
         ++n_edges) {
      here.index_codes();
      Level above = next_level(n_edges, vertices, *under, here, results);
      here.witness_arenas.clear();
      here.connect(above, store_.types);
      below = std::move(here);
      below.patterns = {};  // its tables are all that is still needed
      below.arenas.clear();
      under = &below;
      here = std::move(above);
    }
  }

  [[nodiscard]] CodeFormat format() const { return format_; }

 private:
  struct Found {
    std::uint32_t parent;
    Pattern pattern;
  };
  struct Worker {
    Worker(Run& run, const std::function<void()>& pause)
        : extender(run.store_.types, run.format_, static_cast<unsigned>(run.options_.max_vertices)),
          evaluator(run.store_, run.counter_, pause, run.ascending_.data()),
          canonizer(run.format_),
          search(pause),
          counts(run.counter_.n_databases()) {}
    Extender extender;
    Evaluator<Vertex> evaluator;
    Canonizer canonizer;
    Canonical canonical;
    Candidate candidate;
    SearchPlan plan;
    Search search;
    std::vector<std::uint32_t> counts;
    std::deque<Found> found;  // no copies and no slack while it grows
    std::vector<Perm> generators;
    std::vector<PatternEdge> edges;
    std::unique_ptr<Arena> arena;
    std::unique_ptr<Arena> witness_arena;
  };

  // One pattern per label, in label order; no graphs, they are parents in name only.
  Level vertex_level(const Prepared& prepared) {
    Level level;
    level.arenas.emplace_back(guard_.n_bytes);
    for (std::uint32_t label = 0; label < prepared.vertex_labels.size(); ++label) {
      Pattern pattern;
      pattern.n_vertices = 1;
      pattern.labels = level.arenas[0].keep(std::span<const std::uint32_t>(&label, 1)).data();
      level.patterns.push_back(pattern);
    }
    return level;
  }

  Level edge_level(const Prepared& prepared, Results& results) {
    Level level;
    level.arenas.emplace_back(guard_.n_bytes);
    level.witness_arenas.emplace_back(guard_.n_bytes);
    Worker& worker = *workers_[0];
    results.begin_level(prepared.edges.size());
    for (const EdgePattern& edge : prepared.edges) {
      Pattern pattern;
      Candidate& candidate = worker.candidate;
      candidate.graph = PatternGraph{};
      candidate.graph.add_vertex(edge.label_u);
      candidate.graph.add_vertex(edge.label_v);
      candidate.graph.add_edge(0, 1, edge.edge_label);
      candidate.links = {{edge.label_u, 0, 1, 1, 0}, {edge.label_v, 0, 1, 0, 0}};
      worker.edges = {{0, 1, edge.edge_label}};
      store_places(edge, level.witness_arenas[0], pattern);
      counter_.count(pattern.graphs, worker.counts.data(), scratch_);
      keep(worker, level.arenas[0], pattern);
      level.patterns.push_back(pattern);
      results.add(pattern, embeddings_of(worker, pattern));
    }
    results.end_level();
    return level;
  }

  void store_places(const EdgePattern& edge, Arena& arena, Pattern& pattern) {
    std::vector<std::uint32_t> places;
    std::vector<std::uint64_t> words;
    for (const std::uint32_t g : edge.graphs) {
      if (places.empty() || places.back() != g / 64) {
        places.push_back(g / 64);
        words.push_back(0);
      }
      words.back() |= std::uint64_t{1} << (g % 64);
    }
    pattern.graphs = {arena.keep(std::span<const std::uint32_t>(places)).data(),
                      arena.keep(std::span<const std::uint64_t>(words)).data(),
                      static_cast<std::uint32_t>(words.size())};
    pattern.n_graphs = static_cast<std::uint32_t>(edge.graphs.size());
    // Copied in steps of 8 or 16: the last one may read past the end.
    auto* witness = arena.take<Vertex>(edge.graphs.size() * 2 + kMaxVertices);
    pattern.witnesses = witness;
    for (const auto& [u, v] : edge.places) {
      *witness++ = static_cast<Vertex>(u);
      *witness++ = static_cast<Vertex>(v);
    }
  }

  // Fills what a frequent candidate keeps besides its graphs.
  void keep(Worker& worker, Arena& arena, Pattern& pattern) {
    const PatternGraph& graph = worker.candidate.graph;
    worker.canonizer.run(graph, worker.canonical);
    const Canonical& canonical = worker.canonical;
    worker.generators = canonical.automorphisms;
    for (unsigned v = 0; v < graph.n; ++v) {
      if (canonical.lower_twins[v] == 0) continue;
      const auto twin = static_cast<unsigned>(std::bit_width(canonical.lower_twins[v])) - 1;
      worker.generators.push_back(with(with(kIdentity, v, twin), twin, v));
    }
    pattern.n_vertices = graph.n;
    pattern.n_edges = static_cast<std::uint32_t>(worker.edges.size());
    pattern.labels = arena.keep(std::span(graph.labels.data(), graph.n)).data();
    pattern.edges = arena.keep(std::span<const PatternEdge>(worker.edges)).data();
    pattern.links = arena.keep(std::span<const Link>(worker.candidate.links));
    pattern.generators = arena.keep(std::span<const Perm>(worker.generators));
    pattern.code = arena.keep(std::span<const std::uint8_t>(canonical.code));
    pattern.code_hash = hash_code(canonical.code);
    pattern.order = canonical.order;
    pattern.counts = arena.keep(std::span<const std::uint32_t>(worker.counts));
    ++guard_.n_patterns;
  }

  Level next_level(std::size_t n_edges, const Level& vertices, const Level& below,
                   const Level& here, Results& results);
  void work(std::size_t number, std::size_t n_edges, const Level& here,
            std::atomic<std::size_t>& next);
  void extend(Worker& worker, const Level& here, std::uint32_t parent);
  std::vector<std::int64_t> embeddings_of(Worker& worker, const Pattern& pattern);

  const GraphStore& store_;
  const Counter& counter_;
  const MinerOptions& options_;
  Guard& guard_;
  MinerProgress progress_;  // as last reported, for pauses
  CodeFormat format_;
  std::vector<std::uint32_t> ascending_;
  Counter::Scratch scratch_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

template <typename Vertex>
Level Run<Vertex>::next_level(std::size_t n_edges, const Level& vertices, const Level& below,
                              const Level& here, Results& results) {
  std::atomic<std::size_t> next{0};
  // Threads pay from about a millisecond of work on.
  std::size_t n_witnesses = 0;
  for (const Pattern& pattern : here.patterns) n_witnesses += pattern.n_graphs;
  const std::size_t n_workers =
      std::min({workers_.size(), here.patterns.size(), n_witnesses / 10000 + 1});
  for (std::size_t i = 0; i < n_workers; ++i) {
    workers_[i]->found.clear();
    workers_[i]->arena = std::make_unique<Arena>(guard_.n_bytes);
    workers_[i]->witness_arena = std::make_unique<Arena>(guard_.n_bytes);
    workers_[i]->extender.begin(vertices, below, here);
  }
  {
    std::mutex mutex;
    std::condition_variable finished;
    std::size_t n_running = n_workers - 1;
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < n_workers; ++i) {
      threads.emplace_back([&, i] {
        work(i, n_edges, here, next);
        const std::scoped_lock lock(mutex);
        --n_running;
        finished.notify_one();
      });
    }
    work(0, n_edges, here, next);
    // Reports, and hears Ctrl-C, while others are still in long searches.
    std::unique_lock lock(mutex);
    while (
        !finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return n_running == 0; })) {
      try {
        if (!guard_.failed()) guard_.report(progress_);
      } catch (...) {
        guard_.fail(std::current_exception());
      }
    }
  }
  guard_.rethrow();
  // A parent's children are found by one worker in one go: ordering by parent is enough.
  struct Place {
    std::uint32_t parent;
    const Found* found;
  };
  std::vector<Place> places;
  Level above;
  for (std::size_t i = 0; i < n_workers; ++i) {
    for (const Found& found : workers_[i]->found) places.push_back({found.parent, &found});
    above.arenas.push_back(std::move(*workers_[i]->arena));
    above.witness_arenas.push_back(std::move(*workers_[i]->witness_arena));
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.parent < b.parent; });
  above.patterns.reserve(places.size());
  for (const Place& place : places) above.patterns.push_back(place.found->pattern);
  for (std::size_t i = 0; i < n_workers; ++i) workers_[i]->found = {};
  results.begin_level(above.patterns.size());
  for (const Pattern& pattern : above.patterns) {
    results.add(pattern, embeddings_of(*workers_[0], pattern));
  }
  results.end_level();
  return above;
}

template <typename Vertex>
void Run<Vertex>::work(std::size_t number, std::size_t n_edges, const Level& here,
                       std::atomic<std::size_t>& next) {
  const std::size_t n = here.patterns.size();
  // A candidate belongs to its highest parent, so that the highest patterns are the most work. In
  // a small level they come first, lest one thread be left with them; in a large one the order
  // that keeps neighbours in the cache is worth more.
  constexpr std::size_t kSmall = 2048;
  try {
    while (!guard_.failed()) {
      const std::size_t i = next.fetch_add(1);
      if (i >= n) return;
      extend(*workers_[number], here, static_cast<std::uint32_t>(n < kSmall ? n - 1 - i : i));
      guard_.check_limits();
      if (guard_.failed()) return;
      if (number != 0) continue;
      progress_ = {n_edges, i, n, 0, 0, 0};
      guard_.report(progress_);
    }
  } catch (...) {
    guard_.fail(std::current_exception());
  }
}

template <typename Vertex>
void Run<Vertex>::extend(Worker& worker, const Level& here, std::uint32_t parent) {
  const Pattern& pattern = here.patterns[parent];
  for (const ExtensionKey key : worker.extender.open(parent)) {
    if (!worker.extender.propose(key, worker.candidate)) continue;
    Pattern child;
    if (!worker.evaluator.run(here, worker.candidate, *worker.witness_arena, child,
                              worker.counts.data())) {
      continue;
    }
    const Link& own = worker.candidate.links.front();
    worker.edges.assign(pattern.edges, pattern.edges + pattern.n_edges);
    worker.edges.push_back({own.u, own.v, worker.candidate.graph.edge_label[own.u][own.v]});
    keep(worker, *worker.arena, child);
    worker.found.push_back({parent, child});
  }
}

// Distinct images per graph: embeddings up to automorphism, weighted by each database.
template <typename Vertex>
std::vector<std::int64_t> Run<Vertex>::embeddings_of(Worker& worker, const Pattern& pattern) {
  if (!options_.embeddings) return {};
  const PatternGraph graph = pattern.graph();
  worker.plan.make(graph, store_);
  worker.canonizer.run(graph, worker.canonical);
  std::vector<std::int64_t> totals(counter_.n_databases(), 0);
  for (std::uint32_t i = 0; i < pattern.graphs.n_words; ++i) {
    for_each_bit(pattern.graphs.words[i], [&](unsigned bit) {
      const std::size_t g = std::size_t{pattern.graphs.places[i]} * 64 + bit;
      const std::uint64_t maps = worker.search.count(store_, store_.graphs[g], worker.plan);
      counter_.add(g, static_cast<std::int64_t>(maps / worker.canonical.n_orders), totals);
    });
  }
  return totals;
}

template <typename Vertex>
MinerResult run(const Prepared& prepared, const Counter& counter, const MinerOptions& options,
                Guard& guard, std::size_t n_active) {
  Run<Vertex> run(prepared, counter, options, guard, n_active);
  Results results(prepared, options, run.format(), counter.n_databases(), guard.n_bytes);
  run.mine(prepared, results);
  return results.finish();
}

}  // namespace
}  // namespace miner

MinerResult mine(std::span<const MinerSource> sources, std::span<const MinerDatabase> databases,
                 const MinerOptions& options) {
  miner::check(sources, databases, options);
  miner::Guard guard(options);
  const auto active = miner::active_graphs(sources, databases);
  const miner::Counter counter = miner::make_counter(sources, active, databases);
  const miner::Prepared prepared = miner::prepare(sources, active, counter);
  if (prepared.store.types.size() > miner::kMaxTypes ||
      prepared.edge_labels.size() > miner::kMaxEdgeLabels) {
    throw InvalidInput("too many distinct frequent labels");
  }
  guard.n_bytes += prepared.store.n_bytes() + counter.n_bytes();
  guard.report({}, true);
  if (prepared.store.max_vertices <= 0x100) {
    return miner::run<std::uint8_t>(prepared, counter, options, guard, active.size());
  }
  return miner::run<std::uint16_t>(prepared, counter, options, guard, active.size());
}

}  // namespace graphassay
