#include "miner_pattern.hpp"

#include <algorithm>

namespace graphassay::miner {
namespace {

bool exchangeable(const PatternGraph& p, unsigned u, unsigned v) {
  if (p.labels[u] != p.labels[v]) return false;
  const unsigned mine = p.adjacent[u] & ~(1U << v);
  const unsigned other = p.adjacent[v] & ~(1U << u);
  if (mine != other) return false;
  for (unsigned rest = mine; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(rest));
    if (p.edge_label[u][w] != p.edge_label[v][w]) return false;
  }
  return true;
}

std::uint32_t read_label(const std::uint8_t*& cursor, unsigned n_bytes) {
  std::uint32_t label = 0;
  for (unsigned i = 0; i < n_bytes; ++i) label = (label << 8) | *cursor++;
  return label;
}

}  // namespace

std::array<std::uint16_t, kMaxVertices> lower_twins(const PatternGraph& pattern) {
  std::array<std::uint16_t, kMaxVertices> lower{};
  for (unsigned v = 1; v < pattern.n; ++v) {
    for (unsigned u = 0; u < v; ++u) {
      if (exchangeable(pattern, u, v)) lower[v] = static_cast<std::uint16_t>(lower[v] | (1U << u));
    }
  }
  return lower;
}

void Canonizer::run(const PatternGraph& pattern, Canonical& result) {
  result.code.clear();
  result.automorphisms.clear();
  result.lower_twins = lower_twins(pattern);
  rank_edge_labels(pattern);
  start(pattern, result);
  for (unsigned r = 1; r < pattern.n; ++r) grow(pattern, r, result);
  result.order = partials_.front().order;
  result.n_orders = partials_.size();
  const Perm place = inverse(result.order, pattern.n);
  for (std::size_t i = 1; i < partials_.size(); ++i) {
    result.automorphisms.push_back(then(place, partials_[i].order, pattern.n));
  }
}

// One byte per edge in a Step: the label itself where it fits, else its rank in the pattern.
void Canonizer::rank_edge_labels(const PatternGraph& pattern) {
  ranked_ = format_.edge_label_bytes > 1;
  if (!ranked_) return;
  ranks_.clear();
  for (unsigned v = 0; v < pattern.n; ++v) {
    for_each_bit(pattern.adjacent[v],
                 [&](unsigned w) { ranks_.push_back(pattern.edge_label[v][w]); });
  }
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
}

void Canonizer::start(const PatternGraph& pattern, Canonical& result) {
  std::uint32_t least = pattern.labels[0];
  for (unsigned v = 1; v < pattern.n; ++v) least = std::min(least, pattern.labels[v]);
  partials_.clear();
  for (unsigned v = 0; v < pattern.n; ++v) {
    if (pattern.labels[v] == least && result.lower_twins[v] == 0) {
      partials_.push_back({Perm{v}, static_cast<std::uint16_t>(1U << v)});
    }
  }
  path_[0] = 0;
  path_size_ = 1;
  emit_labels(least, format_.vertex_label_bytes, result.code);
}

Canonizer::Step Canonizer::step(const PatternGraph& pattern, const Partial& partial, unsigned from,
                                unsigned depth, unsigned vertex) const {
  Step s{(std::uint64_t{pattern.edge_label[from][vertex]} << 32) | pattern.labels[vertex],
         ~std::uint64_t{0}, ~std::uint64_t{0}};
  for (unsigned d = 0; d < depth; ++d) {
    const unsigned ancestor = at(partial.order, path_[d]);
    if (((pattern.adjacent[vertex] >> ancestor) & 1U) == 0) continue;
    const std::uint32_t label = pattern.edge_label[ancestor][vertex];
    const auto rank = static_cast<std::uint64_t>(
        ranked_ ? static_cast<std::uint32_t>(std::lower_bound(ranks_.begin(), ranks_.end(), label) -
                                             ranks_.begin())
                : label);
    const std::uint64_t flip = (rank ^ 0xFF) << (56 - 8 * (d & 7));
    (d < 8 ? s.back_low : s.back_high) ^= flip;
  }
  return s;
}

// Adds the r-th vertex: the forward edge from the deepest path vertex that still has an unvisited
// neighbour in any partial code, then all backward edges of the new vertex. A depth-first search
// leaves the path only through exhausted vertices, so all its visited neighbours are on the path.
void Canonizer::grow(const PatternGraph& pattern, unsigned r, Canonical& result) {
  unsigned depth = path_size_;
  const auto open = [&](const Partial& p, unsigned d) {
    return static_cast<unsigned>(pattern.adjacent[at(p.order, path_[d])]) & ~unsigned{p.visited};
  };
  do {
    --depth;
  } while (std::none_of(partials_.begin(), partials_.end(),
                        [&](const Partial& p) { return open(p, depth) != 0; }));
  next_.clear();
  Step best{};
  for (const Partial& partial : partials_) {
    const unsigned from = at(partial.order, path_[depth]);
    for (unsigned rest = open(partial, depth); rest != 0; rest &= rest - 1) {
      const auto vertex = static_cast<unsigned>(std::countr_zero(rest));
      if ((result.lower_twins[vertex] & ~unsigned{partial.visited}) != 0) continue;
      const Step s = step(pattern, partial, from, depth, vertex);
      if (!next_.empty()) {
        if (best < s) continue;
        if (s < best) next_.clear();
      }
      best = s;
      next_.push_back({with(partial.order, r, vertex),
                       static_cast<std::uint16_t>(partial.visited | (1U << vertex))});
    }
  }
  partials_.swap(next_);
  if (r > 1) {
    result.code.push_back(1);
    result.code.push_back(static_cast<std::uint8_t>(255U - path_[depth]));
  }
  emit_labels(static_cast<std::uint32_t>(best.labels >> 32), format_.edge_label_bytes, result.code);
  emit_labels(static_cast<std::uint32_t>(best.labels), format_.vertex_label_bytes, result.code);
  const unsigned vertex = at(partials_.front().order, r);
  for (unsigned d = 0; d < depth; ++d) {
    const unsigned ancestor = at(partials_.front().order, path_[d]);
    if (((pattern.adjacent[vertex] >> ancestor) & 1U) == 0) continue;
    result.code.push_back(0);
    result.code.push_back(path_[d]);
    emit_labels(pattern.edge_label[ancestor][vertex], format_.edge_label_bytes, result.code);
  }
  path_[depth + 1] = static_cast<std::uint8_t>(r);
  path_size_ = depth + 2;
}

void Canonizer::emit_labels(std::uint32_t label, unsigned n_bytes,
                            std::vector<std::uint8_t>& code) const {
  for (unsigned i = n_bytes; i-- > 0;) code.push_back(static_cast<std::uint8_t>(label >> (8 * i)));
}

void decode(std::span<const std::uint8_t> code, CodeFormat format, DecodedCode& result) {
  result.labels.clear();
  result.edges.clear();
  const std::uint8_t* cursor = code.data();
  const std::uint8_t* const end = cursor + code.size();
  const auto forward = [&](unsigned from) {
    const std::uint32_t edge_label = read_label(cursor, format.edge_label_bytes);
    result.edges.push_back({static_cast<std::uint8_t>(from),
                            static_cast<std::uint8_t>(result.labels.size()), edge_label});
    result.labels.push_back(read_label(cursor, format.vertex_label_bytes));
  };
  result.labels.push_back(read_label(cursor, format.vertex_label_bytes));
  forward(0);
  while (cursor != end) {
    const bool is_forward = *cursor++ != 0;
    const std::uint8_t place = *cursor++;
    if (is_forward) {
      forward(255U - place);
    } else {
      const std::uint32_t edge_label = read_label(cursor, format.edge_label_bytes);
      result.edges.push_back(
          {place, static_cast<std::uint8_t>(result.labels.size() - 1), edge_label});
    }
  }
}

std::uint64_t hash_code(std::span<const std::uint8_t> code) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
  for (const std::uint8_t byte : code) hash = (hash ^ byte) * 0x100000001B3ULL;
  return hash ^ (hash >> 29);
}

}  // namespace graphassay::miner
