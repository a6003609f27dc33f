// The graphs that contain a candidate, with one witness embedding in each.
//
// Only graphs that contain every parent C - e can contain C. In each of those, the stored
// embedding of some parent usually extends by the missing edge e (one look at an adjacency row);
// the graphs where none does are searched. A candidate is given up as soon as the graphs left
// cannot make it frequent in any database. Everything is a function of the parents alone, so
// the outcome does not depend on how candidates are spread over threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "miner_count.hpp"
#include "miner_extend.hpp"
#include "miner_level.hpp"
#include "miner_match.hpp"
#include "miner_store.hpp"

// Compiles a function, and all it calls, for machines with AVX2, BMI and POPCNT. Call it only
// where machine_is_fast().
#if defined(__SANITIZE_ADDRESS__)
#define GRAPHASSAY_FAST_ISA  // inlining everything takes instrumented builds minutes
#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define GRAPHASSAY_FAST_ISA [[gnu::flatten, gnu::target("avx2,bmi,bmi2,popcnt")]]
#else
#define GRAPHASSAY_FAST_ISA
#endif

namespace graphassay::miner {

// Vertex: the type of a vertex number, std::uint8_t where every stored graph is small enough.
template <typename Vertex>
class Evaluator {
 public:
  // pause: see miner_match.hpp.
  Evaluator(const GraphStore& store, const Counter& counter, std::function<void()> pause,
            const std::uint32_t* ascending)
      : store_(store), counter_(counter), ascending_(ascending), search_(std::move(pause)) {}

  // Fills pattern.graphs, n_graphs, witnesses (in the arena) and counts (one per database);
  // false if the candidate is infrequent in every database.
  bool run(const Level& level, const Candidate& candidate, Arena& arena, Pattern& pattern,
           std::uint32_t* counts);

 private:
  // How a parent's witness becomes the candidate's.
  struct Repair {
    const Vertex* witnesses;
    std::array<std::uint8_t, kMaxVertices> from;    // candidate vertex -> parent vertex
    std::array<std::uint8_t, kMaxVertices> rivals;  // pendant: parent vertices labelled like far
    std::uint32_t n_rivals;
    std::uint32_t n;       // of the parent
    std::uint32_t source;  // number among the distinct parents
    std::uint32_t type;    // of `far` seen from `near`
    std::uint8_t near, far;
    bool pendant;  // far is the missing vertex, else far's image must be adjacent
  };
  struct Undecided {
    std::uint32_t word;
    std::uint32_t place;  // in the intersection
    std::uint64_t bit;
  };

  static constexpr unsigned kNoNewcomer = ~0U;

  bool evaluate(const Level& level, const Candidate& candidate, Arena& arena, Pattern& pattern,
                std::uint32_t* counts);
  GRAPHASSAY_FAST_ISA
  bool run_fast(const Level& level, const Candidate& candidate, Arena& arena, Pattern& pattern,
                std::uint32_t* counts);
  void list_parents(const Level& level, const Candidate& candidate);
  void intersect();
  void extend_witnesses(unsigned n);
  bool search_rest(const PatternGraph& graph);
  [[nodiscard]] unsigned free_neighbour(const Repair& repair, const StoredGraph& g,
                                        const Vertex* parent, unsigned near) const;
  [[nodiscard]] bool adjacent(const StoredGraph& g, unsigned near, std::uint32_t type,
                              unsigned far) const;
  template <unsigned kRoom>
  void extend_blocks();
  template <bool kPendant, unsigned kRoom>
  void extend_block(Repair repair, std::uint32_t first, std::uint32_t last);
  template <unsigned kRoom>
  static void copy_image(const Repair& repair, const Vertex* parent, Vertex* image);
  void store_result(unsigned n, Arena& arena, Pattern& pattern);
  [[nodiscard]] GraphSetBits current() const {
    return {places_.data(), words_.data(), static_cast<std::uint32_t>(words_.size())};
  }

  const GraphStore& store_;
  const Counter& counter_;
  const std::uint32_t* ascending_;  // 0, 1, 2, …: the places of sets without gaps
  Counter::Scratch scratch_;
  Search search_;
  SearchPlan plan_;

  std::vector<const Pattern*> parents_;  // distinct
  std::vector<Repair> repairs_;
  std::vector<std::uint32_t> cursors_;
  std::vector<std::uint32_t> passed_;  // per parent: members before its cursor
  std::vector<std::uint32_t> places_;  // the intersection
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> parent_words_;  // [word][parent]
  std::vector<std::uint32_t> parent_ranks_;  // [word][parent]: members before the word
  std::vector<std::uint32_t> first_member_;  // [word]: members of the intersection before it
  std::vector<std::uint64_t> members_;       // words_ before searches removed some
  std::vector<std::uint64_t> open_;          // [word]: members without a witness so far
  unsigned stride_ = 0;                      // 8 or 16: of witnesses_
  std::vector<Vertex> witnesses_;            // [member of the intersection][vertex, padded]
  std::vector<Undecided> undecided_;
};

extern template class Evaluator<std::uint8_t>;
extern template class Evaluator<std::uint16_t>;

}  // namespace graphassay::miner
