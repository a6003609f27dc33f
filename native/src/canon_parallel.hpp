// A loop over graphs on several threads, each with a workspace of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "graphassay/canon.hpp"

namespace graphassay::canon {

// Calls body(workspace, index) for every index below n. Blocks of indices are handed out in
// ascending order and every block handed out is finished up to its first error, so the error that
// reaches the caller, that of the lowest index, does not depend on the number of threads.
template <typename Workspace, typename Body>
void for_each_graph(std::size_t n, const RunOptions& options, const Body& body) {
  constexpr std::size_t kBlock = 128;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_index = n + 1;

  const auto note_error = [&](std::size_t index) {
    stop = true;
    const std::scoped_lock lock(mutex);
    if (index < error_index) {
      error_index = index;
      error = std::current_exception();
    }
  };
  const auto run = [&](bool is_caller) {
    auto last_poll = std::chrono::steady_clock::now();
    Workspace workspace;
    while (!stop) {
      const std::size_t begin = next.fetch_add(kBlock);
      if (begin >= n) return;
      std::size_t index = begin;
      try {
        for (; index < std::min(n, begin + kBlock); ++index) body(workspace, index);
      } catch (...) {
        note_error(index);
        return;
      }
      if (!is_caller || !options.poll) continue;
      const auto now = std::chrono::steady_clock::now();
      if (now - last_poll < std::chrono::milliseconds(50)) continue;
      last_poll = now;
      try {
        options.poll();
      } catch (...) {
        note_error(n);  // an error of a graph goes first
        return;
      }
    }
  };

  const std::size_t n_blocks = (n + kBlock - 1) / kBlock;
  std::vector<std::jthread> threads;
  for (std::size_t t = 1; t < std::min(options.n_threads, n_blocks); ++t) {
    threads.emplace_back(run, false);
  }
  run(true);
  threads.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace graphassay::canon
