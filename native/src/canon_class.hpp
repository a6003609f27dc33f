// The class hash of one graph with coloured vertices, any number of components.
//
// Per component: pendant trees are folded into the vertex they hang from (after Aho, Hopcroft and
// Ullman's tree isomorphism), which leaves nothing of a tree but its centre and of any other
// component its 2-core, whose vertices carry the hash of what was folded into them. The core goes
// through CoreSearch. Folding loses nothing: a graph is its core plus the trees at each vertex, and
// a rooted tree is settled by its label and the multiset of (edge label, subtree) at its root. Leaf
// twins (methyl groups, halogens) never reach the search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "canon_hash.hpp"
#include "canon_search.hpp"
#include "graphassay/canon.hpp"

namespace graphassay::canon {

struct EdgeList {
  std::span<const std::int32_t> u;
  std::span<const std::int32_t> v;
  std::span<const std::int32_t> labels;       // index into keys
  std::span<const std::uint64_t> label_keys;  // distinct for distinct labels
};

class ClassHasher {
 public:
  // Equal for isomorphic coloured graphs, and for no others up to hash collision. The spans are
  // only read during the call.
  Hash128 run(std::span<const std::uint64_t> colours, const EdgeList& edges, WorkMeter& meter);
  [[nodiscard]] ClassPath path() const { return path_; }

 private:
  void build(std::span<const std::uint64_t> colours, const EdgeList& edges);
  [[nodiscard]] Hash128 subtree(std::int32_t v) const;
  void fold_trees();
  void build_core(std::int32_t root);
  Hash128 core_hash(std::int32_t root, WorkMeter& meter);

  struct HalfEdge {
    std::int32_t to;
    std::int32_t label;
  };
  std::span<const std::uint64_t> label_keys_;
  ClassPath path_ = ClassPath::kTree;
  std::vector<std::int32_t> offsets_;
  std::vector<HalfEdge> half_edges_;
  std::span<const std::uint64_t> colours_;
  std::vector<std::int32_t> degrees_;  // among what is not folded
  std::vector<Hash128> folded_;        // sum over what was folded into the vertex
  std::vector<std::int32_t> layers_;   // the round in which the vertex is folded, -1: none so far
  std::vector<std::int32_t> layer_;
  std::vector<std::int32_t> next_layer_;
  std::vector<std::int32_t> members_;      // of the core at hand
  std::vector<std::int32_t> core_index_;   // vertex -> place in members_, -1: not met
  std::vector<std::int32_t> core_labels_;  // that occur in the core, by ascending key
  std::vector<std::int32_t> label_ranks_;  // label -> place in core_labels_, -1 between cores
  std::vector<Hash128> core_colours_;
  std::vector<Hash128> component_hashes_;
  Adjacency core_;
  CoreSearch search_;
};

}  // namespace graphassay::canon
