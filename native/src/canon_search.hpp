// Canonical ordering of a connected coloured graph by individualization and refinement.
//
// 1. Refinement. The vertices are kept as an ordered partition: an array `order_` cut into cells.
//    A cell is split by how many edges of each label its vertices have into some other cell, until
//    no cell can be split (the partition is equitable). Which cells split, and in which order
//    their parts stand, depends on counts and positions alone, never on vertex numbers, so
//    isomorphic graphs get corresponding partitions. Counts are exact: up to four edge labels at a
//    time share one 64-bit counter word, each with a field wide enough for any degree.
//
// 2. Independent parts. Two cells are joined homogeneously when either all pairs between them are
//    edges of one label or none is. Cells linked by inhomogeneous joins form parts. What happens
//    inside one part cannot be seen from another, so each is ordered on its own: k symmetric
//    parts cost a sum and not a product.
//
// 3. Shortcuts. In two kinds of part any choice leads to the same ordered graph:
//    - one cell, homogeneous inside (a clique or an independent set): every permutation of it is
//      an automorphism;
//    - all cells of two vertices. Between two such cells {x, x'} and {y, y'} the labels satisfy
//      {xy, xy'} = {x'y, x'y'} and {xy, x'y} = {xy', x'y'} as multisets (equitability; "no edge"
//      counts as a label). If the join is inhomogeneous this forces xy = x'y' and xy' = x'y. So
//      swapping both vertices of every cell of the part is an automorphism, either choice in the
//      first cell is as good as the other, and it fixes all others.
//
// 4. Search. Any other part is branched on: each vertex v of its smallest cell is singled out in
//    turn and the partition refined anew. The result is the ordering with the least (refinement
//    trace, hash of the ordered part) over all v, which is a function of the isomorphism class
//    alone. A v is skipped when a known automorphism that fixes the vertices singled out above
//    maps to it a vertex already tried. Automorphisms come from two orderings with equal hash; to
//    find them cheaply a `greedy` descent that always takes the first vertex is compared with the
//    greedy descent of the best v before v is searched in full.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "canon_hash.hpp"

namespace graphassay::canon {

// Counts elementary steps against a limit and throws BudgetExceeded beyond it.
class WorkMeter {
 public:
  void reset(std::uint64_t limit) {
    done_ = 0;
    limit_ = limit == 0 ? ~std::uint64_t{0} : limit;
  }
  void spend(std::uint64_t steps) {
    done_ += steps;
    if (done_ > limit_) exceeded();
  }
  [[nodiscard]] std::uint64_t done() const { return done_; }

 private:
  [[noreturn]] void exceeded() const;
  std::uint64_t done_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};
};

enum class SearchPath : std::uint8_t { kDiscrete, kSymmetric, kSearched };

// Adjacency in CSR form; half-edge h of vertex v leads to neighbours[h] under edge_ranks[h].
struct Adjacency {
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> neighbours;
  std::vector<std::int32_t> edge_ranks;  // index into edge_keys
  std::vector<std::uint64_t> edge_keys;  // distinct keys, ascending
};

class CoreSearch {
 public:
  // Orders the graph and returns the hash of its colours and edges in that order: equal for
  // isomorphic graphs, and for no others up to collision. Colours may have any order that is a
  // function of what they stand for.
  Hash128 run(const Adjacency& graph, std::span<const Hash128> colours, WorkMeter& meter);
  [[nodiscard]] SearchPath path() const { return path_; }

 private:
  using Cell = std::pair<std::int32_t, std::int32_t>;  // start, size
  struct Leaf {                                        // an ordering of one part
    Hash128 hash;
    std::vector<std::int32_t> order;
  };
  struct Candidate {
    std::uint64_t trace = 0;
    Leaf best;
    Leaf greedy;
  };
  class Orbits;

  void prepare(const Adjacency& graph, std::span<const Hash128> colours);
  void hash_surroundings(std::span<const Hash128> colours);
  void refine();
  void count_into(std::span<const std::int32_t> splitter, std::int32_t group);
  void split_touched(std::int32_t splitter);
  void split(std::int32_t start, std::int32_t n_touched, std::int32_t splitter);
  void push(std::int32_t start);
  std::int32_t single_out(std::int32_t vertex);

  [[nodiscard]] bool all_cells_small() const;
  void solve_pairs();
  void solve(const std::vector<Cell>& cells);
  std::vector<std::vector<Cell>> parts(const std::vector<Cell>& cells);
  void solve_part(const std::vector<Cell>& part);
  void branch(const std::vector<Cell>& part);
  void descend(const std::vector<Cell>& part);
  bool descend_greedily(const std::vector<Cell>& part);
  void try_vertex(const std::vector<Cell>& part, std::int32_t vertex, Candidate& best, bool first);
  [[nodiscard]] std::vector<Cell> open_cells(const std::vector<Cell>& within) const;
  [[nodiscard]] bool is_homogeneous_inside(const Cell& cell) const;
  [[nodiscard]] Leaf leaf(const std::vector<Cell>& part);
  void restore(const std::vector<Cell>& part, const std::vector<std::int32_t>& order);
  void make_discrete(const std::vector<Cell>& part);
  void add_automorphism(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to);
  Hash128 hash_all(std::span<const Hash128> colours);

  const Adjacency* graph_ = nullptr;
  WorkMeter* meter_ = nullptr;
  std::int32_t n_ = 0;
  std::int32_t n_cells_ = 0;
  std::int32_t field_bits_ = 16;  // of the counter word
  std::int32_t fields_ = 4;
  std::int32_t n_groups_ = 1;  // counter words needed for all edge labels
  SearchPath path_ = SearchPath::kDiscrete;
  static constexpr std::int32_t kMaxDepth = 2000;  // keeps the recursion within a thread's stack
  std::int32_t depth_ = 0;
  bool greedy_ = false;
  bool clean_ = true;  // the arrays below that are 0 between uses are
  bool branched_ = false;
  std::uint64_t trace_ = 0;

  std::vector<std::int32_t> order_;      // position -> vertex
  std::vector<std::int32_t> cell_of_;    // vertex -> start of its cell
  std::vector<std::int32_t> cell_size_;  // start -> size
  std::vector<std::int32_t> place_;      // vertex -> position
  std::vector<std::uint64_t> counts_;    // vertex -> counter word, 0 between splitters
  std::vector<std::int32_t> n_touched_;  // start -> touched vertices, 0 between splitters
  std::vector<std::int32_t> touched_cells_;
  std::vector<std::int32_t> queue_;
  std::vector<std::uint8_t> queued_;
  std::vector<std::int32_t> scratch_;
  using Surrounded = std::pair<std::uint64_t, std::int32_t>;
  std::vector<std::uint64_t> surroundings_, next_surroundings_;
  std::vector<Surrounded> sorted_;
  std::vector<std::int32_t> prefix_;  // vertices singled out on the way here
  std::vector<std::vector<std::int32_t>> automorphisms_;
};

}  // namespace graphassay::canon
