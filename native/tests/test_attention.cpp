#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "graphassay/attention.hpp"
#include "graphassay/errors.hpp"

using namespace graphassay;

namespace {

constexpr CacheShape kShape{3, 2, 6, 32};

struct Arrays {
  std::vector<float> qkv, rotations, keys, values, out;
  std::vector<std::int64_t> positions{0, 0, 0};

  Arrays()
      : qkv(3 * 3 * 2 * 6), rotations(20 * 6), keys(3 * 2 * 6 * 32), values(keys.size()), out(36) {
    for (int t = 0; t < 20; ++t) {
      for (int i = 0; i < 3; ++i) {
        const double angle = t / std::pow(100.0, i / 3.0);
        rotations[t * 6 + 2 * i] = static_cast<float>(std::cos(angle));
        rotations[t * 6 + 2 * i + 1] = static_cast<float>(std::sin(angle));
      }
    }
  }
  void draw(std::mt19937& rng) {
    std::normal_distribution<float> normal;
    for (float& x : qkv) x = normal(rng);
  }
  void step() { attend(kShape, qkv, rotations, positions, keys, values, out); }
};

// Rows at different positions, against sums written out in double precision.
void agrees_with_plain_sums() {
  std::mt19937 rng(1);
  Arrays a;
  std::vector<std::vector<float>> seen;  // qkv of each step
  for (int t = 0; t < 20; ++t) {
    a.draw(rng);
    seen.push_back(a.qkv);
    a.positions = {t, t, t};
    a.step();
    for (int r = 0; r < 3; ++r) {
      for (int h = 0; h < 2; ++h) {
        const auto at = [&](int step, int part, int i) {
          return static_cast<double>(seen[step][((r * 3 + part) * 2 + h) * 6 + i]);
        };
        std::vector<double> weights(t + 1);
        double total = 0;
        for (int s = 0; s <= t; ++s) {
          double score = 0;
          for (int i = 0; i < 3; ++i) {  // a rotation of both by their positions: by the difference
            const double angle = (t - s) / std::pow(100.0, i / 3.0);
            const double x = at(t, 0, 2 * i), y = at(t, 0, 2 * i + 1);
            score += (x * std::cos(angle) - y * std::sin(angle)) * at(s, 1, 2 * i) +
                     (x * std::sin(angle) + y * std::cos(angle)) * at(s, 1, 2 * i + 1);
          }
          total += weights[s] = std::exp(score / std::sqrt(6.0));
        }
        for (int i = 0; i < 6; ++i) {
          double expected = 0;
          for (int s = 0; s <= t; ++s) expected += weights[s] / total * at(s, 2, i);
          CHECK(std::abs(a.out[(r * 2 + h) * 6 + i] - expected) < 1e-5);
        }
      }
    }
  }
}

// A row that starts over sees nothing of what its place in the cache held before.
void rows_are_independent() {
  std::mt19937 rng(2);
  Arrays fresh, used;
  for (int t = 0; t < 20; ++t) {
    used.draw(rng);
    used.positions = {t, t, t};
    used.step();
  }
  for (int t = 0; t < 18; ++t) {
    fresh.draw(rng);
    used.qkv = fresh.qkv;
    fresh.positions = {t, t, t};
    used.positions = {t, 9, t};
    fresh.step();
    used.step();
    for (int i = 0; i < 36; ++i) {
      if (i / 12 != 1) CHECK(fresh.out[i] == used.out[i]);
    }
  }
}

void refuses_what_does_not_fit() {
  Arrays a;
  a.positions = {0, 20, 0};
  CHECK_THROWS(a.step(), InvalidInput);
  a.positions = {0, -1, 0};
  CHECK_THROWS(a.step(), InvalidInput);
  a.positions = {0, 0, 0};
  a.out.pop_back();
  CHECK_THROWS(a.step(), InvalidInput);
}

}  // namespace

int main() {
  agrees_with_plain_sums();
  rows_are_independent();
  refuses_what_does_not_fit();
  return 0;
}
