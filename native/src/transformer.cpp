#include "graphassay/transformer.hpp"

#include <cmath>

#include "graphassay/errors.hpp"
#include "wide.hpp"

namespace graphassay {

namespace {

using wide::Bf16;
using wide::kLanes;
using wide::store;
using wide::to_float;

template <typename T>
GRAPHASSAY_INLINE void norm_one(float* __restrict x, const T* __restrict delta,
                                const float* __restrict weight, std::int64_t size, float eps,
                                T* __restrict out) {
  if (delta != nullptr) {
    for (std::int64_t i = 0; i < size; ++i) x[i] += to_float(delta[i]);
  }
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane] * x[i + lane];
  }
  float total = 0;
  for (; i < size; ++i) total += x[i] * x[i];
  for (const float sum : lanes) total += sum;
  const float scale = 1.0F / std::sqrt(total / static_cast<float>(size) + eps);
  for (i = 0; i < size; ++i) store(x[i] * scale * weight[i], out[i]);
}

GRAPHASSAY_WIDE void norm_row(float* x, const float* delta, const float* weight, std::int64_t size,
                              float eps, float* out) {
  norm_one(x, delta, weight, size, eps, out);
}
GRAPHASSAY_WIDE void norm_row(float* x, const Bf16* delta, const float* weight, std::int64_t size,
                              float eps, Bf16* out) {
  norm_one(x, delta, weight, size, eps, out);
}

template <typename T>
GRAPHASSAY_INLINE void swiglu_one(const T* __restrict gate, const T* __restrict up,
                                  std::int64_t size, T* __restrict out) {
  for (std::int64_t i = 0; i < size; ++i) {
    const float x = to_float(gate[i]);
    store(x / (1.0F + wide::exponential(-x)) * to_float(up[i]), out[i]);
  }
}

GRAPHASSAY_WIDE void swiglu_row(const float* gate, const float* up, std::int64_t size, float* out) {
  swiglu_one(gate, up, size, out);
}
GRAPHASSAY_WIDE void swiglu_row(const Bf16* gate, const Bf16* up, std::int64_t size, Bf16* out) {
  swiglu_one(gate, up, size, out);
}

}  // namespace

template <typename T>
void add_rms_norm(std::span<float> x, std::span<const T> delta, std::span<const float> weight,
                  float eps, std::span<T> out) {
  if (weight.empty() || x.size() % weight.size() != 0 || out.size() != x.size() ||
      (!delta.empty() && delta.size() != x.size())) {
    throw InvalidInput("add_rms_norm: expected rows as long as the weight, and equal sizes");
  }
  const auto size = static_cast<std::int64_t>(weight.size());
  const auto n = static_cast<std::int64_t>(x.size()) / size;
  for (std::int64_t row = 0; row < n; ++row) {
    const T* added = delta.empty() ? nullptr : delta.data() + row * size;
    norm_row(x.data() + row * size, added, weight.data(), size, eps, out.data() + row * size);
  }
}

template <typename T>
void swiglu(std::span<const T> gate_up, std::int64_t size, std::span<T> out) {
  if (size < 1 || out.size() % static_cast<std::size_t>(size) != 0 ||
      gate_up.size() != 2 * out.size()) {
    throw InvalidInput("swiglu: expected twice as many numbers as there are results");
  }
  const auto n = static_cast<std::int64_t>(out.size()) / size;
  for (std::int64_t row = 0; row < n; ++row) {
    const T* gate = gate_up.data() + 2 * row * size;
    swiglu_row(gate, gate + size, size, out.data() + row * size);
  }
}

template void add_rms_norm<float>(std::span<float>, std::span<const float>, std::span<const float>,
                                  float, std::span<float>);
template void add_rms_norm<Bf16>(std::span<float>, std::span<const Bf16>, std::span<const float>,
                                 float, std::span<Bf16>);
template void swiglu<float>(std::span<const float>, std::int64_t, std::span<float>);
template void swiglu<Bf16>(std::span<const Bf16>, std::int64_t, std::span<Bf16>);

}  // namespace graphassay
