// DGMG action sequences (Li et al. 2018, as M 4.1 writes them): per vertex ADD_NODE:label, per edge
// to an earlier vertex ADD_EDGE:label DEST:i, then END_EDGE; END_NODE at the end.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "linearize_rows.hpp"

namespace graphassay {
namespace {

using linearize::Adjacency;
using linearize::GraphSlice;
using linearize::Part;

class DgmgKernel {
 public:
  DgmgKernel(const LinearizeInput& input, std::span<const std::int32_t> numbers)
      : input_(input), numbers_(numbers) {}

  void write(std::size_t row, Part& part) {
    const GraphSlice s = linearize::slice(input_, row);
    const Layout& layout = input_.layout;
    linearize::check_size(s, static_cast<std::size_t>(layout.n_positions) + 1);
    adjacency_.load(input_, s);
    sort_vertices(s);
    std::int32_t* out = part.sink.reserve(3 + 2 * s.n + 2 * s.m);
    *out++ = kBos;
    for (std::size_t k = 0; k < s.n; ++k) {
      *out++ = layout.first_vertex_label + order_[k].label;
      earlier_.clear();
      for (const Adjacency::HalfEdge& half : adjacency_.at(order_[k].vertex)) {
        const std::int32_t at = place_[static_cast<std::size_t>(half.to)];
        if (at < static_cast<std::int32_t>(k)) earlier_.push_back({at, half.token});
      }
      std::sort(earlier_.begin(), earlier_.end(),
                [](const auto& a, const auto& b) { return a.to < b.to; });
      for (const Adjacency::HalfEdge& half : earlier_) {
        *out++ = half.token;
        *out++ = layout.first_position + half.to;
      }
      *out++ = kEndEdge;
    }
    *out++ = kEndNode;
    *out++ = kEos;
    part.sink.commit(out);
  }

 private:
  struct Entry {
    std::int32_t label, number;
    std::size_t vertex;
  };

  void sort_vertices(const GraphSlice& s) {
    order_.resize(s.n);
    place_.resize(s.n);
    for (std::size_t v = 0; v < s.n; ++v) {
      const std::int32_t number =
          numbers_.empty() ? static_cast<std::int32_t>(v) : numbers_[s.first_vertex + v];
      order_[v] = {linearize::vertex_label(input_, s, v), number, v};
    }
    std::sort(order_.begin(), order_.end(), [](const Entry& a, const Entry& b) {
      return a.label != b.label ? a.label < b.label : a.number < b.number;
    });
    for (std::size_t k = 0; k < s.n; ++k) place_[order_[k].vertex] = static_cast<std::int32_t>(k);
  }

  const LinearizeInput& input_;
  std::span<const std::int32_t> numbers_;
  Adjacency adjacency_;
  std::vector<Entry> order_;
  std::vector<std::int32_t> place_;
  std::vector<Adjacency::HalfEdge> earlier_;
};

}  // namespace

TokenRows dgmg_tokens(const LinearizeInput& input, std::span<const std::int32_t> numbers) {
  if (!numbers.empty() && numbers.size() != input.graphs.vertex_labels.size()) {
    throw InvalidInput("numbers: expected one per vertex of the set");
  }
  return linearize::fill_rows(input.rows.size(), input.n_threads,
                              [&] { return DgmgKernel(input, numbers); });
}

}  // namespace graphassay
