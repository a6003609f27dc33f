#include "canon_code.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "canon_parallel.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::canon {
namespace {

constexpr std::size_t kGroupAbove = 64;  // traversals; grouping fewer costs more than it saves

// Entries of the tied traversals, two words each: 256 MB. Beyond, the search gives up.
constexpr std::size_t kMaxEntries = std::size_t{1} << 25;

}  // namespace

void MinCodeSearch::run(std::span<const std::int32_t> vertex_ranks,
                        std::span<const std::int32_t> edge_u, std::span<const std::int32_t> edge_v,
                        std::span<const std::int32_t> edge_ranks, WorkMeter& meter, DfsCode& code) {
  meter_ = &meter;
  build(vertex_ranks, edge_u, edge_v, edge_ranks);
  all_edges_.clear();
  all_order_.clear();
  components_.clear();
  first_ranks_.clear();
  for (std::size_t v = 0; v < vertex_ranks.size(); ++v) {
    if (local_[v] >= 0) continue;
    load_component(static_cast<Vertex>(v));
    search_component();
    append_component();
  }
  join_components(code);
}

void MinCodeSearch::build(std::span<const std::int32_t> vertex_ranks,
                          std::span<const std::int32_t> edge_u,
                          std::span<const std::int32_t> edge_v,
                          std::span<const std::int32_t> edge_ranks) {
  const std::size_t n = vertex_ranks.size();
  ranks_.assign(vertex_ranks.begin(), vertex_ranks.end());
  local_.assign(n, -1);
  offsets_.assign(n + 1, 0);
  for (std::size_t e = 0; e < edge_u.size(); ++e) {
    ++offsets_[edge_u[e]];
    ++offsets_[edge_v[e]];
  }
  std::inclusive_scan(offsets_.begin(), offsets_.end(), offsets_.begin());
  half_edges_.resize(2 * edge_u.size());
  for (std::size_t e = edge_u.size(); e-- > 0;) {
    const Vertex u = edge_u[e];
    const Vertex v = edge_v[e];
    half_edges_[--offsets_[u]] = {v, edge_ranks[e], ranks_[v]};
    half_edges_[--offsets_[v]] = {u, edge_ranks[e], ranks_[u]};
  }
}

void MinCodeSearch::load_component(Vertex root) {
  members_.assign(1, root);
  local_[root] = 0;
  c_offsets_.assign(1, 0);
  c_half_edges_.clear();
  for (std::size_t head = 0; head < members_.size(); ++head) {
    const Vertex u = members_[head];
    for (std::int32_t h = offsets_[u]; h < offsets_[u + 1]; ++h) {
      HalfEdge edge = half_edges_[h];
      if (local_[edge.to] < 0) {
        local_[edge.to] = static_cast<Vertex>(members_.size());
        members_.push_back(edge.to);
      }
      edge.to = local_[edge.to];
      c_half_edges_.push_back(edge);
    }
    c_offsets_.push_back(static_cast<std::int32_t>(c_half_edges_.size()));
  }
  n_ = members_.size();
}

void MinCodeSearch::search_component() {
  edges_.clear();
  number_ranks_.clear();
  path_.clear();
  slots_.clear();
  free_.clear();
  sequence_.clear();
  numbers_.clear();
  c_u_.clear();
  group_above_ = kGroupAbove;
  // Sparse graphs have few twins but leaves, which need no preparation.
  has_twins_ = c_half_edges_.size() > 3 * n_;
  if (has_twins_) find_twins();
  start();
  while (2 * edges_.size() < c_half_edges_.size()) {
    if (step_backward()) continue;
    step_forward();
    if (slots_.size() > group_above_) drop_equivalent();
  }
}

std::int32_t MinCodeSearch::new_slot() {
  meter_->spend(n_);
  if (!free_.empty()) {
    const std::int32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  if (sequence_.size() + n_ > kMaxEntries) {
    throw BudgetExceeded("has more than " + std::to_string(kMaxEntries / n_) +
                         " tied traversals, too many to hold");
  }
  const auto slot = static_cast<std::int32_t>(sequence_.size() / n_);
  sequence_.resize(sequence_.size() + n_);
  numbers_.resize(numbers_.size() + n_);
  return slot;
}

void MinCodeSearch::visit(std::int32_t slot, Vertex vertex) {
  const std::size_t base = static_cast<std::size_t>(slot) * n_;
  const auto number = static_cast<std::int32_t>(number_ranks_.size()) - 1;
  sequence_[base + number] = vertex;
  numbers_[base + vertex] = number;
}

// Classes of vertices with equal labels and equal labelled neighbours, either without each other
// (open) or joined to each other by one label (closed). Equality is that of 128-bit hashes.
void MinCodeSearch::find_twins() {
  constexpr std::uint64_t kOpen = 1, kClosed = 2, kNeighbour = 3;
  std::vector<std::pair<Hash128, Vertex>> keys;
  std::vector<std::int32_t> labels;
  for (Vertex v = 0; v < static_cast<Vertex>(n_); ++v) {
    const auto rank = static_cast<std::uint64_t>(ranks_[members_[v]]);
    Hash128 sum = mix128(rank, kOpen, 0);
    labels.clear();
    for (std::int32_t h = c_offsets_[v]; h < c_offsets_[v + 1]; ++h) {
      const HalfEdge& edge = c_half_edges_[h];
      sum += mix128(kNeighbour, static_cast<std::uint64_t>(edge.to),
                    static_cast<std::uint64_t>(edge.edge_rank));
      labels.push_back(edge.edge_rank);
    }
    keys.emplace_back(sum, v);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    for (const std::int32_t label : labels) {
      Hash128 closed = sum;
      closed += mix128(kClosed, 0, 0);
      closed +=
          mix128(kNeighbour, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(label));
      keys.emplace_back(closed, v);
    }
  }
  meter_->spend(c_half_edges_.size() + keys.size());
  std::sort(keys.begin(), keys.end());
  twin_class_.assign(n_, -1);
  twin_leads_.clear();
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].first == keys[begin].first) ++end;
    if (end - begin < 2) continue;
    for (std::size_t i = begin; i < end; ++i) {
      twin_class_[keys[i].second] = static_cast<std::int32_t>(twin_leads_.size());
    }
    twin_leads_.emplace_back(keys[begin].second, keys[begin + 1].second);
  }
  taken_.assign(twin_leads_.size(), -1);
  round_ = 0;
}

// The traversals that begin with the least first tuple; of twins, one.
void MinCodeSearch::start() {
  if (n_ == 1) {
    number_ranks_.push_back(ranks_[members_[0]]);
    sequence_.assign(1, 0);
    slots_.assign(1, 0);
    return;
  }
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
  Key best{INT32_MAX, INT32_MAX, INT32_MAX};
  candidates_.clear();  // slot stands for the first vertex here
  marks_.assign(n_, 0);
  // Whether v is the first of its twins, the given vertex aside.
  const auto leads = [&](Vertex v, Vertex aside) {
    if (twin_class_[v] < 0) return true;
    const auto [first, second] = twin_leads_[twin_class_[v]];
    return v == (first == aside ? second : first);
  };
  for (Vertex u = 0; u < static_cast<Vertex>(n_); ++u) {
    const std::int32_t rank = ranks_[members_[u]];
    if (rank > std::get<0>(best) || (has_twins_ && !leads(u, -1))) continue;
    bool leaf_taken = false;
    for (std::int32_t h = c_offsets_[u]; h < c_offsets_[u + 1]; ++h) {
      const HalfEdge& edge = c_half_edges_[h];
      const Key key{rank, edge.edge_rank, edge.to_rank};
      if (key > best) continue;
      if (key < best) {
        best = key;
        candidates_.clear();
        marks_.assign(n_, 0);
        leaf_taken = false;
      }
      if (has_twins_) {
        if (!leads(edge.to, u)) continue;
      } else if ((is_leaf(edge.to) && std::exchange(leaf_taken, true)) ||
                 (is_leaf(u) && std::exchange(marks_[edge.to], std::uint8_t{1}) != 0)) {
        continue;
      }
      candidates_.push_back({u, edge.to});
    }
  }
  meter_->spend(c_half_edges_.size());
  const auto [rank, edge_rank, to_rank] = best;
  number_ranks_.push_back(rank);
  for (const Candidate& candidate : candidates_) {
    const std::int32_t slot = new_slot();
    std::fill_n(numbers_.begin() + static_cast<std::ptrdiff_t>(slot * n_), n_, -1);
    visit(slot, candidate.slot);
    slots_.push_back(slot);
  }
  number_ranks_.push_back(to_rank);
  for (std::size_t i = 0; i < slots_.size(); ++i) visit(slots_[i], candidates_[i].vertex);
  edges_.push_back({0, 1, rank, to_rank, edge_rank});
  path_.assign({0, 1});
  last_backward_ = -1;
  if (slots_.size() > group_above_) drop_equivalent();
}

// Appends the least backward edge from the newest vertex, if any traversal has one.
bool MinCodeSearch::step_backward() {
  if (path_.size() < 3) return false;
  const std::int32_t tip = path_.back();
  const std::int32_t parent = path_[path_.size() - 2];
  std::pair<std::int32_t, std::int32_t> best{INT32_MAX, INT32_MAX};
  std::uint64_t scanned = 0;
  kept_.clear();
  for (const std::int32_t slot : slots_) {
    const std::size_t base = static_cast<std::size_t>(slot) * n_;
    const Vertex v = sequence_[base + tip];
    for (std::int32_t h = c_offsets_[v]; h < c_offsets_[v + 1]; ++h) {
      const std::int32_t number = numbers_[base + c_half_edges_[h].to];
      if (number <= last_backward_ || number == parent) continue;
      const std::pair key{number, c_half_edges_[h].edge_rank};
      if (key > best) continue;
      if (key < best) {
        best = key;
        kept_.clear();
      }
      kept_.push_back(slot);
    }
    scanned += static_cast<std::uint64_t>(c_offsets_[v + 1] - c_offsets_[v]);
  }
  meter_->spend(scanned);
  if (kept_.empty()) return false;
  if (kept_.size() < slots_.size()) {
    std::size_t k = 0;
    for (const std::int32_t slot : slots_) {
      if (k < kept_.size() && kept_[k] == slot) {
        ++k;
      } else {
        free_.push_back(slot);
      }
    }
    std::swap(slots_, kept_);
  }
  last_backward_ = best.first;
  edges_.push_back({tip, best.first, number_ranks_[tip], number_ranks_[best.first], best.second});
  return true;
}

// Appends the least forward edge from the deepest vertex of the rightmost path that has one.
void MinCodeSearch::step_forward() {
  std::pair<std::int32_t, std::int32_t> best{INT32_MAX, INT32_MAX};
  candidates_.clear();
  for (;; path_.pop_back()) {
    const std::int32_t from = path_.back();
    std::uint64_t scanned = 0;
    for (const std::int32_t slot : slots_) {
      const std::size_t base = static_cast<std::size_t>(slot) * n_;
      const Vertex v = sequence_[base + from];
      bool leaf_taken = false;
      ++round_;
      for (std::int32_t h = c_offsets_[v]; h < c_offsets_[v + 1]; ++h) {
        const HalfEdge& edge = c_half_edges_[h];
        if (numbers_[base + edge.to] >= 0) continue;
        const std::pair key{edge.edge_rank, edge.to_rank};
        if (key > best) continue;
        if (key < best) {
          best = key;
          candidates_.clear();
          leaf_taken = false;
          ++round_;
        }
        if (has_twins_) {
          const std::int32_t twins = twin_class_[edge.to];
          if (twins >= 0 && std::exchange(taken_[twins], round_) == round_) continue;
        } else if (is_leaf(edge.to) && std::exchange(leaf_taken, true)) {
          continue;
        }
        candidates_.push_back({slot, edge.to});
      }
      scanned += static_cast<std::uint64_t>(c_offsets_[v + 1] - c_offsets_[v]);
    }
    meter_->spend(scanned);
    if (!candidates_.empty()) break;
  }
  const std::int32_t from = path_.back();
  const auto to = static_cast<std::int32_t>(number_ranks_.size());
  edges_.push_back({from, to, number_ranks_[from], best.second, best.first});
  number_ranks_.push_back(best.second);
  path_.push_back(to);
  last_backward_ = -1;

  kept_.clear();
  std::size_t c = 0;
  for (const std::int32_t slot : slots_) {
    if (c == candidates_.size() || candidates_[c].slot != slot) {
      free_.push_back(slot);
      continue;
    }
    const Vertex in_place = candidates_[c].vertex;
    kept_.push_back(slot);
    for (++c; c < candidates_.size() && candidates_[c].slot == slot; ++c) {
      const std::int32_t copy = new_slot();
      const auto source = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slot) * n_);
      const auto target = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(copy) * n_);
      std::copy_n(sequence_.begin() + source, to, sequence_.begin() + target);
      std::copy_n(numbers_.begin() + source, n_, numbers_.begin() + target);
      visit(copy, candidates_[c].vertex);
      kept_.push_back(copy);
    }
    visit(slot, in_place);
  }
  std::swap(slots_, kept_);
}

// Keeps one traversal of each class under the automorphisms of the graph.
void MinCodeSearch::drop_equivalent() {
  if (c_u_.empty()) {
    c_v_.clear();
    c_labels_.clear();
    std::int32_t n_labels = 0;
    for (Vertex u = 0; u < static_cast<Vertex>(n_); ++u) {
      for (std::int32_t h = c_offsets_[u]; h < c_offsets_[u + 1]; ++h) {
        const HalfEdge& edge = c_half_edges_[h];
        if (edge.to < u) continue;
        c_u_.push_back(u);
        c_v_.push_back(edge.to);
        c_labels_.push_back(edge.edge_rank);
        n_labels = std::max(n_labels, edge.edge_rank + 1);
      }
    }
    label_keys_.resize(static_cast<std::size_t>(n_labels));
    std::iota(label_keys_.begin(), label_keys_.end(), 1);
  }
  std::vector<std::pair<Hash128, std::int32_t>> hashes;
  hashes.reserve(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::size_t base = static_cast<std::size_t>(slots_[i]) * n_;
    colours_.clear();
    for (std::size_t v = 0; v < n_; ++v) {
      const std::int32_t number = numbers_[base + v];
      const auto rank = static_cast<std::uint64_t>(ranks_[members_[v]]);
      colours_.push_back(number < 0 ? rank : (std::uint64_t{1} << 32) + number);
    }
    hashes.emplace_back(hasher_.run(colours_, {c_u_, c_v_, c_labels_, label_keys_}, *meter_),
                        static_cast<std::int32_t>(i));
  }
  std::sort(hashes.begin(), hashes.end());
  kept_.clear();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::int32_t slot = slots_[hashes[i].second];
    (i == 0 || hashes[i].first != hashes[i - 1].first ? kept_ : free_).push_back(slot);
  }
  std::sort(kept_.begin(), kept_.end());
  // Where grouping finds little, as on graphs without symmetry, it is tried less and less often.
  const std::size_t factor = 2 * kept_.size() > slots_.size() ? 8 : 2;
  group_above_ = std::max(kGroupAbove, factor * kept_.size());
  std::swap(slots_, kept_);
}

void MinCodeSearch::append_component() {
  components_.push_back(
      {static_cast<std::int32_t>(all_edges_.size()), static_cast<std::int32_t>(edges_.size()),
       static_cast<std::int32_t>(all_order_.size()), static_cast<std::int32_t>(n_)});
  first_ranks_.push_back(number_ranks_.front());
  all_edges_.insert(all_edges_.end(), edges_.begin(), edges_.end());
  const std::size_t base = static_cast<std::size_t>(slots_.front()) * n_;
  for (std::size_t k = 0; k < n_; ++k) all_order_.push_back(members_[sequence_[base + k]]);
}

void MinCodeSearch::join_components(DfsCode& code) {
  std::vector<std::size_t> order(components_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto edges = [&](const Component& c) {
    return std::span<const DfsEdge>(all_edges_)
        .subspan(static_cast<std::size_t>(c.first_edge), static_cast<std::size_t>(c.n_edges));
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (first_ranks_[a] != first_ranks_[b]) return first_ranks_[a] < first_ranks_[b];
    const auto left = edges(components_[a]);
    const auto right = edges(components_[b]);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  code.edges.clear();
  code.order.clear();
  code.component_starts.clear();
  for (const std::size_t c : order) {
    const Component& component = components_[c];
    const auto start = static_cast<std::int32_t>(code.order.size());
    code.component_starts.push_back(start);
    for (DfsEdge edge : edges(component)) {
      edge.i += start;
      edge.j += start;
      code.edges.push_back(edge);
    }
    const auto first = all_order_.begin() + component.first_vertex;
    code.order.insert(code.order.end(), first, first + component.n_vertices);
  }
}

}  // namespace graphassay::canon

namespace graphassay {
namespace {

struct CodeWorkspace {
  canon::MinCodeSearch search;
  canon::WorkMeter meter;
  std::vector<std::int32_t> vertex_ranks;
  std::vector<std::int32_t> edge_ranks;
  DfsCode code;
};

void check_ranks(std::span<const std::int32_t> labels, std::span<const std::int32_t> ranks,
                 const char* what) {
  for (const std::int32_t label : labels) {
    if (static_cast<std::size_t>(label) >= ranks.size()) {
      throw InvalidInput(std::string(what) + ": expected one value per label");
    }
  }
  std::vector<std::uint8_t> seen(ranks.size(), 0);
  for (const std::int32_t rank : ranks) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks.size() ||
        std::exchange(seen[rank], std::uint8_t{1}) != 0) {
      throw InvalidInput(std::string(what) + ": expected a permutation");
    }
  }
}

std::vector<std::int32_t> inverse(std::span<const std::int32_t> permutation) {
  std::vector<std::int32_t> result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result[permutation[i]] = static_cast<std::int32_t>(i);
  }
  return result;
}

void compute_code(CodeWorkspace& workspace, const GraphSetView& graphs, std::size_t g,
                  std::span<const std::int32_t> vertex_ranks,
                  std::span<const std::int32_t> edge_ranks, std::uint64_t max_work) {
  const auto first_vertex = static_cast<std::size_t>(graphs.vertex_offsets[g]);
  const auto first_edge = static_cast<std::size_t>(graphs.edge_offsets[g]);
  const std::size_t n_edges = graphs.n_edges(g);
  workspace.vertex_ranks.clear();
  for (const std::int32_t label :
       graphs.vertex_labels.subspan(first_vertex, graphs.n_vertices(g))) {
    workspace.vertex_ranks.push_back(vertex_ranks[label]);
  }
  workspace.edge_ranks.clear();
  for (const std::int32_t label : graphs.edge_labels.subspan(first_edge, n_edges)) {
    workspace.edge_ranks.push_back(edge_ranks[label]);
  }
  workspace.meter.reset(max_work);
  try {
    workspace.search.run(workspace.vertex_ranks, graphs.edge_u.subspan(first_edge, n_edges),
                         graphs.edge_v.subspan(first_edge, n_edges), workspace.edge_ranks,
                         workspace.meter, workspace.code);
  } catch (const BudgetExceeded& error) {
    throw BudgetExceeded("graph " + std::to_string(g) + " (" +
                         std::to_string(graphs.n_vertices(g)) + " vertices, " +
                         std::to_string(n_edges) + " edges): its minimum DFS code " + error.what() +
                         "; class ids do not need it");
  }
}

// Appends a component's code as text; grammar in graphassay.canonical.
std::string code_text(const DfsCode& code, std::span<const std::int32_t> number_ranks,
                      std::span<const std::string> vertex_names,
                      std::span<const std::string> edge_names) {
  std::string text;
  std::size_t e = 0;
  for (std::size_t c = 0; c < code.component_starts.size(); ++c) {
    const std::int32_t start = code.component_starts[c];
    const auto end = static_cast<std::int32_t>(c + 1 < code.component_starts.size()
                                                   ? code.component_starts[c + 1]
                                                   : static_cast<std::int32_t>(code.order.size()));
    if (c > 0) text += " | ";
    text += vertex_names[number_ranks[start]];
    for (; e < code.edges.size() && code.edges[e].i < end; ++e) {
      const DfsEdge& edge = code.edges[e];
      text += ' ';
      if (edge.i < edge.j && edge.i + 1 != edge.j) text += std::to_string(edge.i - start);
      text += '[';
      text += edge_names[edge.label_ij];
      text += ']';
      if (edge.i < edge.j) {
        text += vertex_names[edge.label_j];
      } else {
        text += '@';
        text += std::to_string(edge.j - start);
      }
    }
  }
  return text;
}

}  // namespace

DfsCode min_dfs_code(const GraphSetView& graphs, std::size_t graph,
                     std::span<const std::int32_t> vertex_ranks,
                     std::span<const std::int32_t> edge_ranks, std::uint64_t max_work) {
  if (graph >= graphs.size()) throw InvalidInput("expected the index of a graph of the set");
  check_ranks(graphs.vertex_labels, vertex_ranks, "vertex_ranks");
  check_ranks(graphs.edge_labels, edge_ranks, "edge_ranks");
  CodeWorkspace workspace;
  compute_code(workspace, graphs, graph, vertex_ranks, edge_ranks, max_work);
  return std::move(workspace.code);
}

DfsCodeColumns min_dfs_codes(const GraphSetView& graphs, std::span<const std::int32_t> vertex_ranks,
                             std::span<const std::int32_t> edge_ranks, const RunOptions& options) {
  check_ranks(graphs.vertex_labels, vertex_ranks, "vertex_ranks");
  check_ranks(graphs.edge_labels, edge_ranks, "edge_ranks");
  const std::vector<std::int32_t> vertex_labels = inverse(vertex_ranks);
  const std::vector<std::int32_t> edge_labels = inverse(edge_ranks);
  DfsCodeColumns columns;
  columns.tuples.resize(5 * graphs.edge_u.size());
  columns.order.resize(graphs.vertex_labels.size());
  canon::for_each_graph<CodeWorkspace>(
      graphs.size(), options, [&](CodeWorkspace& workspace, std::size_t g) {
        compute_code(workspace, graphs, g, vertex_ranks, edge_ranks, options.max_work);
        std::copy(workspace.code.order.begin(), workspace.code.order.end(),
                  columns.order.begin() + graphs.vertex_offsets[g]);
        auto out = columns.tuples.begin() + 5 * graphs.edge_offsets[g];
        for (const DfsEdge& edge : workspace.code.edges) {
          *out++ = edge.i;
          *out++ = edge.j;
          *out++ = vertex_labels[edge.label_i];
          *out++ = vertex_labels[edge.label_j];
          *out++ = edge_labels[edge.label_ij];
        }
      });
  return columns;
}

std::vector<std::string> dfs_code_texts(const GraphSetView& graphs,
                                        std::span<const std::int32_t> vertex_ranks,
                                        std::span<const std::int32_t> edge_ranks,
                                        std::span<const std::string> vertex_names,
                                        std::span<const std::string> edge_names,
                                        const RunOptions& options) {
  check_ranks(graphs.vertex_labels, vertex_ranks, "vertex_ranks");
  check_ranks(graphs.edge_labels, edge_ranks, "edge_ranks");
  if (vertex_names.size() != vertex_ranks.size() || edge_names.size() != edge_ranks.size()) {
    throw InvalidInput("expected one name per label");
  }
  std::vector<std::string> by_vertex_rank(vertex_names.size());
  std::vector<std::string> by_edge_rank(edge_names.size());
  for (std::size_t i = 0; i < vertex_names.size(); ++i) {
    by_vertex_rank[vertex_ranks[i]] = vertex_names[i];
  }
  for (std::size_t i = 0; i < edge_names.size(); ++i) by_edge_rank[edge_ranks[i]] = edge_names[i];
  std::vector<std::string> texts(graphs.size());
  canon::for_each_graph<CodeWorkspace>(
      graphs.size(), options, [&](CodeWorkspace& workspace, std::size_t g) {
        compute_code(workspace, graphs, g, vertex_ranks, edge_ranks, options.max_work);
        // The ranks are in the workspace by vertex; the text wants them by number.
        std::vector<std::int32_t> number_ranks;
        number_ranks.reserve(workspace.code.order.size());
        for (const std::int32_t v : workspace.code.order) {
          number_ranks.push_back(workspace.vertex_ranks[v]);
        }
        texts[g] = code_text(workspace.code, number_ranks, by_vertex_rank, by_edge_rank);
      });
  return texts;
}

}  // namespace graphassay
