#include "miner_evaluate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace graphassay::miner {
namespace {

bool machine_is_fast() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return fast;
#else
  return false;
#endif
}

}  // namespace

template <typename Vertex>
bool Evaluator<Vertex>::run(const Level& level, const Candidate& candidate, Arena& arena,
                            Pattern& pattern, std::uint32_t* counts) {
  if (machine_is_fast()) return run_fast(level, candidate, arena, pattern, counts);
  return evaluate(level, candidate, arena, pattern, counts);
}

template <typename Vertex>
bool Evaluator<Vertex>::run_fast(const Level& level, const Candidate& candidate, Arena& arena,
                                 Pattern& pattern, std::uint32_t* counts) {
  return evaluate(level, candidate, arena, pattern, counts);
}

template <typename Vertex>
inline bool Evaluator<Vertex>::evaluate(const Level& level, const Candidate& candidate,
                                        Arena& arena, Pattern& pattern, std::uint32_t* counts) {
  list_parents(level, candidate);
  intersect();
  if (counter_.slack(current(), scratch_) < 0) return false;
  extend_witnesses(candidate.graph.n);
  if (!undecided_.empty() && !search_rest(candidate.graph)) return false;
  counter_.count(current(), counts, scratch_);
  if (!counter_.frequent(counts)) return false;
  store_result(candidate.graph.n, arena, pattern);
  return true;
}

template <typename Vertex>
void Evaluator<Vertex>::list_parents(const Level& level, const Candidate& candidate) {
  parents_.clear();
  repairs_.clear();
  const PatternGraph& graph = candidate.graph;
  for (const Link& link : candidate.links) {
    const Pattern* parent = &level.patterns[link.parent];
    const auto known = std::find(parents_.begin(), parents_.end(), parent);
    Repair repair{};
    repair.source = static_cast<std::uint32_t>(known - parents_.begin());
    if (known == parents_.end()) parents_.push_back(parent);
    repair.witnesses = static_cast<const Vertex*>(parent->witnesses);
    repair.n = parent->n_vertices;
    repair.pendant = link.dropped != Link::kNothing;
    repair.near = repair.pendant && link.dropped == link.u ? link.v : link.u;
    repair.far = repair.near == link.u ? link.v : link.u;
    repair.type = store_.types.find(graph.edge_label[link.u][link.v], graph.labels[repair.far]);
    for (unsigned y = 0; y < graph.n; ++y) {
      if (y == link.dropped) continue;
      repair.from[y] = static_cast<std::uint8_t>(at(link.perm, y));
      if (repair.pendant && graph.labels[y] == graph.labels[repair.far]) {
        repair.rivals[repair.n_rivals++] = repair.from[y];
      }
    }
    repairs_.push_back(repair);
  }
  // A free neighbour is more often found than a given pair is adjacent.
  std::stable_partition(repairs_.begin(), repairs_.end(),
                        [](const Repair& repair) { return repair.pendant; });
}

// The graphs common to all parents, word by word, with each parent's ranks.
template <typename Vertex>
void Evaluator<Vertex>::intersect() {
  const std::size_t k = parents_.size();
  places_.clear();
  words_.clear();
  parent_words_.clear();
  parent_ranks_.clear();
  cursors_.assign(k, 0);
  passed_.assign(k, 0);
  std::size_t lead = 0;
  for (std::size_t p = 1; p < k; ++p) {
    if (parents_[p]->graphs.n_words < parents_[lead]->graphs.n_words) lead = p;
  }
  const GraphSetBits& leader = parents_[lead]->graphs;
  for (std::uint32_t i = 0; i < leader.n_words; ++i) {
    const std::uint32_t place = leader.places[i];
    std::uint64_t common = leader.words[i];
    for (std::size_t p = 0; p < k && common != 0; ++p) {
      const GraphSetBits& set = parents_[p]->graphs;
      std::uint32_t c = cursors_[p];
      for (; c < set.n_words && set.places[c] < place; ++c) {
        passed_[p] += static_cast<std::uint32_t>(std::popcount(set.words[c]));
      }
      cursors_[p] = c;
      common &= c < set.n_words && set.places[c] == place ? set.words[c] : 0;
    }
    if (common == 0) continue;
    places_.push_back(place);
    words_.push_back(common);
    for (std::size_t p = 0; p < k; ++p) {
      parent_words_.push_back(parents_[p]->graphs.words[cursors_[p]]);
      parent_ranks_.push_back(passed_[p]);
    }
  }
}

// The number of a neighbour that the parent's witness leaves free, or kNoNewcomer.
template <typename Vertex>
inline unsigned Evaluator<Vertex>::free_neighbour(const Repair& repair, const StoredGraph& g,
                                                  const Vertex* parent, unsigned near) const {
  if (g.words == 1) {
    std::uint64_t taken = 0;
    for (std::uint32_t r = 0; r < repair.n_rivals; ++r) {
      taken |= std::uint64_t{1} << (parent[repair.rivals[r]] % 64U);
    }
    const std::uint64_t free = store_.word(g, near, repair.type) & ~taken;
    return free == 0 ? kNoNewcomer : static_cast<unsigned>(std::countr_zero(free));
  }
  if (g.words == 0) {
    for (const std::uint16_t v : store_.list(g, near, repair.type)) {
      if (std::find(parent, parent + repair.n, v) == parent + repair.n) return v;
    }
    return kNoNewcomer;
  }
  const std::uint64_t* row = store_.row(g, near, repair.type);
  if (row == nullptr) return kNoNewcomer;
  for (std::uint32_t i = 0; i < g.words; ++i) {
    std::uint64_t free = row[i];
    if (free == 0) continue;
    for (std::uint32_t r = 0; r < repair.n_rivals; ++r) {
      const Vertex taken = parent[repair.rivals[r]];
      if (taken / 64U == i) free &= ~(std::uint64_t{1} << (taken % 64U));
    }
    if (free != 0) return i * 64 + static_cast<unsigned>(std::countr_zero(free));
  }
  return kNoNewcomer;
}

template <typename Vertex>
inline bool Evaluator<Vertex>::adjacent(const StoredGraph& g, unsigned near, std::uint32_t type,
                                        unsigned far) const {
  if (g.words == 1) return ((store_.word(g, near, type) >> far) & 1U) != 0;
  if (g.words == 0) {
    const auto list = store_.list(g, near, type);
    return std::binary_search(list.begin(), list.end(), far);
  }
  const std::uint64_t* row = store_.row(g, near, type);
  return row != nullptr && ((row[far / 64] >> (far % 64)) & 1U) != 0;
}

// The parent's witness in the candidate's numbering; what it says of a dropped vertex is noise.
// May read kRoom vertices from `parent`.
template <typename Vertex>
template <unsigned kRoom>
inline void Evaluator<Vertex>::copy_image(const Repair& repair, const Vertex* parent,
                                          Vertex* image) {
#if defined(__GNUC__) && !defined(__clang__)
  if constexpr (sizeof(Vertex) == 1) {  // one instruction where the machine has it
    using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
    Bytes bytes{};
    Bytes from;
    std::memcpy(&bytes, parent, kRoom);
    std::memcpy(&from, repair.from.data(), sizeof(from));
    const Bytes shuffled = __builtin_shuffle(bytes, from);
    std::memcpy(image, &shuffled, kRoom);
    return;
  }
#endif
  for (unsigned y = 0; y < kRoom; ++y) image[y] = parent[repair.from[y]];
}

// Tries the witnesses of all parents in every common graph. Parent by parent over a block of
// graphs: what is the same for all of them stays in registers, and their graphs in the cache.
template <typename Vertex>
void Evaluator<Vertex>::extend_witnesses(unsigned n) {
  first_member_.clear();
  std::uint32_t member = 0;
  for (const std::uint64_t word : words_) {
    first_member_.push_back(member);
    member += static_cast<std::uint32_t>(std::popcount(word));
  }
  stride_ = n <= 8 ? 8 : 16;
  witnesses_.resize(std::size_t{member} * stride_);
  open_ = words_;
  if (n <= 8) {
    extend_blocks<8>();
  } else {
    extend_blocks<16>();
  }
  undecided_.clear();
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t rest = open_[i]; rest != 0; rest &= rest - 1) {
      const std::uint64_t bit = rest & (~rest + 1);
      undecided_.push_back(
          {i, first_member_[i] + static_cast<std::uint32_t>(std::popcount(words_[i] & (bit - 1))),
           bit});
    }
  }
  members_ = words_;
}

// A copy of the repair: stores of bytes could be to anything, and would have it read again.
template <typename Vertex>
template <bool kPendant, unsigned kRoom>
inline void Evaluator<Vertex>::extend_block(const Repair repair, std::uint32_t first,
                                            std::uint32_t last) {
  const unsigned near_place = repair.from[repair.near];
  const unsigned far_place = repair.from[repair.far];
  for (std::uint32_t i = first; i < last; ++i) {
    const StoredGraph* const graphs = store_.graphs.data() + places_[i] * std::size_t{64};
    const std::size_t cell = i * parents_.size() + repair.source;
    const std::uint64_t parent_members = parent_words_[cell];
    const Vertex* const parents = repair.witnesses + std::size_t{parent_ranks_[cell]} * repair.n;
    const std::uint64_t members = words_[i];
    Vertex* const images = witnesses_.data() + std::size_t{first_member_[i]} * kRoom;
    std::uint64_t left = 0;
    for (std::uint64_t rest = open_[i]; rest != 0; rest &= rest - 1) {
      const std::uint64_t below = (rest & (~rest + 1)) - 1;
      const StoredGraph& g = graphs[std::countr_zero(rest)];
      const Vertex* const parent =
          parents + static_cast<unsigned>(std::popcount(parent_members & below)) * repair.n;
      unsigned newcomer = 0;
      bool extended = false;
      if constexpr (kPendant) {
        newcomer = free_neighbour(repair, g, parent, parent[near_place]);
        extended = newcomer != kNoNewcomer;
      } else {
        extended = adjacent(g, parent[near_place], repair.type, parent[far_place]);
      }
      if (!extended) {
        left |= below + 1;
        continue;
      }
      Vertex* const image = images + static_cast<unsigned>(std::popcount(members & below)) * kRoom;
      copy_image<kRoom>(repair, parent, image);
      if constexpr (kPendant) image[repair.far] = static_cast<Vertex>(newcomer);
    }
    open_[i] = left;
  }
}

template <typename Vertex>
template <unsigned kRoom>
inline void Evaluator<Vertex>::extend_blocks() {
  constexpr std::uint32_t kBlock = 16;
  const auto n_words = static_cast<std::uint32_t>(words_.size());
  for (std::uint32_t first = 0; first < n_words; first += kBlock) {
    const std::uint32_t last = std::min(n_words, first + kBlock);
    for (const Repair& repair : repairs_) {
      if (repair.pendant) {
        extend_block<true, kRoom>(repair, first, last);
      } else {
        extend_block<false, kRoom>(repair, first, last);
      }
    }
  }
}

// Searches the undecided graphs; false as soon as the rest cannot make the candidate frequent.
template <typename Vertex>
bool Evaluator<Vertex>::search_rest(const PatternGraph& graph) {
  plan_.make(graph, store_);
  std::int64_t slack = counter_.slack(current(), scratch_);
  std::array<std::uint16_t, kMaxVertices> image{};
  for (const Undecided& u : undecided_) {
    const StoredGraph& g =
        store_.graphs[places_[u.word] * 64U + static_cast<unsigned>(std::countr_zero(u.bit))];
    if (search_.find(store_, g, plan_, image.data())) {
      Vertex* witness = witnesses_.data() + std::size_t{u.place} * stride_;
      for (unsigned v = 0; v < graph.n; ++v) witness[v] = static_cast<Vertex>(image[v]);
      continue;
    }
    words_[u.word] &= ~u.bit;
    if (--slack >= 0) continue;
    slack = counter_.slack(current(), scratch_);
    if (slack < 0) return false;
  }
  return true;
}

template <typename Vertex>
void Evaluator<Vertex>::store_result(unsigned n, Arena& arena, Pattern& pattern) {
  std::uint32_t n_words = 0;
  std::uint32_t n_graphs = 0;
  bool gaps = false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == 0) continue;
    gaps = gaps || places_[i] != n_words;
    ++n_words;
    n_graphs += static_cast<std::uint32_t>(std::popcount(words_[i]));
  }
  auto* words = arena.take<std::uint64_t>(n_words);
  auto* places = gaps ? arena.take<std::uint32_t>(n_words) : nullptr;
  // Copied in steps of 8 or 16: the last one may write past the end.
  auto* witnesses = arena.take<Vertex>(std::size_t{n_graphs} * n + stride_);
  pattern.graphs = {gaps ? places : ascending_, words, n_words};
  pattern.n_graphs = n_graphs;
  pattern.witnesses = witnesses;
  const Vertex* image = witnesses_.data();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) {
      *words++ = words_[i];
      if (gaps) *places++ = places_[i];
    }
    for (std::uint64_t rest = members_[i]; rest != 0; rest &= rest - 1, image += stride_) {
      if ((words_[i] & rest & (~rest + 1)) == 0) continue;
      if (stride_ == 8) {
        std::memcpy(witnesses, image, 8 * sizeof(Vertex));
      } else {
        std::memcpy(witnesses, image, 16 * sizeof(Vertex));
      }
      witnesses += n;
    }
  }
}

template class Evaluator<std::uint8_t>;
template class Evaluator<std::uint16_t>;

}  // namespace graphassay::miner
