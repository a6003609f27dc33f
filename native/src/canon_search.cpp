#include "canon_search.hpp"

#include <algorithm>
#include <numeric>

#include "graphassay/errors.hpp"

namespace graphassay::canon {

void WorkMeter::exceeded() const {
  throw BudgetExceeded("needs more than max_work = " + std::to_string(limit_) + " steps");
}

// Orbits of the automorphisms known so far, as a union-find.
class CoreSearch::Orbits {
 public:
  explicit Orbits(std::int32_t n) : parent_(static_cast<std::size_t>(n)), tried_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];
      v = parent_[v];
    }
    return v;
  }
  void absorb(const std::vector<std::int32_t>& automorphism) {
    for (std::size_t v = 0; v < automorphism.size(); ++v) {
      const std::int32_t a = find(static_cast<std::int32_t>(v));
      const std::int32_t b = find(automorphism[v]);
      if (a == b) continue;
      parent_[b] = a;
      tried_[a] |= tried_[b];
    }
  }
  void mark_tried(std::int32_t v) { tried_[find(v)] = 1; }
  bool tried(std::int32_t v) { return tried_[find(v)] != 0; }

 private:
  std::vector<std::int32_t> parent_;
  std::vector<std::uint8_t> tried_;
};

// ---------------------------------------------------------------- refinement

void CoreSearch::prepare(const Adjacency& graph, std::span<const Hash128> colours) {
  graph_ = &graph;
  n_ = static_cast<std::int32_t>(colours.size());
  const auto n = static_cast<std::size_t>(n_);
  field_bits_ = n_ < (1 << 16) ? 16 : 32;
  fields_ = 64 / field_bits_;
  n_groups_ = (static_cast<std::int32_t>(graph.edge_keys.size()) + fields_ - 1) / fields_;
  path_ = SearchPath::kDiscrete;
  greedy_ = false;
  trace_ = 0;
  order_.resize(n);
  cell_of_.resize(n);
  cell_size_.resize(n);
  place_.resize(n);
  if (!clean_) {  // an error left its traces
    counts_.clear();
    n_touched_.clear();
    queued_.clear();
    touched_cells_.clear();
    queue_.clear();
  }
  clean_ = false;
  if (counts_.size() < n) {  // all zero between runs
    counts_.resize(n);
    n_touched_.resize(n);
    queued_.resize(n);
  }
  depth_ = 0;
  branched_ = false;
  prefix_.clear();
  automorphisms_.clear();

  // Vertices are sorted by a hash of their surroundings; the colour settles what the hash may not.
  hash_surroundings(colours);
  sorted_.resize(n);
  for (std::int32_t v = 0; v < n_; ++v) sorted_[v] = {surroundings_[v], v};
  const auto less = [&](const Surrounded& a, const Surrounded& b) {
    return a.first != b.first ? a.first < b.first : colours[a.second] < colours[b.second];
  };
  if (n_ <= 32) {
    for (std::int32_t i = 1; i < n_; ++i) {  // insertion sort
      const Surrounded item = sorted_[i];
      std::int32_t j = i;
      for (; j > 0 && less(item, sorted_[j - 1]); --j) sorted_[j] = sorted_[j - 1];
      sorted_[j] = item;
    }
  } else {
    std::sort(sorted_.begin(), sorted_.end(), less);
  }
  n_cells_ = 0;
  for (std::int32_t begin = 0, end = 0; begin < n_; begin = end) {
    do {
      order_[end] = sorted_[end].second;
      place_[order_[end]] = end;
      cell_of_[order_[end]] = begin;
      ++end;
    } while (end < n_ && sorted_[end].first == sorted_[begin].first &&
             colours[sorted_[end].second] == colours[sorted_[begin].second]);
    cell_size_[begin] = end - begin;
    ++n_cells_;
  }
  if (n_cells_ == n_) return;
  for (std::int32_t p = 0; p < n_; p += cell_size_[p]) push(p);
}

// A few rounds of hashed colour refinement. It only chooses the first partition, which is cheaper
// to start fine than to cut; refine() makes it equitable whatever it is.
void CoreSearch::hash_surroundings(std::span<const Hash128> colours) {
  constexpr int kRounds = 2;
  surroundings_.resize(colours.size());
  next_surroundings_.resize(colours.size());
  const std::int32_t* const offsets = graph_->offsets.data();
  const std::int32_t* const neighbours = graph_->neighbours.data();
  const std::int32_t* const ranks = graph_->edge_ranks.data();
  const std::uint64_t* const keys = graph_->edge_keys.data();
  for (std::size_t v = 0; v < colours.size(); ++v) surroundings_[v] = colours[v].low;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t* const now = surroundings_.data();
    std::uint64_t* const next = next_surroundings_.data();
    for (std::int32_t v = 0; v < n_; ++v) {
      std::uint64_t sum = 0;
      for (std::int32_t h = offsets[v]; h < offsets[v + 1]; ++h) {
        sum += mix64(now[neighbours[h]], keys[ranks[h]]);
      }
      next[v] = mix64(now[v], sum);
    }
    std::swap(surroundings_, next_surroundings_);
  }
}

void CoreSearch::push(std::int32_t start) {
  queued_[start] = 1;
  queue_.push_back(start);
}

// Splits cells until the partition is equitable. The queue holds the cells whose counts may still
// split others; it is first in, first out, over positions, hence the same for isomorphic graphs.
void CoreSearch::refine() {
  std::vector<std::int32_t> whole;
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::int32_t splitter = queue_[head];
    queued_[splitter] = 0;
    if (n_cells_ == n_) continue;  // nothing left to split: drain the queue
    const std::span<const std::int32_t> members(order_.data() + splitter,
                                                static_cast<std::size_t>(cell_size_[splitter]));
    if (n_groups_ == 1) {
      count_into(members, 0);
      split_touched(splitter);
      continue;
    }
    whole.assign(members.begin(), members.end());  // the splitter may be split between two groups
    for (std::int32_t group = 0; group < n_groups_; ++group) {
      count_into(whole, group);
      split_touched(splitter);
    }
  }
  queue_.clear();
}

// Counts, for every vertex, its edges into the splitter under the labels of one group, and moves
// the touched vertices to the end of their cells. Cells of one vertex cannot split and are left.
void CoreSearch::count_into(std::span<const std::int32_t> splitter, std::int32_t group) {
  std::uint64_t scanned = splitter.size();
  const std::int32_t first_rank = group * fields_;
  const auto count = [&](std::int32_t h) {
    const std::int32_t v = graph_->neighbours[h];
    const std::int32_t cell = cell_of_[v];
    const std::int32_t size = cell_size_[cell];
    const std::int32_t field = graph_->edge_ranks[h] - first_rank;
    if (size == 1 || field < 0 || field >= fields_) return;
    if (counts_[v] == 0) {
      if (n_touched_[cell] == 0) touched_cells_.push_back(cell);
      const std::int32_t slot = cell + size - ++n_touched_[cell];
      const std::int32_t from = place_[v];
      std::swap(order_[slot], order_[from]);
      place_[order_[slot]] = slot;
      place_[order_[from]] = from;
    }
    counts_[v] += std::uint64_t{1} << (field * field_bits_);
  };
  if (n_groups_ == 1 && splitter.size() > 1) {
    // Moving vertices about must not disturb the loop over the splitter's own members.
    scratch_.assign(splitter.begin(), splitter.end());
    splitter = scratch_;
  }
  for (const std::int32_t u : splitter) {
    scanned += static_cast<std::uint64_t>(graph_->offsets[u + 1] - graph_->offsets[u]);
    for (std::int32_t h = graph_->offsets[u]; h < graph_->offsets[u + 1]; ++h) count(h);
  }
  meter_->spend(scanned);
}

void CoreSearch::split_touched(std::int32_t splitter) {
  if (touched_cells_.size() > 1) std::sort(touched_cells_.begin(), touched_cells_.end());
  for (const std::int32_t cell : touched_cells_) split(cell, n_touched_[cell], splitter);
  touched_cells_.clear();
}

// Cuts a cell into its untouched vertices and the touched ones by ascending counts.
void CoreSearch::split(std::int32_t start, std::int32_t n_touched, std::int32_t splitter) {
  n_touched_[start] = 0;
  const std::int32_t end = start + cell_size_[start];
  const std::int32_t touched = end - n_touched;
  const auto less = [&](std::int32_t a, std::int32_t b) { return counts_[a] < counts_[b]; };
  if (n_touched == 2) {
    if (less(order_[touched + 1], order_[touched])) {
      std::swap(order_[touched], order_[touched + 1]);
    }
  } else if (n_touched > 2) {
    std::sort(order_.begin() + touched, order_.begin() + end, less);
  }
  // What this step reveals goes into the trace, split or not.
  trace_ = mix64(trace_ ^ static_cast<std::uint64_t>(splitter),
                 (static_cast<std::uint64_t>(start) << 32) ^ static_cast<std::uint64_t>(touched));
  if (touched == start && counts_[order_[start]] == counts_[order_[end - 1]]) {
    trace_ = mix64(trace_, counts_[order_[start]]);
    for (std::int32_t p = start; p < end; ++p) {
      counts_[order_[p]] = 0;
      place_[order_[p]] = p;
    }
    return;
  }
  // Hopcroft's rule: once a cell has served as splitter, the largest of its parts need not, since
  // the counts into it follow from the others.
  const bool was_queued = queued_[start] != 0;
  std::int32_t largest = start;
  std::int32_t largest_size = touched - start;
  if (touched > start) cell_size_[start] = touched - start;
  for (std::int32_t begin = touched; begin < end;) {
    const std::uint64_t value = counts_[order_[begin]];
    std::int32_t p = begin;
    while (p < end && counts_[order_[p]] == value) {
      const std::int32_t v = order_[p];
      cell_of_[v] = begin;
      place_[v] = p++;
    }
    cell_size_[begin] = p - begin;
    if (begin != start) ++n_cells_;
    if (p - begin > largest_size) {
      largest = begin;
      largest_size = p - begin;
    }
    trace_ = mix64(trace_ ^ value, static_cast<std::uint64_t>(begin));
    begin = p;
  }
  for (std::int32_t p = touched; p < end; ++p) counts_[order_[p]] = 0;
  for (std::int32_t begin = start; begin < end; begin += cell_size_[begin]) {
    if (queued_[begin] == 0 && (was_queued || begin != largest)) push(begin);
  }
}

// Makes the vertex a cell of its own, before the rest of its cell. Returns the cell's start.
std::int32_t CoreSearch::single_out(std::int32_t vertex) {
  const std::int32_t start = cell_of_[vertex];
  const std::int32_t size = cell_size_[start];
  const std::int32_t from = place_[vertex];
  std::swap(order_[start], order_[from]);
  place_[order_[from]] = from;
  place_[vertex] = start;
  if (size > 1) {
    for (std::int32_t p = start + 1; p < start + size; ++p) cell_of_[order_[p]] = start + 1;
    cell_size_[start] = 1;
    cell_size_[start + 1] = size - 1;
    ++n_cells_;
    push(start);
  }
  return start;
}

// ---------------------------------------------------------------- search

Hash128 CoreSearch::run(const Adjacency& graph, std::span<const Hash128> colours,
                        WorkMeter& meter) {
  meter_ = &meter;
  prepare(graph, colours);
  refine();
  if (n_cells_ < n_) {
    path_ = SearchPath::kSymmetric;
    if (!all_cells_small()) {
      solve(open_cells({{0, n_}}));
    } else {
      solve_pairs();
    }
  }
  clean_ = true;
  return hash_all(colours);
}

std::vector<CoreSearch::Cell> CoreSearch::open_cells(const std::vector<Cell>& within) const {
  std::vector<Cell> open;
  for (const auto& [start, size] : within) {
    for (std::int32_t p = start; p < start + size; p += cell_size_[p]) {
      if (cell_size_[p] > 1) open.emplace_back(p, cell_size_[p]);
    }
  }
  return open;
}

bool CoreSearch::all_cells_small() const {
  for (std::int32_t p = 0; p < n_; p += cell_size_[p]) {
    if (cell_size_[p] > 2) return false;
  }
  return true;
}

// Every part consists of pairs: a choice in the first pair of each settles all of it.
void CoreSearch::solve_pairs() {
  for (std::int32_t p = 0; p < n_ && n_cells_ < n_; ++p) {
    if (cell_size_[p] != 2 || cell_of_[order_[p]] != p) continue;
    single_out(order_[p]);
    refine();
  }
}

void CoreSearch::solve(const std::vector<Cell>& cells) {
  if (cells.empty()) return;
  for (const std::vector<Cell>& part : parts(cells)) solve_part(part);
}

// Groups those of the cells that are joined inhomogeneously; parts and their cells ascend by
// position. One vertex speaks for its cell, the partition being equitable.
std::vector<std::vector<CoreSearch::Cell>> CoreSearch::parts(const std::vector<Cell>& cells) {
  std::vector<std::int32_t> parent(cells.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](std::int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const auto index_of = [&](std::int32_t start) {
    const auto it = std::lower_bound(cells.begin(), cells.end(), Cell{start, 0});
    return static_cast<std::int32_t>(it - cells.begin());
  };
  struct Join {
    std::int32_t cell, n_edges, rank;
    bool mixed;
  };
  std::vector<Join> joins;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int32_t v = order_[cells[i].first];
    joins.clear();
    for (std::int32_t h = graph_->offsets[v]; h < graph_->offsets[v + 1]; ++h) {
      const std::int32_t cell = cell_of_[graph_->neighbours[h]];
      if (cell_size_[cell] == 1) continue;
      joins.push_back({cell, 1, graph_->edge_ranks[h], false});
    }
    meter_->spend(joins.size() + 1);
    std::sort(joins.begin(), joins.end(),
              [](const Join& a, const Join& b) { return a.cell < b.cell; });
    for (std::size_t begin = 0, end = 0; begin < joins.size(); begin = end) {
      Join& join = joins[begin];
      for (end = begin + 1; end < joins.size() && joins[end].cell == join.cell; ++end) {
        ++join.n_edges;
        join.mixed = join.mixed || joins[end].rank != join.rank;
      }
      const std::int32_t other = index_of(join.cell);
      if (other == static_cast<std::int32_t>(cells.size()) || cells[other].first != join.cell) {
        continue;  // in another part, hence homogeneous
      }
      const std::int32_t all = cells[other].second - (other == static_cast<std::int32_t>(i));
      if (!join.mixed && join.n_edges == all) continue;
      const std::int32_t a = find(static_cast<std::int32_t>(i));
      const std::int32_t b = find(other);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<Cell>> result;
  std::vector<std::int32_t> part_of(cells.size(), -1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int32_t root = find(static_cast<std::int32_t>(i));
    if (part_of[root] < 0) {
      part_of[root] = static_cast<std::int32_t>(result.size());
      result.emplace_back();
    }
    result[part_of[root]].push_back(cells[i]);
  }
  return result;
}

bool CoreSearch::is_homogeneous_inside(const Cell& cell) const {
  const std::int32_t v = order_[cell.first];
  std::int32_t n_edges = 0;
  std::int32_t rank = -1;
  for (std::int32_t h = graph_->offsets[v]; h < graph_->offsets[v + 1]; ++h) {
    if (cell_of_[graph_->neighbours[h]] != cell.first) continue;
    if (n_edges++ > 0 && graph_->edge_ranks[h] != rank) return false;
    rank = graph_->edge_ranks[h];
  }
  return n_edges == 0 || n_edges == cell.second - 1;
}

void CoreSearch::solve_part(const std::vector<Cell>& part) {
  if (part.size() == 1 && is_homogeneous_inside(part.front())) {
    make_discrete(part);
    return;
  }
  const bool all_pairs =
      std::all_of(part.begin(), part.end(), [](const Cell& cell) { return cell.second == 2; });
  if (all_pairs) {
    single_out(order_[part.front().first]);
    refine();
    return;
  }
  branch(part);
}

void CoreSearch::branch(const std::vector<Cell>& part) {
  path_ = SearchPath::kSearched;
  branched_ = true;
  const Cell target = *std::min_element(part.begin(), part.end(), [](const Cell& a, const Cell& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  if (greedy_) {
    single_out(order_[target.first]);
    refine();
    descend(part);
    return;
  }
  const std::vector<std::int32_t> vertices(order_.begin() + target.first,
                                           order_.begin() + target.first + target.second);
  std::vector<std::int32_t> before;
  for (const auto& [start, size] : part) {
    before.insert(before.end(), order_.begin() + start, order_.begin() + start + size);
  }
  Orbits orbits(n_);
  std::size_t n_absorbed = 0;
  const auto absorb_new = [&] {
    for (; n_absorbed < automorphisms_.size(); ++n_absorbed) {
      const std::vector<std::int32_t>& map = automorphisms_[n_absorbed];
      const bool fixes_prefix =
          std::all_of(prefix_.begin(), prefix_.end(), [&](std::int32_t v) { return map[v] == v; });
      meter_->spend(static_cast<std::uint64_t>(n_));
      if (fixes_prefix) orbits.absorb(map);
    }
  };
  Candidate best;
  bool first = true;
  for (const std::int32_t vertex : vertices) {
    absorb_new();
    if (orbits.tried(vertex)) continue;
    if (!first) restore(part, before);
    try_vertex(part, vertex, best, first);
    first = false;
    orbits.mark_tried(vertex);
  }
  restore(part, best.best.order);
  make_discrete(part);
}

void CoreSearch::descend(const std::vector<Cell>& part) {
  if (++depth_ > kMaxDepth) {
    throw BudgetExceeded("needs a search of more than " + std::to_string(kMaxDepth) + " levels");
  }
  solve(open_cells(part));
  --depth_;
}

// Returns whether there was a choice to make on the way.
bool CoreSearch::descend_greedily(const std::vector<Cell>& part) {
  const bool was_branched = std::exchange(branched_, false);
  greedy_ = true;
  descend(part);
  greedy_ = false;
  return std::exchange(branched_, was_branched);
}

// Singles the vertex out and updates the best candidate, or finds an automorphism to it.
void CoreSearch::try_vertex(const std::vector<Cell>& part, std::int32_t vertex, Candidate& best,
                            bool first) {
  trace_ = 0;
  single_out(vertex);
  refine();
  const std::uint64_t trace = trace_;
  if (!first && trace > best.trace) return;
  std::vector<Cell> cells;  // of the part, as refinement left them
  std::vector<std::int32_t> refined;
  for (const auto& [start, size] : part) {
    for (std::int32_t p = start; p < start + size; p += cell_size_[p]) {
      cells.emplace_back(p, cell_size_[p]);
    }
    refined.insert(refined.end(), order_.begin() + start, order_.begin() + start + size);
  }

  const bool had_choice = descend_greedily(part);
  Leaf greedy = leaf(part);
  const bool tied = !first && trace == best.trace;
  if (tied && greedy.hash == best.greedy.hash) {
    add_automorphism(best.greedy.order, greedy.order);
    return;
  }
  if (tied && greedy.hash == best.best.hash) {
    add_automorphism(best.best.order, greedy.order);
    return;
  }
  Leaf own = greedy;
  if (had_choice) {
    restore(cells, refined);
    prefix_.push_back(vertex);
    descend(part);
    prefix_.pop_back();
    own = leaf(part);
  }
  if (tied && own.hash == best.best.hash) {
    add_automorphism(best.best.order, own.order);
    return;
  }
  if (first || trace < best.trace || own.hash < best.best.hash) {
    best = {trace, std::move(own), std::move(greedy)};
  }
}

// The hash of all edges at the part's vertices in the present order. Joins with parts not yet
// ordered are homogeneous, so their order does not show.
CoreSearch::Leaf CoreSearch::leaf(const std::vector<Cell>& part) {
  Leaf result;
  std::uint64_t scanned = 0;
  for (const auto& [start, size] : part) {
    for (std::int32_t p = start; p < start + size; ++p) {
      const std::int32_t v = order_[p];
      result.order.push_back(v);
      for (std::int32_t h = graph_->offsets[v]; h < graph_->offsets[v + 1]; ++h) {
        const std::int32_t q = place_[graph_->neighbours[h]];
        result.hash += mix128(static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(q),
                              graph_->edge_keys[static_cast<std::size_t>(graph_->edge_ranks[h])]);
      }
      scanned += static_cast<std::uint64_t>(graph_->offsets[v + 1] - graph_->offsets[v]) + 1;
    }
  }
  meter_->spend(scanned);
  return result;
}

// Puts back cells that refinement has cut further, with their vertices in the given order.
void CoreSearch::restore(const std::vector<Cell>& part, const std::vector<std::int32_t>& order) {
  std::size_t next = 0;
  for (const auto& [start, size] : part) {
    for (std::int32_t p = start; p < start + size; p += cell_size_[p]) --n_cells_;
    ++n_cells_;
    for (std::int32_t p = start; p < start + size; ++p) {
      const std::int32_t v = order[next++];
      order_[p] = v;
      place_[v] = p;
      cell_of_[v] = start;
    }
    cell_size_[start] = size;
  }
}

void CoreSearch::make_discrete(const std::vector<Cell>& part) {
  for (const auto& [start, size] : part) {
    for (std::int32_t p = start; p < start + size; ++p) {
      cell_of_[order_[p]] = p;
      cell_size_[p] = 1;
    }
    n_cells_ += size - 1;
  }
}

void CoreSearch::add_automorphism(const std::vector<std::int32_t>& from,
                                  const std::vector<std::int32_t>& to) {
  std::vector<std::int32_t> map(static_cast<std::size_t>(n_));
  std::iota(map.begin(), map.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) map[from[i]] = to[i];
  meter_->spend(static_cast<std::uint64_t>(n_));
  automorphisms_.push_back(std::move(map));
}

Hash128 CoreSearch::hash_all(std::span<const Hash128> colours) {
  const std::int32_t* const neighbours = graph_->neighbours.data();
  const std::int32_t* const ranks = graph_->edge_ranks.data();
  const std::uint64_t* const keys = graph_->edge_keys.data();
  const std::int32_t* const place = place_.data();
  Hash128 sum;
  for (std::int32_t p = 0; p < n_; ++p) {
    const std::int32_t v = order_[p];
    const Hash128& colour = colours[v];
    sum += mix128(colour.high, colour.low, static_cast<std::uint64_t>(p));
    for (std::int32_t h = graph_->offsets[v], end = graph_->offsets[v + 1]; h < end; ++h) {
      // Both directions: a test for one would cost more in mispredicted branches.
      const std::int32_t q = place[neighbours[h]];
      sum += mix128(static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(q), keys[ranks[h]]);
    }
  }
  return sum;
}

}  // namespace graphassay::canon
