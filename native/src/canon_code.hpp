// The minimum DFS code of a connected graph (Yan and Han, gSpan, ICDM 2002, section 3).
//
// A depth-first traversal numbers the vertices as it meets them and writes each edge as
// (i, j, l_i, l_ij, l_j): backward edges (i > j) from a new vertex at once, by ascending j, then a
// forward edge (i < j) from the deepest vertex that still has one. Codes compare tuple by tuple;
// backward before forward, backward by j, forward by deeper i first, then by labels. The minimum
// over all traversals identifies the graph.
//
// The search keeps every traversal that has written the least code so far, as they all share that
// code they also share its rightmost path, and appends the least tuple that any of them can. No
// traversal is lost too early: a tuple from a shallower vertex is only the least when no kept
// traversal has an edge left at a deeper one, so each kept traversal can be completed.
//
// Symmetric graphs have many tied traversals. Two of them that an automorphism maps onto each
// other go on to write the same codes, so one is enough. Of twins (vertices with the same label and
// the same neighbours, each other aside: any two can change places) only one is followed; when many
// traversals remain they are grouped by the class hash of the graph with the numbers given so
// far as colours.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "canon_class.hpp"
#include "canon_search.hpp"
#include "graphassay/canon.hpp"

namespace graphassay::canon {

class MinCodeSearch {
 public:
  // The columns of one graph with labels as ranks; fills `code` (labels are ranks there too).
  void run(std::span<const std::int32_t> vertex_ranks, std::span<const std::int32_t> edge_u,
           std::span<const std::int32_t> edge_v, std::span<const std::int32_t> edge_ranks,
           WorkMeter& meter, DfsCode& code);

 private:
  using Vertex = std::int32_t;
  struct HalfEdge {
    Vertex to;
    std::int32_t edge_rank;
    std::int32_t to_rank;
  };
  struct Candidate {
    std::int32_t slot;
    Vertex vertex;
  };
  struct Component {
    std::int32_t first_edge, n_edges, first_vertex, n_vertices;
  };

  void build(std::span<const std::int32_t> vertex_ranks, std::span<const std::int32_t> edge_u,
             std::span<const std::int32_t> edge_v, std::span<const std::int32_t> edge_ranks);
  void load_component(Vertex root);
  void search_component();
  void find_twins();
  [[nodiscard]] bool is_leaf(Vertex v) const { return c_offsets_[v + 1] - c_offsets_[v] == 1; }
  void start();
  bool step_backward();
  void step_forward();
  std::int32_t new_slot();
  void visit(std::int32_t slot, Vertex vertex);
  void drop_equivalent();
  void append_component();
  void join_components(DfsCode& code);

  WorkMeter* meter_ = nullptr;
  // The graph.
  std::vector<std::int32_t> ranks_;  // of the vertex labels
  std::vector<std::int32_t> offsets_;
  std::vector<HalfEdge> half_edges_;
  std::vector<Vertex> local_;  // number inside the component, -1 before it is met

  // The component, with local vertex numbers.
  std::vector<Vertex> members_;
  std::vector<std::int32_t> c_offsets_;
  std::vector<HalfEdge> c_half_edges_;
  std::size_t n_ = 0;  // vertices

  // The code so far and the tied traversals, each in a slot of n_ entries.
  std::vector<DfsEdge> edges_;
  std::vector<std::int32_t> number_ranks_;  // label of each number
  std::vector<std::int32_t> path_;          // numbers on the rightmost path
  std::int32_t last_backward_ = -1;
  std::vector<std::int32_t> slots_;    // in use
  std::vector<std::int32_t> free_;     // not in use
  std::vector<Vertex> sequence_;       // slot * n_ + number -> vertex
  std::vector<std::int32_t> numbers_;  // slot * n_ + vertex -> number, -1 if not visited
  std::vector<std::int32_t> kept_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint8_t> marks_;
  bool has_twins_ = false;  // twins were looked for; otherwise leaf twins are found on the spot
  std::vector<std::int32_t> twin_class_;               // vertex -> class, -1: no twin
  std::vector<std::pair<Vertex, Vertex>> twin_leads_;  // class -> its first two vertices
  std::vector<std::int64_t> taken_;                    // class -> the last round that took it
  std::int64_t round_ = 0;

  // Grouping of traversals.
  std::size_t group_above_ = 0;
  ClassHasher hasher_;
  std::vector<std::uint64_t> colours_;
  std::vector<std::int32_t> c_u_, c_v_, c_labels_;
  std::vector<std::uint64_t> label_keys_;

  // Finished components.
  std::vector<DfsEdge> all_edges_;
  std::vector<Vertex> all_order_;
  std::vector<std::int32_t> first_ranks_;
  std::vector<Component> components_;
};

}  // namespace graphassay::canon
