#include "graphassay/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "graphassay/errors.hpp"

// The wheel runs on any x86-64; the loops below pick the widest vectors at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)  // ifunc resolvers run before the sanitizers are ready
#define GRAPHASSAY_WIDE \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GRAPHASSAY_WIDE
#endif

namespace graphassay {

namespace {

// A block's worth of numbers; the compiler lowers it to the vectors that the machine has.
typedef float Block __attribute__((vector_size(kKeyBlock * sizeof(float))));

// scores[t] = query . key t, for whole blocks of keys.
GRAPHASSAY_WIDE void score_keys(const float* __restrict query, std::int64_t dim,
                                const float* __restrict keys, std::int64_t n_blocks,
                                float* __restrict scores) {
  for (std::int64_t block = 0; block < n_blocks; ++block, scores += kKeyBlock) {
    Block even{}, odd{};  // two chains of additions in flight
    for (std::int64_t i = 0; i < dim; i += 2, keys += 2 * kKeyBlock) {
      Block first, second;
      std::memcpy(&first, keys, sizeof(Block));
      std::memcpy(&second, keys + kKeyBlock, sizeof(Block));
      even += query[i] * first;
      odd += query[i + 1] * second;
    }
    even += odd;
    std::memcpy(scores, &even, sizeof(Block));
  }
}

// sums[i] = a0 x0[i] + a1 x1[i] + a2 x2[i] + a3 x3[i], with x1 the row behind x, and so on:
// four rows at a time, so that sums are read and written a quarter as often.
GRAPHASSAY_WIDE void add_rows(const float* __restrict weights, std::int64_t n_rows,
                              const float* __restrict x, std::int64_t n, float* __restrict sums) {
  std::fill(sums, sums + n, 0.0F);
  std::int64_t row = 0;
  for (; row + 4 <= n_rows; row += 4, x += 4 * n) {
    const float a0 = weights[row], a1 = weights[row + 1];
    const float a2 = weights[row + 2], a3 = weights[row + 3];
    const float* __restrict x1 = x + n;
    const float* __restrict x2 = x + 2 * n;
    const float* __restrict x3 = x + 3 * n;
    for (std::int64_t i = 0; i < n; ++i) {
      sums[i] += (a0 * x[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
    }
  }
  for (; row < n_rows; ++row, x += n) {
    const float a = weights[row];
    for (std::int64_t i = 0; i < n; ++i) sums[i] += a * x[i];
  }
}

void rotate(const float* pairs, const float* angles, std::int64_t dim, float scale, float* out) {
  for (std::int64_t i = 0; i < dim; i += 2) {
    const float cosine = angles[i], sine = angles[i + 1];
    out[i] = scale * (pairs[i] * cosine - pairs[i + 1] * sine);
    out[i + 1] = scale * (pairs[i] * sine + pairs[i + 1] * cosine);
  }
}

void softmax(std::span<float> scores) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  float total = 0;
  for (float& score : scores) {
    score = std::exp(score - largest);
    total += score;
  }
  for (float& score : scores) score /= total;
}

void check(const CacheShape& shape, std::span<const float> qkv, std::span<const float> rotations,
           std::span<const std::int64_t> positions, std::span<float> keys, std::span<float> values,
           std::span<float> out) {
  if (shape.rows < 0 || shape.heads < 1 || shape.dim < 2 || shape.dim % 2 != 0 ||
      shape.length < 1 || shape.length % kKeyBlock != 0) {
    throw InvalidInput("attend: expected positive sizes, an even head size, whole blocks of keys");
  }
  const auto size = [](auto span) { return static_cast<std::int64_t>(span.size()); };
  const std::int64_t newest = shape.rows * shape.heads * shape.dim;
  if (size(qkv) != 3 * newest || size(out) != newest || size(positions) != shape.rows ||
      size(keys) != newest * shape.length || size(values) != newest * shape.length) {
    throw InvalidInput("attend: expected arrays of the cache's sizes");
  }
  const std::int64_t limit = std::min(shape.length, size(rotations) / shape.dim);
  for (const std::int64_t position : positions) {
    if (position < 0 || position >= limit) {
      throw InvalidInput("attend: expected positions in 0.." + std::to_string(limit - 1) +
                         ", got " + std::to_string(position));
    }
  }
}

}  // namespace

void attend(const CacheShape& shape, std::span<const float> qkv, std::span<const float> rotations,
            std::span<const std::int64_t> positions, std::span<float> keys, std::span<float> values,
            std::span<float> out) {
  check(shape, qkv, rotations, positions, keys, values, out);
  const auto [rows, heads, dim, length] = shape;
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  std::vector<float> query(dim), key(dim), scores(length);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t position = positions[row], n = position + 1;
    const float* angles = rotations.data() + position * dim;
    for (std::int64_t head = 0; head < heads; ++head) {
      const float* q = qkv.data() + (row * 3 * heads + head) * dim;
      const float* k = q + heads * dim;
      const float* v = k + heads * dim;
      const std::int64_t place = (row * heads + head) * dim;
      float* all_keys = keys.data() + place * length;      // (length / block, dim, block)
      float* all_values = values.data() + place * length;  // (length, dim)
      rotate(q, angles, dim, scale, query.data());
      rotate(k, angles, dim, 1.0F, key.data());
      float* slot = all_keys + position / kKeyBlock * kKeyBlock * dim + position % kKeyBlock;
      for (std::int64_t i = 0; i < dim; ++i) slot[i * kKeyBlock] = key[i];
      std::copy(v, v + dim, all_values + position * dim);
      score_keys(query.data(), dim, all_keys, position / kKeyBlock + 1, scores.data());
      softmax({scores.data(), static_cast<std::size_t>(n)});
      add_rows(scores.data(), n, all_values, dim, out.data() + place);
    }
  }
}

}  // namespace graphassay
