// Weighted supports of graph sets in many databases at once.
//
// A database whose weights are all 0 or 1 is a bitset: its count is a popcount. The others
// (bootstrap resamples: multiplicities) are columns of a matrix with one row per graph; counting
// adds the rows of a set, 32 columns at a time so that the sums stay in vector registers. Sums
// are 16 bits wide where every total fits, else 32.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace graphassay::miner {

// A set of graphs: the non-zero 64-bit words of a bitset, with their places ascending.
struct GraphSetBits {
  const std::uint32_t* places = nullptr;
  const std::uint64_t* words = nullptr;
  std::uint32_t n_words = 0;
};

class Counter {
 public:
  struct Scratch {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> counts;
  };

  // weights(d, g) of graph g in database d, for n_graphs graphs; min_counts and totals by database.
  template <typename Weight>
  Counter(std::size_t n_graphs, std::span<const std::int64_t> min_counts, const Weight& weights);

  [[nodiscard]] std::size_t n_databases() const { return min_counts_.size(); }

  // The set's weight in every database.
  void count(const GraphSetBits& set, std::uint32_t* counts, Scratch& scratch) const {
    for (const Mask& mask : masks_) counts[mask.database] = count_mask(mask, set);
    if (matrix_databases_.empty()) return;
    list_rows(set, scratch.rows);
    if (narrow_) {
      add_rows(narrow_rows_, scratch.rows, counts);
    } else {
      add_rows(wide_rows_, scratch.rows, counts);
    }
  }
  // totals[d] += amount * weight of graph g in database d.
  void add(std::size_t g, std::int64_t amount, std::span<std::int64_t> totals) const {
    for (const Mask& mask : masks_) {
      if (((mask.words[g / 64] >> (g % 64)) & 1U) != 0) totals[mask.database] += amount;
    }
    for (std::size_t i = 0; i < matrix_databases_.size(); ++i) {
      const std::size_t cell = ((i / kBlock) * n_graphs_ + g) * kBlock + i % kBlock;
      totals[matrix_databases_[i]] +=
          amount * static_cast<std::int64_t>(narrow_ ? narrow_rows_[cell] : wide_rows_[cell]);
    }
  }
  [[nodiscard]] bool frequent(const std::uint32_t* counts) const {
    for (std::size_t d = 0; d < min_counts_.size(); ++d) {
      if (counts[d] >= min_counts_[d]) return true;
    }
    return false;
  }
  // How many graphs may leave the set, whichever they are, before it can no longer be frequent
  // in any database (a lower bound); negative if it is not frequent in any now. The matrix is
  // looked at only when no 0/1 database is frequent.
  [[nodiscard]] std::int64_t slack(const GraphSetBits& set, Scratch& scratch) const {
    std::int64_t best = -1;
    for (const Mask& mask : masks_) {
      const std::int64_t spare =
          std::int64_t{count_mask(mask, set)} - std::int64_t{min_counts_[mask.database]};
      best = std::max(best, spare);
    }
    if (best >= 0 || matrix_databases_.empty()) return best;
    scratch.counts.assign(min_counts_.size(), 0);
    count(set, scratch.counts.data(), scratch);
    for (const std::size_t d : matrix_databases_) {
      const std::int64_t spare = std::int64_t{scratch.counts[d]} - std::int64_t{min_counts_[d]};
      if (spare >= 0) best = std::max(best, spare / max_weight_);
    }
    return best;
  }
  [[nodiscard]] std::size_t n_bytes() const {
    return (narrow_rows_.size() * 2) + (wide_rows_.size() * 4) +
           masks_.size() * ((has_row_.size() + 1) * 8);
  }

 private:
  static constexpr std::size_t kBlock = 32;

  struct Mask {
    std::size_t database;
    std::vector<std::uint64_t> words;
    bool everything;
  };

  static std::uint32_t count_mask(const Mask& mask, const GraphSetBits& set) {
    std::uint32_t total = 0;
    if (mask.everything) {
      for (std::uint32_t i = 0; i < set.n_words; ++i) {
        total += static_cast<std::uint32_t>(std::popcount(set.words[i]));
      }
      return total;
    }
    for (std::uint32_t i = 0; i < set.n_words; ++i) {
      total += static_cast<std::uint32_t>(std::popcount(set.words[i] & mask.words[set.places[i]]));
    }
    return total;
  }

  void list_rows(const GraphSetBits& set, std::vector<std::uint32_t>& rows) const {
    rows.clear();
    for (std::uint32_t i = 0; i < set.n_words; ++i) {
      std::uint64_t bits = set.words[i] & has_row_[set.places[i]];
      for (; bits != 0; bits &= bits - 1) {
        rows.push_back(set.places[i] * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  template <typename Sum>
  void add_rows(const std::vector<Sum>& matrix, const std::vector<std::uint32_t>& rows,
                std::uint32_t* counts) const {
    for (std::size_t first = 0; first < matrix_databases_.size(); first += kBlock) {
      const Sum* block = matrix.data() + first * n_graphs_;
      Sum sums[kBlock] = {};
      for (const std::uint32_t row : rows) {
        const Sum* values = block + std::size_t{row} * kBlock;
        for (std::size_t i = 0; i < kBlock; ++i) sums[i] = static_cast<Sum>(sums[i] + values[i]);
      }
      const std::size_t n = std::min(kBlock, matrix_databases_.size() - first);
      for (std::size_t i = 0; i < n; ++i) counts[matrix_databases_[first + i]] = sums[i];
    }
  }

  template <typename Sum, typename Weight>
  void fill(std::vector<Sum>& matrix, const Weight& weights) {
    const std::size_t n_blocks = (matrix_databases_.size() + kBlock - 1) / kBlock;
    matrix.assign(n_blocks * kBlock * n_graphs_, 0);
    for (std::size_t i = 0; i < matrix_databases_.size(); ++i) {
      Sum* column = matrix.data() + (i / kBlock) * kBlock * n_graphs_ + i % kBlock;
      for (std::size_t g = 0; g < n_graphs_; ++g) {
        const auto weight = static_cast<Sum>(weights(matrix_databases_[i], g));
        column[g * kBlock] = weight;
        if (weight != 0) has_row_[g / 64] |= std::uint64_t{1} << (g % 64);
      }
    }
  }

  std::size_t n_graphs_;
  std::vector<std::uint32_t> min_counts_;
  std::vector<Mask> masks_;
  std::vector<std::size_t> matrix_databases_;
  std::vector<std::uint64_t> has_row_;
  bool narrow_ = true;
  std::int64_t max_weight_ = 1;
  std::vector<std::uint16_t> narrow_rows_;  // blocks of kBlock columns: [block][graph][column]
  std::vector<std::uint32_t> wide_rows_;
};

template <typename Weight>
Counter::Counter(std::size_t n_graphs, std::span<const std::int64_t> min_counts,
                 const Weight& weights)
    : n_graphs_(n_graphs), has_row_((n_graphs + 63) / 64, 0) {
  for (std::size_t d = 0; d < min_counts.size(); ++d) {
    // Totals fit 32 bits; a threshold above that is never reached.
    min_counts_.push_back(static_cast<std::uint32_t>(
        std::min<std::int64_t>(min_counts[d], std::int64_t{0xFFFFFFFF})));
    Mask mask{d, std::vector<std::uint64_t>((n_graphs + 63) / 64, 0), true};
    bool zero_one = true;
    std::uint64_t total = 0;
    for (std::size_t g = 0; g < n_graphs; ++g) {
      const auto weight = static_cast<std::uint64_t>(weights(d, g));
      total += weight;
      zero_one = zero_one && weight <= 1;
      mask.everything = mask.everything && weight == 1;
      if (weight == 1) mask.words[g / 64] |= std::uint64_t{1} << (g % 64);
    }
    if (zero_one) {
      masks_.push_back(std::move(mask));
    } else {
      matrix_databases_.push_back(d);
      narrow_ = narrow_ && total <= 0xFFFF;
      for (std::size_t g = 0; g < n_graphs; ++g)
        max_weight_ = std::max(max_weight_, static_cast<std::int64_t>(weights(d, g)));
    }
  }
  if (narrow_) {
    fill(narrow_rows_, weights);
  } else {
    fill(wide_rows_, weights);
  }
}

}  // namespace graphassay::miner
