// What both kinds of attention do to a row. Each picks the machine's widest vectors.
#pragma once

#include <cstdint>

#include "wide.hpp"

namespace graphassay {

// The first n >= 1 scores become weights that sum to 1; those up to `padded`, a multiple of
// wide::kLanes, become 0.
void softmax(float* scores, std::int64_t n, std::int64_t padded);

// out = scale * pairs turned by angles: cosine and sine of each pair.
void rotate(const float* pairs, const float* angles, std::int64_t dim, float scale, float* out);
void rotate(const wide::Bf16* pairs, const float* angles, std::int64_t dim, float scale,
            float* out);

}  // namespace graphassay
