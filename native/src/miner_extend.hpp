// Candidate patterns: every frequent pattern of the next level is proposed exactly once.
//
// A candidate C = P + x is reached from each of its parents C - e. It is accepted only from the
// parent P with the highest number, and there only for the smallest extension x with P + x = C:
// smallest in its orbit under Aut(P), and smallest among the orbits of all edges e of C whose
// removal gives P too. The parents are looked up: if removing e from P gives Q (a link of P),
// then C - e = Q + x, an entry in Q's extension table; no entry means C - e, and so C, is
// infrequent. Only where e is a bridge of P that x bypasses is P - e not connected, hence no
// pattern; then C - e is found by its canonical code.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "miner_level.hpp"
#include "miner_pattern.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

struct Candidate {
  PatternGraph graph;
  ExtensionKey key = 0;     // of the generating parent
  std::vector<Link> links;  // links[0] undoes key
};

class Extender {
 public:
  // vertices: single-vertex patterns with tables to single edges; below, here: the level under
  // the pattern to extend (its tables lead here), and the pattern's own (codes indexed).
  Extender(const TypeTable& types, CodeFormat format, unsigned max_vertices)
      : types_(types), canonizer_(format), max_vertices_(max_vertices) {}

  void begin(const Level& vertices, const Level& below, const Level& here);
  // The extensions of a pattern worth trying: smallest in their orbits, frequent with one parent.
  const std::vector<ExtensionKey>& open(std::uint32_t pattern);
  // Fills the candidate; false when an infrequent parent or another way to reach it rules it out.
  bool propose(ExtensionKey key, Candidate& candidate);

 private:
  struct Bridge {
    std::uint8_t u, v;
    std::uint16_t side;  // vertices on u's side
  };

  void find_orbits();
  void find_bridges();
  void collect_keys();
  void collect(const Link& link, unsigned must_touch);
  [[nodiscard]] ExtensionKey smallest_image(ExtensionKey key) const;
  bool add_known(const Link& link, ExtensionKey key, Candidate& candidate) const;
  bool add_bypassed(const Bridge& bridge, Candidate& candidate);
  bool admit(const Link& link, ExtensionKey key, Candidate& candidate) const;

  const TypeTable& types_;
  Canonizer canonizer_;
  unsigned max_vertices_;
  const Level* vertices_ = nullptr;
  const Level* below_ = nullptr;
  const Level* here_ = nullptr;

  std::uint32_t number_ = 0;  // of the open pattern
  const Pattern* pattern_ = nullptr;
  PatternGraph graph_;
  std::vector<ExtensionKey> keys_;
  std::vector<Bridge> bridges_;  // not pendant
  bool symmetric_ = false;
  std::array<std::uint8_t, kMaxVertices> vertex_orbit_{};
  std::array<std::uint8_t, kMaxVertices * kMaxVertices> pair_orbit_{};  // of u * 16 + v, u < v
  Canonical canonical_;
};

}  // namespace graphassay::miner
