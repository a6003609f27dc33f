#include "miner_store.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "graphassay/errors.hpp"
#include "miner_store_builder.hpp"

namespace graphassay::miner {
namespace {

constexpr std::uint64_t kMaxDenseTypes = std::uint64_t{1} << 22;

struct Triple {
  std::uint32_t label_u, label_v, edge_label;
  auto operator<=>(const Triple&) const = default;
};

struct TripleHash {
  std::size_t operator()(const Triple& t) const {
    std::uint64_t h = t.label_u * 0x9E3779B97F4A7C15ULL;
    h = (h ^ (h >> 32) ^ t.label_v) * 0xC2B2AE3D27D4EB4FULL;
    h = (h ^ (h >> 29) ^ t.edge_label) * 0x165667B19E3779F9ULL;
    return h ^ (h >> 32);
  }
};

// Reads the graphs of all sources with shared labels.
struct Reader {
  std::span<const MinerSource> sources;

  [[nodiscard]] std::uint32_t vertex_label(const ActiveGraph& g, std::int64_t v) const {
    const MinerSource& s = sources[g.source];
    return static_cast<std::uint32_t>(
        s.vertex_label_ids[s.graphs.vertex_labels[s.graphs.vertex_offsets[g.graph] + v]]);
  }
  template <typename Visit>  // visit(u, v, label u, label v, edge label)
  void edges(const ActiveGraph& g, Visit&& visit) const {
    const MinerSource& s = sources[g.source];
    for (std::int64_t e = s.graphs.edge_offsets[g.graph]; e < s.graphs.edge_offsets[g.graph + 1];
         ++e) {
      const std::int32_t u = s.graphs.edge_u[e];
      const std::int32_t v = s.graphs.edge_v[e];
      visit(u, v, vertex_label(g, u), vertex_label(g, v),
            static_cast<std::uint32_t>(s.edge_label_ids[s.graphs.edge_labels[e]]));
    }
  }
};

std::uint32_t rounded_words(std::uint32_t n) {
  if (n > kMaxBitsetVertices) return 0;
  return std::bit_ceil((n + 63) / 64);
}

// Every distinct triple with the graphs that have it.
class TripleScan {
 public:
  explicit TripleScan(const Reader& reader, std::span<const ActiveGraph> active) {
    for (std::uint32_t g = 0; g < active.size(); ++g) {
      reader.edges(active[g], [&](std::int32_t, std::int32_t, std::uint32_t a, std::uint32_t b,
                                  std::uint32_t label) {
        std::vector<std::uint32_t>& holders = entry({std::min(a, b), std::max(a, b), label});
        if (holders.empty() || holders.back() != g) holders.push_back(g);
      });
    }
  }

  std::vector<Triple> triples;
  std::vector<std::vector<std::uint32_t>> graphs;

 private:
  std::vector<std::uint32_t>& entry(const Triple& triple) {
    if (!triples.empty() && triples[last_] == triple) return graphs[last_];
    const auto [found, fresh] = index_.try_emplace(triple, triples.size());
    if (fresh) {
      triples.push_back(triple);
      graphs.emplace_back();
    }
    last_ = found->second;
    return graphs[last_];
  }

  std::unordered_map<Triple, std::size_t, TripleHash> index_;
  std::size_t last_ = 0;
};

bool frequent(const std::vector<std::uint32_t>& graphs, const Counter& counter,
              Counter::Scratch& scratch) {
  std::vector<std::uint32_t> places;
  std::vector<std::uint64_t> words;
  for (const std::uint32_t g : graphs) {
    if (places.empty() || places.back() != g / 64) {
      places.push_back(g / 64);
      words.push_back(0);
    }
    words.back() |= std::uint64_t{1} << (g % 64);
  }
  return counter.slack({places.data(), words.data(), static_cast<std::uint32_t>(places.size())},
                       scratch) >= 0;
}

// Old label -> dense new label, ascending, for the labels in use.
std::vector<std::uint32_t> compact(std::vector<std::uint32_t> used,
                                   std::vector<std::int32_t>& names) {
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<std::uint32_t> map(used.empty() ? 0 : used.back() + 1, kNone);
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    map[used[i]] = i;
    names.push_back(static_cast<std::int32_t>(used[i]));
  }
  return map;
}

}  // namespace

void TypeTable::reset(std::size_t n_vertex_labels, std::size_t n_edge_labels) {
  n_vertex_labels_ = n_vertex_labels;
  if (n_vertex_labels * n_edge_labels <= kMaxDenseTypes) {
    dense_.assign(n_vertex_labels * n_edge_labels, kNone);
  }
}

void TypeTable::add(std::uint32_t edge_label, std::uint32_t vertex_label) {
  if (find(edge_label, vertex_label) != kNone) return;
  const std::uint64_t key = edge_label * n_vertex_labels_ + vertex_label;
  if (dense_.empty()) {
    sparse_.emplace(key, size());
  } else {
    dense_[key] = size();
  }
  pairs_.emplace_back(edge_label, vertex_label);
}

unsigned GraphStore::count(const StoredGraph& g, unsigned v, std::uint32_t type) const {
  if (g.words == 0) return static_cast<unsigned>(list(g, v, type).size());
  const std::uint64_t* bits = row(g, v, type);
  unsigned total = 0;
  for (std::uint32_t i = 0; bits != nullptr && i < g.words; ++i) {
    total += static_cast<unsigned>(std::popcount(bits[i]));
  }
  return total;
}

std::size_t GraphStore::n_bytes() const {
  return graphs.size() * sizeof(StoredGraph) + labels_.size() * 4 +
         (first_group_.size() + 2 * vertex_rows_.size() + rows_.size() + group_lists_.size() +
          feature_rows_.size()) *
             8 +
         (group_types_.size() + feature_keys_.size()) * 4 + neighbours_.size() * 2;
}

std::vector<ActiveGraph> active_graphs(std::span<const MinerSource> sources,
                                       std::span<const MinerDatabase> databases) {
  std::vector<ActiveGraph> active;
  std::uint64_t first = 0;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    const std::size_t n = sources[s].graphs.size();
    std::vector<char> weighs(n, 0);
    for (const MinerDatabase& database : databases) {
      if (database.source != s) continue;
      for (std::size_t g = 0; g < n; ++g) {
        if (database.weights.empty() || database.weights[g] > 0) weighs[g] = 1;
      }
    }
    for (std::uint32_t g = 0; g < n; ++g) {
      if (weighs[g] != 0) active.push_back({s, g, first + g});
    }
    first += n;
  }
  return active;
}

// Fills the store graph by graph from edges over compact labels.
class StoreBuilder {
 public:
  explicit StoreBuilder(GraphStore& store) : store_(store) {}

  void begin() {
    const std::uint32_t n_types = store_.types.size();
    store_.n_dense_types_ = n_types <= GraphStore::kMaxDenseTypes ? n_types : 0;
    store_.few_types_ = n_types <= 64;
    std::uint32_t n_labels = 0;
    for (std::uint32_t t = 0; t < store_.types.size(); ++t) {
      n_labels = std::max(n_labels, store_.types.vertex_label(t) + 1);
    }
    store_.first_count_feature_ = n_labels;
  }

  // Vertices 0..labels.size()-1, every one with an edge; edges as (from, type, to), both ways.
  // Packed, so that sorting compares one number: 16 bits from, 32 type, 16 to.
  class Arc {
   public:
    Arc(std::uint32_t from, std::uint32_t type, std::uint32_t to)
        : key_(std::uint64_t{from} << 48 | std::uint64_t{type} << 16 | to) {}
    [[nodiscard]] std::uint32_t from() const { return static_cast<std::uint32_t>(key_ >> 48); }
    [[nodiscard]] std::uint32_t type() const { return static_cast<std::uint32_t>(key_ >> 16); }
    [[nodiscard]] std::uint32_t to() const { return static_cast<std::uint16_t>(key_); }
    auto operator<=>(const Arc&) const = default;

   private:
    std::uint64_t key_;
  };
  void add(std::uint64_t id, std::span<const std::uint32_t> labels, std::vector<Arc>& arcs) {
    StoredGraph g;
    g.id = id;
    g.n = static_cast<std::uint32_t>(labels.size());
    g.words = rounded_words(g.n);
    g.first_vertex = store_.labels_.size();
    g.first_row = store_.rows_.size();
    g.first_feature = store_.feature_rows_.size();
    store_.first_feature_key_.push_back(store_.feature_keys_.size());
    store_.max_vertices = std::max(store_.max_vertices, g.n);
    store_.labels_.insert(store_.labels_.end(), labels.begin(), labels.end());
    std::sort(arcs.begin(), arcs.end());
    add_groups(g, arcs);
    if (g.words != 0 && g.n != 0) add_features(g, labels, arcs);
    store_.graphs.push_back(g);
  }

  void end() {
    store_.first_group_.push_back(n_groups_);
    if (!store_.neighbours_.empty()) store_.group_lists_.push_back(store_.neighbours_.size());
    store_.first_feature_key_.push_back(store_.feature_keys_.size());
    place_features();
  }

 private:
  void place_features() {
    store_.n_features_ = store_.count_feature(store_.types.size(), 1);
    const std::size_t n_places = store_.graphs.size() * store_.n_features_;
    if (n_places > GraphStore::kMaxFeaturePlaces) return;
    store_.feature_places_.assign(n_places, GraphStore::kNoFeature);
    for (std::size_t g = 0; g < store_.graphs.size(); ++g) {
      const std::size_t first = store_.first_feature_key_[g];
      for (std::size_t k = first; k < store_.first_feature_key_[g + 1]; ++k) {
        store_.feature_places_[g * store_.n_features_ + store_.feature_keys_[k]] =
            static_cast<std::uint16_t>(k - first);
      }
    }
  }

  void add_groups(const StoredGraph& g, const std::vector<Arc>& arcs) {
    const std::uint32_t n_dense = store_.n_dense_types_;
    std::size_t a = 0;
    for (std::uint32_t v = 0; v < g.n; ++v) {
      if (n_dense == 0) store_.first_group_.push_back(n_groups_);
      const std::uint64_t first_row = store_.rows_.size();
      std::uint64_t mask = 0;
      std::uint32_t n_opened = 0;
      while (a < arcs.size() && arcs[a].from() == v) {
        const std::uint32_t type = arcs[a].type();
        if (n_dense != 0) {
          for (; n_opened < type; ++n_opened) open_group(g);
          ++n_opened;
        } else if (store_.few_types_) {
          mask |= std::uint64_t{1} << type;
        } else {
          store_.group_types_.push_back(type);
        }
        open_group(g);
        for (; a < arcs.size() && arcs[a].from() == v && arcs[a].type() == type; ++a) {
          if (g.words == 0) {
            store_.neighbours_.push_back(static_cast<std::uint16_t>(arcs[a].to()));
          } else {
            store_.rows_[store_.rows_.size() - g.words + arcs[a].to() / 64] |=
                std::uint64_t{1} << (arcs[a].to() % 64);
          }
        }
      }
      for (; n_opened < n_dense; ++n_opened) open_group(g);
      if (n_dense == 0 && store_.few_types_) store_.vertex_rows_.push_back({mask, first_row});
    }
  }

  void open_group(const StoredGraph& g) {
    ++n_groups_;
    if (g.words != 0) {
      store_.rows_.resize(store_.rows_.size() + g.words, 0);
      if (!store_.group_lists_.empty()) store_.group_lists_.push_back(store_.neighbours_.size());
      return;
    }
    // The first list graph: all groups before it have empty lists.
    if (store_.group_lists_.empty()) store_.group_lists_.assign(n_groups_ - 1, 0);
    store_.group_lists_.push_back(store_.neighbours_.size());
  }

  void add_features(const StoredGraph& g, std::span<const std::uint32_t> labels,
                    const std::vector<Arc>& arcs) {
    pairs_.clear();
    const auto add = [&](std::uint32_t feature, std::uint32_t v) {
      pairs_.push_back(std::uint64_t{feature} << 32 | v);
    };
    for (std::uint32_t v = 0; v < g.n; ++v) add(store_.label_feature(labels[v]), v);
    unsigned run = 0;
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      const bool same =
          a > 0 && arcs[a].from() == arcs[a - 1].from() && arcs[a].type() == arcs[a - 1].type();
      run = same ? run + 1 : 1;
      if (run < kMaxVertices) add(store_.count_feature(arcs[a].type(), run), arcs[a].from());
    }
    std::sort(pairs_.begin(), pairs_.end());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto v = static_cast<std::uint32_t>(pairs_[i]);
      if (i == 0 || pairs_[i] >> 32 != pairs_[i - 1] >> 32) {
        store_.feature_keys_.push_back(static_cast<std::uint32_t>(pairs_[i] >> 32));
        store_.feature_rows_.resize(store_.feature_rows_.size() + g.words, 0);
      }
      store_.feature_rows_[store_.feature_rows_.size() - g.words + v / 64] |= std::uint64_t{1}
                                                                              << (v % 64);
    }
  }

  GraphStore& store_;
  std::uint64_t n_groups_ = 0;
  std::vector<std::uint64_t> pairs_;  // feature << 32 | vertex
};

namespace {

// Frequent triples over compact labels, sorted, with the graphs that have them.
struct Alphabet {
  std::vector<std::uint32_t> vertex_map, edge_map;  // shared id -> compact label, or kNone
  std::vector<Triple> triples;                      // ascending
  [[nodiscard]] std::uint32_t map(const std::vector<std::uint32_t>& table,
                                  std::uint32_t label) const {
    return label < table.size() ? table[label] : kNone;
  }
  [[nodiscard]] std::size_t find(const Triple& t) const {
    const auto found = std::lower_bound(triples.begin(), triples.end(), t);
    return found != triples.end() && *found == t ? static_cast<std::size_t>(found - triples.begin())
                                                 : triples.size();
  }
};

Alphabet frequent_alphabet(const Reader& reader, std::span<const ActiveGraph> active,
                           const Counter& counter, Prepared& prepared) {
  TripleScan scan(reader, active);
  Counter::Scratch scratch;
  std::vector<std::uint32_t> vertex_labels, edge_labels;
  Alphabet alphabet;
  for (std::size_t i = 0; i < scan.triples.size(); ++i) {
    if (!frequent(scan.graphs[i], counter, scratch)) continue;
    alphabet.triples.push_back(scan.triples[i]);
    vertex_labels.push_back(scan.triples[i].label_u);
    vertex_labels.push_back(scan.triples[i].label_v);
    edge_labels.push_back(scan.triples[i].edge_label);
  }
  alphabet.vertex_map = compact(vertex_labels, prepared.vertex_labels);
  alphabet.edge_map = compact(edge_labels, prepared.edge_labels);
  for (Triple& t : alphabet.triples) {  // compacting keeps the order of labels
    t = {alphabet.vertex_map[t.label_u], alphabet.vertex_map[t.label_v],
         alphabet.edge_map[t.edge_label]};
  }
  std::sort(alphabet.triples.begin(), alphabet.triples.end());
  return alphabet;
}

}  // namespace

Prepared prepare(std::span<const MinerSource> sources, std::span<const ActiveGraph> active,
                 const Counter& counter) {
  Prepared prepared;
  const Reader reader{sources};
  const Alphabet alphabet = frequent_alphabet(reader, active, counter, prepared);
  GraphStore& store = prepared.store;
  store.types.reset(prepared.vertex_labels.size(), prepared.edge_labels.size());
  for (const Triple& t : alphabet.triples) {
    store.types.add(t.edge_label, t.label_u);
    store.types.add(t.edge_label, t.label_v);
    prepared.edges.push_back({t.label_u, t.label_v, t.edge_label, {}, {}});
  }
  StoreBuilder builder(store);
  builder.begin();
  std::vector<std::uint32_t> labels, renumbered;
  std::vector<StoreBuilder::Arc> arcs;
  for (std::uint32_t g = 0; g < active.size(); ++g) {
    labels.clear();
    arcs.clear();
    renumbered.assign(sources[active[g].source].graphs.n_vertices(active[g].graph), kNone);
    const auto place = [&](std::int32_t v, std::uint32_t label) {
      if (renumbered[v] == kNone) {
        renumbered[v] = static_cast<std::uint32_t>(labels.size());
        labels.push_back(label);
      }
      return renumbered[v];
    };
    reader.edges(active[g], [&](std::int32_t u, std::int32_t v, std::uint32_t a, std::uint32_t b,
                                std::uint32_t label) {
      const std::uint32_t label_u = alphabet.map(alphabet.vertex_map, a);
      const std::uint32_t label_v = alphabet.map(alphabet.vertex_map, b);
      const std::uint32_t edge_label = alphabet.map(alphabet.edge_map, label);
      if (label_u == kNone || label_v == kNone || edge_label == kNone) return;
      const std::size_t found =
          alphabet.find({std::min(label_u, label_v), std::max(label_u, label_v), edge_label});
      if (found == alphabet.triples.size()) return;
      const std::uint32_t from = place(u, label_u);
      const std::uint32_t to = place(v, label_v);
      arcs.emplace_back(from, store.types.find(edge_label, label_v), to);
      arcs.emplace_back(to, store.types.find(edge_label, label_u), from);
      EdgePattern& pattern = prepared.edges[found];
      if (pattern.graphs.empty() || pattern.graphs.back() != g) {
        pattern.graphs.push_back(g);
        const bool ordered = label_u <= label_v;
        pattern.places.emplace_back(static_cast<std::uint16_t>(ordered ? from : to),
                                    static_cast<std::uint16_t>(ordered ? to : from));
      }
    });
    if (labels.size() > 0xFFFF) {
      throw InvalidInput("graph " + std::to_string(active[g].graph) +
                         ": expected at most 65,535 vertices with frequent edges, got " +
                         std::to_string(labels.size()));
    }
    builder.add(active[g].id, labels, arcs);
  }
  builder.end();
  return prepared;
}

const std::uint64_t* GraphStore::find_feature(const StoredGraph& g, std::uint32_t feature) const {
  const auto index = static_cast<std::size_t>(&g - graphs.data());
  const std::uint32_t* first = feature_keys_.data() + first_feature_key_[index];
  const std::uint32_t* last = feature_keys_.data() + first_feature_key_[index + 1];
  const std::uint32_t* found = std::lower_bound(first, last, feature);
  if (found == last || *found != feature) return nullptr;
  return feature_rows_.data() + g.first_feature + static_cast<std::size_t>(found - first) * g.words;
}

}  // namespace graphassay::miner
