// Fills packed rows of tokens on several threads, one contiguous range of rows each.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graphassay/errors.hpp"
#include "graphassay/linearize.hpp"

namespace graphassay::linearize {

// A growing array of tokens that is never zero-filled.
class TokenSink {
 public:
  // Room for `n_most` more tokens; the pointer is good until the next call.
  std::int32_t* reserve(std::size_t n_most) {
    if (size_ + n_most > capacity_) {
      const std::size_t capacity = std::max({2 * capacity_, size_ + n_most, std::size_t{1} << 14});
      auto grown = std::make_unique_for_overwrite<std::int32_t[]>(capacity);
      if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_ * sizeof(std::int32_t));
      data_ = std::move(grown);
      capacity_ = capacity;
    }
    return data_.get() + size_;
  }
  void commit(const std::int32_t* end) { size_ = static_cast<std::size_t>(end - data_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::int32_t* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::int32_t[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

struct Part {
  TokenSink sink;
  std::vector<std::pair<std::int64_t, DfsTuple>> missing;
  std::exception_ptr error;
};

// Calls Kernel(args...) once per thread and kernel.write(row, part) for each of its rows. The error
// of the lowest row is the one thrown.
template <typename MakeKernel>
TokenRows fill_rows(std::size_t n_rows, std::size_t n_threads, const MakeKernel& make_kernel) {
  constexpr std::size_t kWorthAThread = 512;  // rows; starting one costs as much as some of them
  n_threads = std::max<std::size_t>(1, std::min(n_threads, n_rows / kWorthAThread + 1));
  std::vector<Part> parts(n_threads);
  TokenRows result;
  result.offsets.resize(n_rows + 1, 0);
  const auto run = [&](std::size_t t) {
    const std::size_t begin = n_rows * t / n_threads;
    const std::size_t end = n_rows * (t + 1) / n_threads;
    try {
      auto kernel = make_kernel();
      for (std::size_t row = begin; row < end; ++row) {
        kernel.write(row, parts[t]);
        result.offsets[row + 1] = static_cast<std::int64_t>(parts[t].sink.size());
      }
    } catch (...) {
      parts[t].error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < n_threads; ++t) threads.emplace_back(run, t);
    run(0);
  }
  std::size_t total = 0;
  for (const Part& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
    total += part.sink.size();
  }
  result.tokens = std::make_unique_for_overwrite<std::int32_t[]>(std::max<std::size_t>(total, 1));
  std::size_t base = 0;
  for (std::size_t t = 0; t < n_threads; ++t) {
    const TokenSink& sink = parts[t].sink;
    if (sink.size() > 0) {
      std::memcpy(result.tokens.get() + base, sink.data(), sink.size() * sizeof(std::int32_t));
    }
    for (std::size_t row = n_rows * t / n_threads; row < n_rows * (t + 1) / n_threads; ++row) {
      result.offsets[row + 1] += static_cast<std::int64_t>(base);
    }
    base += sink.size();
    result.missing.insert(result.missing.end(), parts[t].missing.begin(), parts[t].missing.end());
  }
  return result;
}

// One graph of the set, checked against the vocabulary's size.
struct GraphSlice {
  std::size_t index, first_vertex, first_edge, n, m;
};

inline GraphSlice slice(const LinearizeInput& input, std::size_t row) {
  const GraphSetView& graphs = input.graphs;
  const std::int64_t g = input.rows[row];
  if (g < 0 || static_cast<std::size_t>(g) >= graphs.size()) {
    throw InvalidInput("row " + std::to_string(row) + ": there is no graph " + std::to_string(g));
  }
  const auto index = static_cast<std::size_t>(g);
  const GraphSlice s{index, static_cast<std::size_t>(graphs.vertex_offsets[index]),
                     static_cast<std::size_t>(graphs.edge_offsets[index]), graphs.n_vertices(index),
                     graphs.n_edges(index)};
  if (s.n == 0) throw InvalidInput("graph " + std::to_string(g) + " has no vertex");
  return s;
}

[[noreturn]] inline void fail_label(const GraphSlice& s, const char* what) {
  throw InvalidInput("graph " + std::to_string(s.index) + ": a " + what +
                     " label is not in the vocabulary");
}

inline void check_size(const GraphSlice& s, std::size_t n_most) {
  if (s.n > n_most) {
    throw InvalidInput("graph " + std::to_string(s.index) + " has " + std::to_string(s.n) +
                       " vertices, the vocabulary holds " + std::to_string(n_most));
  }
}

// Labels of one graph in the vocabulary's numbering.
inline std::int32_t vertex_label(const LinearizeInput& input, const GraphSlice& s, std::size_t v) {
  const auto label = static_cast<std::size_t>(input.graphs.vertex_labels[s.first_vertex + v]);
  const std::int32_t mapped = label < input.vertex_map.size() ? input.vertex_map[label] : -1;
  if (mapped < 0) fail_label(s, "vertex");
  return mapped;
}

inline std::int32_t edge_label(const LinearizeInput& input, const GraphSlice& s, std::size_t e) {
  const auto label = static_cast<std::size_t>(input.graphs.edge_labels[s.first_edge + e]);
  const std::int32_t mapped = label < input.edge_map.size() ? input.edge_map[label] : -1;
  if (mapped < 0) fail_label(s, "edge");
  return mapped;
}

// Adjacency of one graph at a time, edge labels as tokens.
class Adjacency {
 public:
  struct HalfEdge {
    std::int32_t to, token;
  };
  void load(const LinearizeInput& input, const GraphSlice& s);
  [[nodiscard]] std::int32_t degree(std::size_t v) const { return offsets_[v + 1] - offsets_[v]; }
  [[nodiscard]] std::span<const HalfEdge> at(std::size_t v) const {
    return {half_edges_.data() + offsets_[v], static_cast<std::size_t>(degree(v))};
  }

 private:
  std::vector<std::int32_t> offsets_, fill_;
  std::vector<HalfEdge> half_edges_;
};

}  // namespace graphassay::linearize
