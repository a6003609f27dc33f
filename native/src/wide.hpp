// Vectors of floats as wide as the machine has, bfloat16, and an exponential that vectorizes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

// The wheel runs on any x86-64; functions marked so pick the widest vectors at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)  // ifunc resolvers run before the sanitizers are ready
#define GRAPHASSAY_WIDE \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GRAPHASSAY_WIDE
#endif
// What those call: it takes on the vectors of its caller.
#define GRAPHASSAY_INLINE inline __attribute__((always_inline))

namespace graphassay::wide {

inline constexpr std::int64_t kLanes = 16;

// The compiler lowers it to the vectors that the machine has.
typedef float Block __attribute__((vector_size(kLanes * sizeof(float))));

// The upper half of a float's bits.
using Bf16 = std::uint16_t;

GRAPHASSAY_INLINE float to_float(float x) { return x; }
GRAPHASSAY_INLINE float to_float(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

GRAPHASSAY_INLINE void store(float x, float& to) { to = x; }
// To the nearest, ties to even.
GRAPHASSAY_INLINE void store(float x, Bf16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  to = static_cast<Bf16>(x == x ? rounded >> 16 : 0x7fc0U);
}

// e^x within 3e-7 of it; x is held to [-87, 88], where results are normal numbers. NaN stays NaN.
GRAPHASSAY_INLINE float exponential(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  const float shifted = x * 1.44269504F + kRound;
  const float n = shifted - kRound;
  // ln 2 in two parts: the first has few bits, so that its product with n is exact.
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float sum = 1.0F / 5040;  // Taylor; |r| < 0.35, so the next term is below 6e-9
  sum = sum * r + 1.0F / 720;
  sum = sum * r + 1.0F / 120;
  sum = sum * r + 1.0F / 24;
  sum = sum * r + 1.0F / 6;
  sum = sum * r + 0.5F;
  sum = sum * r + 1.0F;
  sum = sum * r + 1.0F;
  const std::uint32_t exponent =
      std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRound) + 127U;
  return sum * std::bit_cast<float>(exponent << 23);
}

}  // namespace graphassay::wide
