// One step of attention for rows of different lengths, over a cache of keys and values.
#pragma once

#include <cstdint>
#include <span>

namespace graphassay {

// Keys lie in blocks of so many tokens, so that a block's scores are one vector.
inline constexpr std::int64_t kKeyBlock = 16;

// Sizes of the cache: `rows` sequences of up to `length` tokens, `heads` heads of `dim` numbers.
struct CacheShape {
  std::int64_t rows;
  std::int64_t heads;
  std::int64_t dim;
  std::int64_t length;
};

// Rotates each row's newest query and key to its position, stores the key and the value, and
// attends to the row's tokens 0..position. A row is computed alone and over exactly its own tokens:
// the result does not depend on the other rows, down to the last bit.
//
// Preconditions (checked): dim even; length a multiple of kKeyBlock; 0 <= positions[r] < length and
// < the context of the rotations.
//   qkv        (rows, 3, heads, dim): queries, keys, values; rotation pairs adjacent
//   rotations  (context, dim / 2, 2): cosine and sine of each pair's angle at each position
//   keys       (rows, heads, length / kKeyBlock, dim, kKeyBlock): the cache, finite numbers
//   values     (rows, heads, length, dim): the cache
//   out        (rows, heads, dim)
// Time O(sum over rows of position * heads * dim).
void attend(const CacheShape& shape, std::span<const float> qkv, std::span<const float> rotations,
            std::span<const std::int64_t> positions, std::span<float> keys, std::span<float> values,
            std::span<float> out);

}  // namespace graphassay
