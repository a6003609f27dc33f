#include "graphassay/rewire.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace graphassay {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): ours, because the standard distributions differ by library.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(seed) ^ mix(~stream)) {}

  std::uint32_t below(std::size_t n) {  // n >= 1, n < 2^32
    state_ += 0x9e3779b97f4a7c15ULL;
    return static_cast<std::uint32_t>(((mix(state_) >> 32) * n) >> 32);
  }
  bool coin() { return below(2) == 1; }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

struct Edge {
  std::int32_t u, v, label;
};

class Rewirer {
 public:
  Rewirer(const GraphSetView& graphs, std::size_t graph) : neighbors_(graphs.n_vertices(graph)) {
    const auto first = static_cast<std::size_t>(graphs.edge_offsets[graph]);
    for (std::size_t i = first; i < first + graphs.n_edges(graph); ++i) {
      edges_.push_back({graphs.edge_u[i], graphs.edge_v[i], graphs.edge_labels[i]});
      at(edges_.back().u).push_back(edges_.back().v);
      at(edges_.back().v).push_back(edges_.back().u);
    }
    // Edges of one label stand together; the partner of a swap is drawn from that range.
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const Edge& a, const Edge& b) { return a.label < b.label; });
    for (std::size_t begin = 0; begin < edges_.size();) {
      std::size_t end = begin;
      while (end < edges_.size() && edges_[end].label == edges_[begin].label) ++end;
      ranges_.insert(ranges_.end(), end - begin, {begin, end});
      begin = end;
    }
  }

  void run(Random& random, std::size_t n_swaps) {
    for (std::size_t i = 0; i < n_swaps; ++i) {
      const std::size_t first = random.below(edges_.size());
      const auto [begin, end] = ranges_[first];
      const std::size_t second = begin + random.below(end - begin);
      const bool turn = random.coin();  // both drawn always: the stream does not depend on success
      if (first != second) swap(edges_[first], edges_[second], turn);
    }
  }

  std::vector<Edge> take() {
    for (Edge& edge : edges_) {
      if (edge.u > edge.v) std::swap(edge.u, edge.v);
    }
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
      return std::pair(a.u, a.v) < std::pair(b.u, b.v);
    });
    return std::move(edges_);
  }

 private:
  std::vector<std::int32_t>& at(std::int32_t vertex) {
    return neighbors_[static_cast<std::size_t>(vertex)];
  }

  bool adjacent(std::int32_t a, std::int32_t b) {
    if (at(a).size() > at(b).size()) std::swap(a, b);
    return std::find(at(a).begin(), at(a).end(), b) != at(a).end();
  }

  void swap(Edge& one, Edge& other, bool turn) {
    const std::int32_t a = one.u, b = one.v;
    const std::int32_t c = turn ? other.v : other.u, d = turn ? other.u : other.v;
    if (a == d || b == c || adjacent(a, d) || adjacent(c, b)) return;
    std::replace(at(a).begin(), at(a).end(), b, d);
    std::replace(at(b).begin(), at(b).end(), a, c);
    std::replace(at(c).begin(), at(c).end(), d, b);
    std::replace(at(d).begin(), at(d).end(), c, a);
    one = {a, d, one.label};
    other = {c, b, other.label};
  }

  std::vector<std::vector<std::int32_t>> neighbors_;
  std::vector<Edge> edges_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

}  // namespace

RewiredEdges rewire(const GraphSetView& graphs, std::uint64_t seed, std::uint32_t swaps_per_edge) {
  RewiredEdges result;
  result.edge_u.reserve(graphs.edge_u.size());
  result.edge_v.reserve(graphs.edge_u.size());
  result.edge_labels.reserve(graphs.edge_u.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Rewirer rewirer(graphs, g);
    Random random(seed, g);
    if (const std::size_t n_edges = graphs.n_edges(g); n_edges > 1) {
      rewirer.run(random, n_edges * swaps_per_edge);
    }
    for (const Edge& edge : rewirer.take()) {
      result.edge_u.push_back(edge.u);
      result.edge_v.push_back(edge.v);
      result.edge_labels.push_back(edge.label);
    }
  }
  return result;
}

}  // namespace graphassay
