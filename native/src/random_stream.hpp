// Random choices of a linearization, and the probability of the choices taken.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace graphassay::linearize {

// SplitMix64 (Steele, Lea, Flood 2014): a stream for every key, no state to carry between rows.
class Stream {
 public:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  static std::uint64_t key_of(std::uint64_t seed, std::uint64_t epoch) {
    return mix(mix(seed + 0x9E3779B97F4A7C15ULL) ^ mix(~epoch));
  }
  static Stream of_row(std::uint64_t key, std::int64_t row) {
    return Stream(mix(key ^ mix(static_cast<std::uint64_t>(row))));
  }
  explicit Stream(std::uint64_t key) : state_(key) {}

  // One of n choices, all as likely; counted. n >= 1.
  std::uint32_t choose(std::size_t n) {
    n_ways_ *= static_cast<double>(n);
    if (n_ways_ > 1e290) {
      log_q_ -= std::log(n_ways_);
      n_ways_ = 1.0;
    }
    return below(static_cast<std::uint32_t>(n));
  }

  // log of the product of 1 / n over all choices so far.
  [[nodiscard]] double log_q() const { return log_q_ - std::log(n_ways_); }

 private:
  // Uniform on 0..n-1 without bias (Lemire 2019). n >= 1.
  std::uint32_t below(std::uint32_t n) {
    if (n == 1) return 0;
    std::uint64_t product = (next() >> 32) * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t threshold = (0U - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ULL); }

  std::uint64_t state_;
  double n_ways_ = 1.0;
  double log_q_ = 0.0;
};

}  // namespace graphassay::linearize
