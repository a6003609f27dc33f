// 128-bit hashing for canonical forms. Fast and well mixed; not meant to resist an adversary.
#pragma once

#include <compare>
#include <cstdint>

namespace graphassay::canon {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  // Addition makes hashes of multisets: the order of the terms does not matter.
  Hash128& operator+=(const Hash128& other) {
    high += other.high;
    low += other.low;
    return *this;
  }
};

// The two halves of the 128-bit product, folded.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  return fold_product(a ^ 0x9e3779b97f4a7c15u, b ^ 0xd1b54a32d192ed03u);
}

// Each half mixes all three arguments, the second half along a way of its own.
inline Hash128 mix128(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t x = fold_product(a ^ 0x8bb84b93962eacc9u, b ^ 0x2d358dccaa6c78a5u);
  const std::uint64_t y = fold_product(b ^ 0x4b33a62ed433d4a3u, c ^ 0x4d5a2da51de1aa47u);
  return {fold_product(x ^ 0xa0761d6478bd642fu, c ^ 0xe7037ed1a0b428dbu),
          fold_product(y ^ 0x8ebc6af09c88c6e3u, a ^ 0x589965cc75374cc3u)};
}

inline Hash128 mix128(const Hash128& hash, std::uint64_t tag) {
  return mix128(hash.high, hash.low, tag);
}

}  // namespace graphassay::canon
