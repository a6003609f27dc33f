#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "attention_rows.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/transformer.hpp"
#include "wide.hpp"

namespace graphassay {

namespace {

using wide::Bf16;
using wide::Block;
using wide::kLanes;
using wide::store;
using wide::to_float;

// Queries handled together: a loaded key or value serves them all, and their sums fit registers.
constexpr std::int64_t kTile = 6;

std::int64_t whole_blocks(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// scores[q][t] = query q . key t, for a tile of queries and whole blocks of keys.
GRAPHASSAY_WIDE void score_tile(const float* __restrict queries, std::int64_t dim,
                                const float* __restrict keys, std::int64_t n_keys,
                                float* __restrict scores, std::int64_t stride) {
  for (std::int64_t first = 0; first < n_keys; first += kLanes) {
    Block sums[kTile] = {};
    for (std::int64_t i = 0; i < dim; ++i, keys += kLanes) {
      Block key;
      std::memcpy(&key, keys, sizeof(Block));
      for (std::int64_t q = 0; q < kTile; ++q) sums[q] += queries[q * dim + i] * key;
    }
    for (std::int64_t q = 0; q < kTile; ++q) {
      std::memcpy(scores + q * stride + first, &sums[q], sizeof(Block));
    }
  }
}

// out[q] = sum over t of weights[q][t] * values[t], for rows of `width` numbers in whole blocks.
GRAPHASSAY_WIDE void weigh_tile(const float* __restrict weights, std::int64_t stride,
                                const float* __restrict values, std::int64_t n, std::int64_t width,
                                float* __restrict out) {
  for (std::int64_t first = 0; first < width; first += kLanes) {
    Block sums[kTile] = {};
    const float* value = values + first;
    for (std::int64_t t = 0; t < n; ++t, value += width) {
      Block one;
      std::memcpy(&one, value, sizeof(Block));
      for (std::int64_t q = 0; q < kTile; ++q) sums[q] += weights[q * stride + t] * one;
    }
    for (std::int64_t q = 0; q < kTile; ++q) {
      std::memcpy(out + q * width + first, &sums[q], sizeof(Block));
    }
  }
}

// One head of one sequence at a time, in memory that is kept between them.
class Head {
 public:
  Head(std::int64_t longest, std::int64_t heads, std::int64_t dim)
      : heads_(heads),
        dim_(dim),
        width_(whole_blocks(dim)),
        stride_(whole_blocks(longest)),
        queries_((longest + kTile) * dim),
        keys_(stride_ * dim),
        values_(longest * width_),
        scores_(kTile * stride_),
        sums_(kTile * width_),
        key_(dim) {}

  // qkv and out: of this head at the sequence's first token.
  template <typename T>
  void run(const T* qkv, const float* rotations, std::int64_t n, T* out) {
    gather(qkv, rotations, n);
    for (std::int64_t first = 0; first < n; first += kTile) {
      const std::int64_t last = std::min(first + kTile, n);  // keys that the tile sees
      const std::int64_t padded = whole_blocks(last);
      score_tile(queries_.data() + first * dim_, dim_, keys_.data(), padded, scores_.data(),
                 stride_);
      for (std::int64_t q = 0; q < kTile; ++q) {
        softmax(scores_.data() + q * stride_, std::min(first + q + 1, last), padded);
      }
      weigh_tile(scores_.data(), stride_, values_.data(), last, width_, sums_.data());
      for (std::int64_t t = first; t < last; ++t) {
        const float* sums = sums_.data() + (t - first) * width_;
        T* to = out + t * heads_ * dim_;
        for (std::int64_t i = 0; i < dim_; ++i) store(sums[i], to[i]);
      }
    }
  }

 private:
  template <typename T>
  void gather(const T* qkv, const float* rotations, std::int64_t n) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(dim_));
    const std::int64_t part = heads_ * dim_;
    for (std::int64_t t = 0; t < n; ++t, qkv += 3 * part, rotations += dim_) {
      rotate(qkv, rotations, dim_, scale, queries_.data() + t * dim_);
      rotate(qkv + part, rotations, dim_, 1.0F, key_.data());
      float* slot = keys_.data() + t / kLanes * kLanes * dim_ + t % kLanes;
      for (std::int64_t i = 0; i < dim_; ++i) slot[i * kLanes] = key_[i];
      const T* value = qkv + 2 * part;
      for (std::int64_t i = 0; i < dim_; ++i) values_[t * width_ + i] = to_float(value[i]);
    }
    // What the last tile and the last block hold beyond the sequence: finite, and of weight 0.
    std::fill_n(queries_.data() + n * dim_, kTile * dim_, 0.0F);
    for (std::int64_t t = n; t < whole_blocks(n); ++t) {
      float* slot = keys_.data() + t / kLanes * kLanes * dim_ + t % kLanes;
      for (std::int64_t i = 0; i < dim_; ++i) slot[i * kLanes] = 0;
    }
  }

  std::int64_t heads_, dim_, width_, stride_;
  std::vector<float> queries_, keys_, values_, scores_, sums_, key_;
};

}  // namespace

template <typename T>
void causal_attention(std::span<const T> qkv, std::int64_t heads, std::int64_t dim,
                      std::span<const float> rotations, std::span<const std::int64_t> starts,
                      std::span<T> out) {
  const auto size = [](auto span) { return static_cast<std::int64_t>(span.size()); };
  if (heads < 1 || dim < 2 || dim % 2 != 0 || size(out) % (heads * dim) != 0 ||
      size(qkv) != 3 * size(out)) {
    throw InvalidInput("causal_attention: expected an even head size, and qkv of 3 times out");
  }
  const std::int64_t context = size(rotations) / dim;
  if (starts.empty() || starts.front() != 0 || starts.back() != size(out) / (heads * dim)) {
    throw InvalidInput("causal_attention: expected starts from 0 to the number of tokens");
  }
  std::int64_t longest = 0;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    if (length < 0 || length > context) {
      throw InvalidInput(
          "causal_attention: expected ascending starts, and no sequence beyond the "
          "context");
    }
    longest = std::max(longest, length);
  }
  const std::int64_t n_heads = (size(starts) - 1) * heads;
  Head head(longest, heads, dim);
  for (std::int64_t index = 0; index < n_heads; ++index) {
    const std::int64_t first = starts[index / heads], n = starts[index / heads + 1] - first;
    const std::int64_t offset = index % heads * dim;
    head.run(qkv.data() + first * 3 * heads * dim + offset, rotations.data(), n,
             out.data() + first * heads * dim + offset);
  }
}

template void causal_attention<float>(std::span<const float>, std::int64_t, std::int64_t,
                                      std::span<const float>, std::span<const std::int64_t>,
                                      std::span<float>);
template void causal_attention<Bf16>(std::span<const Bf16>, std::int64_t, std::int64_t,
                                     std::span<const float>, std::span<const std::int64_t>,
                                     std::span<Bf16>);

}  // namespace graphassay
