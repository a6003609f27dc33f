// Limits, progress and interruption, shared by the threads of one run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>

#include "graphassay/errors.hpp"
#include "graphassay/miner.hpp"

namespace graphassay::miner {

// Ends a search because another thread failed; that failure is what the caller sees.
struct Stopped {};

class Guard {
 public:
  explicit Guard(const MinerOptions& options)
      : options_(options), start_(Clock::now()), last_report_(start_) {}

  std::atomic<std::size_t> n_bytes{0};  // of patterns, witnesses and results
  std::atomic<std::size_t> n_patterns{0};

  // Throws BudgetExceeded when a limit is passed. Any thread, often.
  void check_limits() const {
    if (n_patterns.load(std::memory_order_relaxed) > options_.max_patterns) {
      throw BudgetExceeded("more than " + std::to_string(options_.max_patterns) +
                           " frequent patterns (max_patterns): raise the limit or min_support");
    }
    if (n_bytes.load(std::memory_order_relaxed) > options_.memory_limit_bytes) {
      throw BudgetExceeded("mining needs more than " + std::to_string(options_.memory_limit_bytes) +
                           " bytes (memory_limit_bytes): raise the limit or min_support");
    }
    if (elapsed_s() > options_.time_limit_s) {
      throw BudgetExceeded("mining took longer than " + std::to_string(options_.time_limit_s) +
                           " s (time_limit_s): raise the limit or min_support");
    }
  }

  // For long searches: throws when a limit is passed or another thread has failed.
  void pause() const {
    if (failed()) throw Stopped{};
    check_limits();
  }

  // Calls the progress callback when it is due. The calling thread only.
  void report(MinerProgress progress, bool due = false) {
    if (!options_.progress) return;
    const auto now = Clock::now();
    if (!due && seconds(now - last_report_) < options_.progress_interval_s) return;
    last_report_ = now;
    progress.n_patterns = n_patterns;
    progress.n_bytes = n_bytes;
    progress.elapsed_s = elapsed_s();
    options_.progress(progress);
  }

  // The first failure of any thread; the others see `failed` and stop.
  void fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }
  [[nodiscard]] double elapsed_s() const { return seconds(Clock::now() - start_); }

  const MinerOptions& options_;
  Clock::time_point start_;
  Clock::time_point last_report_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace graphassay::miner
