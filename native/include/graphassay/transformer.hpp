// What a transformer computes between its matrix products, each in one pass over memory.
//
// T is float or a bfloat16 (std::uint16_t, the upper half of a float's bits); sums are float.
// A row is computed alone: its result does not depend on the others. One thread: callers run
// batches side by side.
// All sizes are checked; InvalidInput says which is wrong.
#pragma once

#include <cstdint>
#include <span>

namespace graphassay {

// x += delta, then out = x / sqrt(mean(x^2) + eps) * weight, for rows of weight.size() numbers.
//   x      (n, size): updated in place
//   delta  (n, size), or empty for none
//   out    (n, size)
template <typename T>
void add_rms_norm(std::span<float> x, std::span<const T> delta, std::span<const float> weight,
                  float eps, std::span<T> out);

// out = silu(gate) * up, for rows of 2 * size numbers: size of gate, then size of up.
template <typename T>
void swiglu(std::span<const T> gate_up, std::int64_t size, std::span<T> out);

// Attention of every token to its own sequence up to itself, after queries and keys are rotated to
// their positions. Sequences lie one behind the other: sequence s has the tokens
// starts[s]..starts[s + 1] - 1, its first at position 0.
//   qkv        (tokens, 3, heads, dim): queries, keys, values; rotation pairs adjacent; dim even
//   rotations  (context, dim / 2, 2): cosine and sine of each pair's angle at each position
//   starts     (sequences + 1): ascending, from 0 to tokens; no sequence longer than the context
//   out        (tokens, heads, dim)
// Time O(sum of squared lengths * heads * dim); memory O(longest * dim).
template <typename T>
void causal_attention(std::span<const T> qkv, std::int64_t heads, std::int64_t dim,
                      std::span<const float> rotations, std::span<const std::int64_t> starts,
                      std::span<T> out);

}  // namespace graphassay
