#include "graphassay/attention.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attention_rows.hpp"
#include "graphassay/errors.hpp"
#include "wide.hpp"

namespace graphassay {

namespace {

using wide::Block;
static_assert(kKeyBlock == wide::kLanes);

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

template <typename T>
GRAPHASSAY_INLINE void rotate_one(const T* __restrict pairs, const float* __restrict angles,
                                  std::int64_t dim, float scale, float* __restrict out) {
  for (std::int64_t i = 0; i < dim; i += 2) {
    const float x = wide::to_float(pairs[i]), y = wide::to_float(pairs[i + 1]);
    out[i] = scale * (x * angles[i] - y * angles[i + 1]);
    out[i + 1] = scale * (x * angles[i + 1] + y * angles[i]);
  }
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

GRAPHASSAY_WIDE void softmax(float* __restrict scores, std::int64_t n, std::int64_t padded) {
  for (std::int64_t t = n; t < padded; ++t) scores[t] = scores[0];
  float lanes[wide::kLanes];
  std::copy(scores, scores + wide::kLanes, lanes);
  for (std::int64_t t = wide::kLanes; t < padded; t += wide::kLanes) {
    for (std::int64_t lane = 0; lane < wide::kLanes; ++lane) {
      lanes[lane] = scores[t + lane] > lanes[lane] ? scores[t + lane] : lanes[lane];
    }
  }
  const float largest = *std::max_element(lanes, lanes + wide::kLanes);
  for (std::int64_t t = 0; t < padded; ++t) scores[t] = wide::exponential(scores[t] - largest);
  for (std::int64_t t = n; t < padded; ++t) scores[t] = 0;
  std::fill(lanes, lanes + wide::kLanes, 0.0F);
  for (std::int64_t t = 0; t < padded; t += wide::kLanes) {
    for (std::int64_t lane = 0; lane < wide::kLanes; ++lane) lanes[lane] += scores[t + lane];
  }
  float total = 0;
  for (const float sum : lanes) total += sum;
  const float scale = 1.0F / total;
  for (std::int64_t t = 0; t < padded; ++t) scores[t] *= scale;
}

GRAPHASSAY_WIDE void rotate(const float* pairs, const float* angles, std::int64_t dim, float scale,
                            float* out) {
  rotate_one(pairs, angles, dim, scale, out);
}
GRAPHASSAY_WIDE void rotate(const wide::Bf16* pairs, const float* angles, std::int64_t dim,
                            float scale, float* out) {
  rotate_one(pairs, angles, dim, scale, out);
}

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
      softmax(scores.data(), n, (position / kKeyBlock + 1) * kKeyBlock);
      add_rows(scores.data(), n, all_values, dim, out.data() + place);
    }
  }
}

}  // namespace graphassay
