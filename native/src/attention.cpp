#include "graphassay/attention.hpp"

#include <algorithm>
#include <cmath>
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

// sums[i] += a0 x0[i] + a1 x1[i] + a2 x2[i] + a3 x3[i], with x1 = x + stride and so on: four rows at
// a time, so that sums are read and written a quarter as often.
GRAPHASSAY_WIDE void add_rows(const float* __restrict weights, std::int64_t n_rows,
                              const float* __restrict x, std::int64_t stride, std::int64_t n,
                              float* __restrict sums) {
  std::fill(sums, sums + n, 0.0F);
  std::int64_t row = 0;
  for (; row + 4 <= n_rows; row += 4, x += 4 * stride) {
    const float a0 = weights[row], a1 = weights[row + 1];
    const float a2 = weights[row + 2], a3 = weights[row + 3];
    const float* __restrict x1 = x + stride;
    const float* __restrict x2 = x + 2 * stride;
    const float* __restrict x3 = x + 3 * stride;
    for (std::int64_t i = 0; i < n; ++i) {
      sums[i] += (a0 * x[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
    }
  }
  for (; row < n_rows; ++row, x += stride) {
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
      shape.length < 1) {
    throw InvalidInput("attend: expected positive sizes and an even head size");
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
      float* all_keys = keys.data() + place * length;      // (dim, length)
      float* all_values = values.data() + place * length;  // (length, dim)
      rotate(q, angles, dim, scale, query.data());
      rotate(k, angles, dim, 1.0F, key.data());
      for (std::int64_t i = 0; i < dim; ++i) all_keys[i * length + position] = key[i];
      std::copy(v, v + dim, all_values + position * dim);
      add_rows(query.data(), dim, all_keys, length, n, scores.data());
      softmax({scores.data(), static_cast<std::size_t>(n)});
      add_rows(scores.data(), n, all_values, dim, dim, out.data() + place);
    }
  }
}

}  // namespace graphassay
