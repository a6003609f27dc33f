#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/transformer.hpp"

using namespace graphassay;

namespace {

using Bf16 = std::uint16_t;

float number(float x) { return x; }
float number(Bf16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }

template <typename T>
std::vector<T> draw(std::size_t n, std::mt19937& rng, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<T> found(n);
  for (T& x : found) {
    const float drawn = normal(rng);
    if constexpr (std::is_same_v<T, float>) {
      x = drawn;
    } else {
      x = static_cast<Bf16>(std::bit_cast<std::uint32_t>(drawn) >> 16);
    }
  }
  return found;
}

// A result is right to float's rounding, and then to that of T.
template <typename T>
bool near(T found, double expected) {
  const double relative = std::is_same_v<T, float> ? 3e-6 : 1.0 / 256;
  return std::abs(number(found) - expected) <= 3e-6 + relative * std::abs(expected);
}

template <typename T>
void norm_agrees_with_plain_sums() {
  std::mt19937 rng(1);
  for (const std::int64_t size : {1, 7, 16, 50}) {
    const std::int64_t n = 5;
    const auto before = draw<float>(n * size, rng), weight = draw<float>(size, rng);
    const auto delta = draw<T>(n * size, rng);
    for (const bool added : {false, true}) {
      std::vector<float> x = before;
      std::vector<T> out(n * size);
      const std::span<const T> change = added ? std::span<const T>(delta) : std::span<const T>();
      add_rms_norm<T>(x, change, weight, 1e-3F, out);
      for (std::int64_t row = 0; row < n; ++row) {
        double total = 0;
        for (std::int64_t i = row * size; i < (row + 1) * size; ++i) {
          CHECK(near(x[i], before[i] + static_cast<double>(added ? number(delta[i]) : 0)));
          total += static_cast<double>(x[i]) * x[i];
        }
        for (std::int64_t i = 0; i < size; ++i) {
          const double scaled = x[row * size + i] / std::sqrt(total / size + 1e-3);
          CHECK(near(out[row * size + i], scaled * weight[i]));
        }
      }
    }
  }
}

template <typename T>
void swiglu_agrees_with_the_formula() {
  std::mt19937 rng(2);
  const std::int64_t n = 3, size = 37;
  const auto gate_up = draw<T>(2 * n * size, rng, 20);
  std::vector<T> out(n * size);
  swiglu<T>(gate_up, size, out);
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t i = 0; i < size; ++i) {
      const double gate = number(gate_up[2 * row * size + i]);
      const double up = number(gate_up[2 * row * size + size + i]);
      CHECK(near(out[row * size + i], gate / (1 + std::exp(-gate)) * up));
    }
  }
}

void extremes_stay_numbers() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> gate_up{-1e30F, -100, 0, 100, 1e30F, std::nanf(""),  // gate
                                   1,      1,    1, 1,   1,     1};             // up
  std::vector<float> out(6);
  swiglu<float>(gate_up, 6, out);
  CHECK(std::abs(out[0]) < 1e-6F && std::abs(out[1]) < 1e-6F && out[2] == 0);
  CHECK(out[3] == 100 && out[4] == 1e30F);
  CHECK(std::isnan(out[5]));  // a broken model shows

  // bfloat16 at its limits: the largest float rounds up to infinity, NaN stays NaN.
  std::vector<float> x{1, 1, std::nanf("")};
  const std::vector<float> largest{std::numeric_limits<float>::max()};
  std::vector<Bf16> normed(3);
  add_rms_norm<Bf16>(x, {}, largest, 0, normed);
  CHECK(number(normed[0]) == kInfinity && number(normed[1]) == kInfinity);
  CHECK(std::isnan(number(normed[2])));
}

struct Sequences {
  std::int64_t heads, dim;
  std::vector<std::int64_t> starts;
  std::vector<float> rotations;

  Sequences(std::int64_t h, std::int64_t d, const std::vector<std::int64_t>& lengths)
      : heads(h), dim(d), starts{0} {
    for (const std::int64_t length : lengths) starts.push_back(starts.back() + length);
    for (int t = 0; t < 40; ++t) {
      for (int i = 0; i < dim / 2; ++i) {
        const double angle = t / std::pow(100.0, i / 3.0);
        rotations.push_back(static_cast<float>(std::cos(angle)));
        rotations.push_back(static_cast<float>(std::sin(angle)));
      }
    }
  }

  template <typename T>
  std::vector<T> attend(const std::vector<T>& qkv) const {
    std::vector<T> out(qkv.size() / 3);
    causal_attention<T>(qkv, heads, dim, rotations, starts, out);
    return out;
  }
};

// Queries and keys are turned by the difference of their positions: sums in double precision.
template <typename T>
void attention_agrees_with_plain_sums() {
  std::mt19937 rng(3);
  for (const std::int64_t dim : {2, 6, 16, 20}) {
    const Sequences s(2, dim, {1, 17, 0, 6, 40, 5});
    const auto qkv = draw<T>(s.starts.back() * 3 * s.heads * dim, rng);
    const auto out = s.attend(qkv);
    const auto at = [&](std::int64_t token, int part, std::int64_t head, std::int64_t i) {
      return static_cast<double>(number(qkv[((token * 3 + part) * s.heads + head) * dim + i]));
    };
    for (std::size_t one = 0; one + 1 < s.starts.size(); ++one) {
      for (std::int64_t query = s.starts[one]; query < s.starts[one + 1]; ++query) {
        for (std::int64_t head = 0; head < s.heads; ++head) {
          std::vector<double> weights;
          double total = 0;
          for (std::int64_t key = s.starts[one]; key <= query; ++key) {
            double score = 0;
            for (std::int64_t i = 0; i < dim / 2; ++i) {
              const double angle = static_cast<double>(query - key) / std::pow(100.0, i / 3.0);
              const double x = at(query, 0, head, 2 * i), y = at(query, 0, head, 2 * i + 1);
              score += (x * std::cos(angle) - y * std::sin(angle)) * at(key, 1, head, 2 * i) +
                       (x * std::sin(angle) + y * std::cos(angle)) * at(key, 1, head, 2 * i + 1);
            }
            weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
            total += weights.back();
          }
          for (std::int64_t i = 0; i < dim; ++i) {
            double expected = 0;
            for (std::size_t k = 0; k < weights.size(); ++k) {
              const auto key = s.starts[one] + static_cast<std::int64_t>(k);
              expected += weights[k] / total * at(key, 2, head, i);
            }
            CHECK(near(out[(query * s.heads + head) * dim + i], expected));
          }
        }
      }
    }
  }
}

void neighbours_change_nothing() {
  std::mt19937 rng(4);
  const std::int64_t row = 3 * 2 * 6;
  const Sequences all(2, 6, {9, 30, 4}), alone(2, 6, {30});
  const auto qkv = draw<float>(all.starts.back() * row, rng);
  const auto out = all.attend(qkv);
  CHECK(alone.attend(std::vector<float>(qkv.begin() + 9 * row, qkv.begin() + 39 * row)) ==
        std::vector<float>(out.begin() + 9 * row / 3, out.begin() + 39 * row / 3));
}

void wrong_sizes_are_refused() {
  std::vector<float> x(6), out(6), weight(4);
  CHECK_THROWS(add_rms_norm<float>(x, {}, weight, 0, out), InvalidInput);
  CHECK_THROWS(swiglu<float>(x, 6, out), InvalidInput);
  CHECK_THROWS(swiglu<float>(x, 0, out), InvalidInput);
  const Sequences s(2, 6, {3, 5});
  std::vector<float> qkv(8 * 3 * 12), attended(8 * 12);
  const auto attend = [&](std::vector<std::int64_t> starts, std::int64_t dim) {
    causal_attention<float>(qkv, 2, dim, s.rotations, starts, attended);
  };
  CHECK_THROWS(attend({0, 3, 8}, 3), InvalidInput);  // odd
  CHECK_THROWS(attend({0, 3, 7}, 6), InvalidInput);  // tokens left over
  CHECK_THROWS(attend({0, 9, 8}, 6), InvalidInput);  // descending
  CHECK_THROWS(attend({}, 6), InvalidInput);
  qkv.resize(41 * 36);
  attended.resize(41 * 12);
  CHECK_THROWS(attend({0, 41}, 6), InvalidInput);  // beyond the rotations
}

}  // namespace

int main() {
  norm_agrees_with_plain_sums<float>();
  norm_agrees_with_plain_sums<Bf16>();
  swiglu_agrees_with_the_formula<float>();
  swiglu_agrees_with_the_formula<Bf16>();
  extremes_stay_numbers();
  attention_agrees_with_plain_sums<float>();
  attention_agrees_with_plain_sums<Bf16>();
  neighbours_change_nothing();
  wrong_sizes_are_refused();
  return 0;
}
