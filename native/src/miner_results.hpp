// The listed patterns: kept as codes while mining, turned into columns at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "graphassay/miner.hpp"
#include "miner_level.hpp"
#include "miner_store_builder.hpp"

namespace graphassay::miner {

class Results {
 public:
  Results(const Prepared& prepared, const MinerOptions& options, CodeFormat format,
          std::size_t n_databases, std::atomic<std::size_t>& n_bytes)
      : prepared_(prepared),
        options_(options),
        format_(format),
        n_databases_(n_databases),
        arena_(n_bytes) {}

  void begin_level(std::size_t n_patterns);  // at most so many are added
  void add(const Pattern& pattern, std::span<const std::int64_t> embeddings);
  void end_level();  // sorts the level by code
  MinerResult finish();

 private:
  struct Entry {
    std::uint64_t prefix;  // first bytes of the code, for quick comparison
    const std::uint8_t* code;
    const std::uint32_t* counts;
    const std::int64_t* embeddings;
    const std::uint32_t* graphs;
    std::uint32_t n_graphs;
    std::uint16_t code_size;
  };

  void append(const Entry& entry, MinerResult& result);

  const Prepared& prepared_;
  const MinerOptions& options_;
  CodeFormat format_;
  std::size_t n_databases_;
  Arena arena_;
  std::vector<std::vector<Entry>> levels_;  // by number of edges
  std::size_t n_entries_ = 0;
  std::size_t n_vertices_ = 0;  // of all entries, to take the columns' memory once
  std::size_t n_edges_ = 0;
  DecodedCode decoded_;
};

}  // namespace graphassay::miner
