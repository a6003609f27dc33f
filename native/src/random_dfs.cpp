// DFS codes of random depth-first searches: any start, any unvisited neighbour next.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "graphassay/errors.hpp"
#include "graphassay/linearize.hpp"
#include "random_stream.hpp"

namespace graphassay {
namespace {

using linearize::Stream;

class Search {
 public:
  Search(const GraphSetView& graphs, RandomDfsCodes& codes) : graphs_(graphs), codes_(codes) {}

  void run(std::size_t graph, Stream& stream) {
    load(graph);
    unvisited_.resize(n_);
    place_.resize(n_);
    for (std::size_t v = 0; v < n_; ++v) unvisited_[v] = place_[v] = static_cast<std::int32_t>(v);
    number_.assign(n_, -1);
    next_ = 0;
    while (!unvisited_.empty()) {
      visit(unvisited_[stream.choose(unvisited_.size())]);
      while (!path_.empty()) step(stream);
    }
  }

 private:
  struct HalfEdge {
    std::int32_t to, label;
  };

  void load(std::size_t graph) {
    n_ = graphs_.n_vertices(graph);
    first_vertex_ = static_cast<std::size_t>(graphs_.vertex_offsets[graph]);
    const auto first_edge = static_cast<std::size_t>(graphs_.edge_offsets[graph]);
    const std::size_t m = graphs_.n_edges(graph);
    out_ = codes_.tuples.data() + 5 * first_edge;
    offsets_.assign(n_ + 1, 0);
    for (std::size_t e = first_edge; e < first_edge + m; ++e) {
      ++offsets_[static_cast<std::size_t>(graphs_.edge_u[e]) + 1];
      ++offsets_[static_cast<std::size_t>(graphs_.edge_v[e]) + 1];
    }
    for (std::size_t v = 0; v < n_; ++v) offsets_[v + 1] += offsets_[v];
    half_edges_.resize(2 * m);
    fill_.assign(offsets_.begin(), offsets_.end() - 1);
    for (std::size_t e = first_edge; e < first_edge + m; ++e) {
      const std::int32_t u = graphs_.edge_u[e];
      const std::int32_t v = graphs_.edge_v[e];
      const std::int32_t label = graphs_.edge_labels[e];
      half_edges_[fill_[static_cast<std::size_t>(u)]++] = {v, label};
      half_edges_[fill_[static_cast<std::size_t>(v)]++] = {u, label};
    }
  }

  [[nodiscard]] std::span<const HalfEdge> at(std::int32_t v) const {
    const auto i = static_cast<std::size_t>(v);
    return {half_edges_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]};
  }

  void visit(std::int32_t v) {
    const auto i = static_cast<std::size_t>(v);
    const std::int32_t last = unvisited_.back();
    unvisited_[static_cast<std::size_t>(place_[i])] = last;
    place_[static_cast<std::size_t>(last)] = place_[i];
    unvisited_.pop_back();
    number_[i] = next_;
    codes_.order[first_vertex_ + static_cast<std::size_t>(next_)] = v;
    ++next_;
    path_.push_back(v);
  }

  // Goes on from the end of the path to an unvisited neighbour, or leaves it.
  void step(Stream& stream) {
    const std::int32_t from = path_.back();
    candidates_.clear();
    for (const HalfEdge& half : at(from)) {
      if (number_[static_cast<std::size_t>(half.to)] < 0) candidates_.push_back(half);
    }
    if (candidates_.empty()) {
      path_.pop_back();
      return;
    }
    const HalfEdge taken = candidates_[stream.choose(candidates_.size())];
    visit(taken.to);
    emit(from, taken);
    // In an undirected depth-first search the other visited neighbours are on the path.
    back_.clear();
    for (const HalfEdge& half : at(taken.to)) {
      if (half.to != from && number_[static_cast<std::size_t>(half.to)] >= 0) {
        back_.push_back(half);
      }
    }
    std::sort(back_.begin(), back_.end(), [&](const HalfEdge& a, const HalfEdge& b) {
      return number_[static_cast<std::size_t>(a.to)] < number_[static_cast<std::size_t>(b.to)];
    });
    for (const HalfEdge& half : back_) emit(taken.to, half);
  }

  void emit(std::int32_t from, const HalfEdge& half) {
    const auto u = static_cast<std::size_t>(from);
    const auto v = static_cast<std::size_t>(half.to);
    *out_++ = number_[u];
    *out_++ = number_[v];
    *out_++ = graphs_.vertex_labels[first_vertex_ + u];
    *out_++ = graphs_.vertex_labels[first_vertex_ + v];
    *out_++ = half.label;
  }

  const GraphSetView& graphs_;
  RandomDfsCodes& codes_;
  std::size_t n_ = 0;
  std::size_t first_vertex_ = 0;
  std::int32_t next_ = 0;
  std::int32_t* out_ = nullptr;
  std::vector<std::size_t> offsets_, fill_;
  std::vector<HalfEdge> half_edges_, candidates_, back_;
  std::vector<std::int32_t> unvisited_, place_, number_, path_;
};

}  // namespace

RandomDfsCodes random_dfs_codes(const GraphSetView& graphs, std::span<const std::int64_t> streams,
                                std::uint64_t seed, std::uint64_t epoch, std::size_t n_threads) {
  const std::size_t n = graphs.size();
  if (streams.size() != n) throw InvalidInput("expected one stream per graph");
  RandomDfsCodes codes;
  codes.tuples.resize(5 * graphs.edge_u.size());
  codes.order.resize(graphs.vertex_labels.size());
  codes.log_q.resize(n);
  const std::uint64_t key = Stream::key_of(seed, epoch);
  constexpr std::size_t kWorthAThread = 512;  // graphs; starting one costs as much as some of them
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n / kWorthAThread + 1));
  std::vector<std::exception_ptr> errors(n_threads);
  const auto run = [&](std::size_t t) {
    try {
      Search search(graphs, codes);
      for (std::size_t g = n * t / n_threads; g < n * (t + 1) / n_threads; ++g) {
        Stream stream = Stream::of_row(key, streams[g]);
        search.run(g, stream);
        codes.log_q[g] = stream.log_q();
      }
    } catch (...) {  // out of memory
      errors[t] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < n_threads; ++t) threads.emplace_back(run, t);
    run(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return codes;
}

}  // namespace graphassay
