// Segmented Eulerian neighbourhood trails (Chen et al. 2025; strategies after DEFINITIONS 2).
#include <algorithm>
#include <cstdint>
#include <vector>

#include "linearize_rows.hpp"
#include "random_stream.hpp"

namespace graphassay {
namespace {

using linearize::Adjacency;
using linearize::GraphSlice;
using linearize::Part;
using linearize::Stream;

// The unvisited vertices in groups of equal rank, least rank first; a group can lose any of its
// members in O(1), and the first group that is not empty only ever moves on.
class Pool {
 public:
  void fill(std::size_t n, Pick pick, const Adjacency& adjacency) {
    members_.resize(n);
    place_.resize(n);
    first_ = 0;
    if (pick == Pick::kAny) {
      groups_.assign(1, {0, static_cast<std::int32_t>(n)});
      group_of_.assign(n, 0);
      for (std::size_t v = 0; v < n; ++v) {
        members_[v] = place_[v] = static_cast<std::int32_t>(v);
      }
      return;
    }
    std::int32_t highest = 0;
    for (std::size_t v = 0; v < n; ++v) highest = std::max(highest, adjacency.degree(v));
    groups_.assign(static_cast<std::size_t>(highest) + 1, {0, 0});
    group_of_.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      const std::int32_t degree = adjacency.degree(v);
      group_of_[v] = pick == Pick::kLeastDegree ? degree : highest - degree;
      ++groups_[static_cast<std::size_t>(group_of_[v])].size;
    }
    std::int32_t begin = 0;
    for (Group& group : groups_) {
      group.begin = begin;
      begin += group.size;
      group.size = 0;
    }
    for (std::size_t v = 0; v < n; ++v) {
      Group& group = groups_[static_cast<std::size_t>(group_of_[v])];
      place_[v] = group.begin + group.size++;
      members_[static_cast<std::size_t>(place_[v])] = static_cast<std::int32_t>(v);
    }
  }

  void remove(std::int32_t v) {
    Group& group = groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(v)])];
    const std::int32_t at = place_[static_cast<std::size_t>(v)];
    const std::int32_t last = members_[static_cast<std::size_t>(group.begin + --group.size)];
    members_[static_cast<std::size_t>(at)] = last;
    place_[static_cast<std::size_t>(last)] = at;
  }

  // The candidates for a fresh start. Not empty as long as a vertex is left.
  std::span<const std::int32_t> best() {
    while (groups_[first_].size == 0) ++first_;
    return {members_.data() + groups_[first_].begin,
            static_cast<std::size_t>(groups_[first_].size)};
  }

 private:
  struct Group {
    std::int32_t begin, size;
  };
  std::vector<std::int32_t> members_, place_, group_of_;
  std::vector<Group> groups_;
  std::size_t first_ = 0;
};

class SentKernel {
 public:
  SentKernel(const LinearizeInput& input, SentStrategy strategy,
             std::span<const std::int64_t> streams, std::uint64_t key, std::vector<double>& log_q)
      : input_(input), strategy_(strategy), streams_(streams), key_(key), log_q_(log_q) {}

  void write(std::size_t row, Part& part) {
    const GraphSlice s = linearize::slice(input_, row);
    linearize::check_size(s, static_cast<std::size_t>(input_.layout.n_positions));
    adjacency_.load(input_, s);
    pool_.fill(s.n, strategy_.start, adjacency_);
    index_.assign(s.n, -1);
    // BOS, EOS; per vertex index, label, the step or RESET before it; brackets; bracketed edges.
    std::int32_t* out = part.sink.reserve(2 + 3 * s.n + 2 * std::min(s.n, s.m) + 2 * s.m);
    Stream stream = Stream::of_row(key_, streams_[row]);
    part.sink.commit(walk(s, stream, out));
    log_q_[row] = stream.log_q();
  }

 private:
  std::int32_t* walk(const GraphSlice& s, Stream& stream, std::int32_t* out) {
    const Layout& layout = input_.layout;
    *out++ = kBos;
    std::int32_t previous = -1;
    std::int32_t vertex = choose(pool_.best(), stream);
    for (std::int32_t k = 0;; ++k) {
      pool_.remove(vertex);
      index_[static_cast<std::size_t>(vertex)] = k;
      *out++ = layout.first_position + k;
      *out++ = layout.first_vertex_label +
               linearize::vertex_label(input_, s, static_cast<std::size_t>(vertex));
      sort_neighbours(vertex, previous);
      out = write_bracket(out);
      if (!candidates_.empty()) {
        const std::uint32_t at = stream.choose(candidates_.size());
        *out++ = candidates_[at].token;
        previous = vertex;
        vertex = candidates_[at].to;
      } else if (k + 1 < static_cast<std::int32_t>(s.n)) {
        *out++ = kReset;
        previous = -1;
        vertex = choose(pool_.best(), stream);
      } else {
        break;
      }
    }
    *out++ = kEos;
    return out;
  }

  static std::int32_t choose(std::span<const std::int32_t> among, Stream& stream) {
    return among[stream.choose(among.size())];
  }

  // Visited neighbours go into the bracket, the best unvisited ones become candidates.
  void sort_neighbours(std::int32_t vertex, std::int32_t previous) {
    bracket_.clear();
    candidates_.clear();
    std::int32_t best = 0;
    for (const Adjacency::HalfEdge& half : adjacency_.at(static_cast<std::size_t>(vertex))) {
      const std::int32_t index = index_[static_cast<std::size_t>(half.to)];
      if (index >= 0) {
        if (half.to != previous) bracket_.push_back({index, half.token});
        continue;
      }
      const std::int32_t rank = rank_of(half.to);
      if (candidates_.empty() || rank < best) {
        candidates_.clear();
        best = rank;
      }
      if (rank == best) candidates_.push_back(half);
    }
  }

  [[nodiscard]] std::int32_t rank_of(std::int32_t vertex) const {
    if (strategy_.next == Pick::kAny) return 0;
    const std::int32_t degree = adjacency_.degree(static_cast<std::size_t>(vertex));
    return strategy_.next == Pick::kLeastDegree ? degree : -degree;
  }

  std::int32_t* write_bracket(std::int32_t* out) {
    if (bracket_.empty()) return out;
    std::sort(bracket_.begin(), bracket_.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    *out++ = kOpen;
    for (const auto& entry : bracket_) {
      *out++ = entry.token;
      *out++ = input_.layout.first_position + entry.index;
    }
    *out++ = kClose;
    return out;
  }

  struct Revisit {
    std::int32_t index, token;
  };
  const LinearizeInput& input_;
  SentStrategy strategy_;
  std::span<const std::int64_t> streams_;
  std::uint64_t key_;
  std::vector<double>& log_q_;
  Adjacency adjacency_;
  Pool pool_;
  std::vector<std::int32_t> index_;  // of first visit, -1 before
  std::vector<Adjacency::HalfEdge> candidates_;
  std::vector<Revisit> bracket_;
};

}  // namespace

TokenRows sent_tokens(const LinearizeInput& input, SentStrategy strategy,
                      std::span<const std::int64_t> streams, std::uint64_t seed,
                      std::uint64_t epoch) {
  if (streams.size() != input.rows.size()) throw InvalidInput("expected one stream per row");
  std::vector<double> log_q(input.rows.size());
  const std::uint64_t key = Stream::key_of(seed, epoch);
  TokenRows result = linearize::fill_rows(input.rows.size(), input.n_threads, [&] {
    return SentKernel(input, strategy, streams, key, log_q);
  });
  result.log_q = std::move(log_q);
  return result;
}

}  // namespace graphassay
