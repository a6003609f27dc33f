#include "miner_extend.hpp"

#include <algorithm>

namespace graphassay::miner {
namespace {

constexpr unsigned kAnywhere = ~0U;

std::uint8_t pair_number(unsigned u, unsigned v) {
  return static_cast<std::uint8_t>(u < v ? u * kMaxVertices + v : v * kMaxVertices + u);
}

template <std::size_t N>
std::uint8_t root(std::array<std::uint8_t, N>& parent, std::uint8_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

template <std::size_t N>
void unite(std::array<std::uint8_t, N>& parent, std::uint8_t a, std::uint8_t b) {
  a = root(parent, a);
  b = root(parent, b);
  (a < b ? parent[b] : parent[a]) = std::min(a, b);  // roots are the smallest members
}

}  // namespace

void Extender::begin(const Level& vertices, const Level& below, const Level& here) {
  vertices_ = &vertices;
  below_ = &below;
  here_ = &here;
}

const std::vector<ExtensionKey>& Extender::open(std::uint32_t pattern) {
  number_ = pattern;
  pattern_ = &here_->patterns[pattern];
  graph_ = pattern_->graph();
  symmetric_ = !pattern_->generators.empty();
  if (symmetric_) find_orbits();
  find_bridges();
  collect_keys();
  return keys_;
}

void Extender::find_orbits() {
  for (unsigned i = 0; i < vertex_orbit_.size(); ++i) {
    vertex_orbit_[i] = static_cast<std::uint8_t>(i);
  }
  for (unsigned i = 0; i < pair_orbit_.size(); ++i) pair_orbit_[i] = static_cast<std::uint8_t>(i);
  for (const Perm g : pattern_->generators) {
    for (unsigned u = 0; u < graph_.n; ++u) {
      unite(vertex_orbit_, static_cast<std::uint8_t>(u), static_cast<std::uint8_t>(at(g, u)));
      for (unsigned v = u + 1; v < graph_.n; ++v) {
        unite(pair_orbit_, pair_number(u, v), pair_number(at(g, u), at(g, v)));
      }
    }
  }
  for (unsigned u = 0; u < graph_.n; ++u) {
    vertex_orbit_[u] = root(vertex_orbit_, static_cast<std::uint8_t>(u));
    for (unsigned v = u + 1; v < graph_.n; ++v) {
      pair_orbit_[pair_number(u, v)] = root(pair_orbit_, pair_number(u, v));
    }
  }
}

ExtensionKey Extender::smallest_image(ExtensionKey key) const {
  if (!symmetric_) return key;
  if (!is_closing(key)) return pendant(vertex_orbit_[first_end(key)], type_of(key));
  const unsigned pair = pair_orbit_[pair_number(first_end(key), second_end(key))];
  return closing(pair / kMaxVertices, pair % kMaxVertices, edge_label_of(key));
}

// Edges without a link are bridges with more than one vertex on either side.
void Extender::find_bridges() {
  bridges_.clear();
  for (unsigned e = 0; e < pattern_->n_edges; ++e) {
    const PatternEdge& edge = pattern_->edges[e];
    if (std::any_of(pattern_->links.begin(), pattern_->links.end(),
                    [&](const Link& x) { return x.u == edge.u && x.v == edge.v; })) {
      continue;
    }
    unsigned side = 1U << edge.u;
    for (unsigned fresh = side; fresh != 0;) {
      unsigned reached = 0;
      for_each_bit(fresh, [&](unsigned w) {
        reached |= w == edge.u ? graph_.adjacent[w] & ~(1U << edge.v) : graph_.adjacent[w];
      });
      fresh = reached & ~side;
      side |= reached;
    }
    bridges_.push_back({edge.u, edge.v, static_cast<std::uint16_t>(side)});
  }
}

// An extension of P is one of Q = P - e too unless it touches the vertex that e's removal drops;
// two links that drop different vertices cover all but the edge between those two.
void Extender::collect_keys() {
  keys_.clear();
  const auto links = pattern_->links;
  const Link* whole = nullptr;
  for (const Link& link : links) {
    if (link.dropped == Link::kNothing) whole = &link;
  }
  if (whole != nullptr) {
    collect(*whole, kAnywhere);
  } else {
    const Link& first = links.front();
    const Link& second = *std::find_if(links.begin(), links.end(),
                                       [&](const Link& x) { return x.dropped != first.dropped; });
    collect(first, kAnywhere);
    collect(second, first.dropped);
    const unsigned u = first.dropped;
    const unsigned v = second.dropped;
    if (((graph_.adjacent[u] >> v) & 1U) == 0) {
      for (const Extension& x : vertices_->extensions(graph_.labels[u])) {
        if (types_.vertex_label(type_of(x.key)) != graph_.labels[v]) continue;
        const ExtensionKey key = closing(u, v, types_.edge_label(type_of(x.key)));
        if (smallest_image(key) == key) keys_.push_back(key);
      }
    }
  }
  std::sort(keys_.begin(), keys_.end());
}

// Adds the parent's extensions, renamed, that touch a vertex (kAnywhere: all).
void Extender::collect(const Link& link, unsigned must_touch) {
  Perm back = 0;
  for (unsigned v = 0; v < graph_.n; ++v) {
    if (v != link.dropped) back = with(back, at(link.perm, v), v);
  }
  for (const Extension& x : below_->extensions(link.parent)) {
    const ExtensionKey key = renamed(x.key, back);
    const unsigned u = first_end(key);
    if (is_closing(key)) {
      const unsigned v = second_end(key);
      if (((graph_.adjacent[u] >> v) & 1U) != 0) continue;
      if (must_touch != kAnywhere && u != must_touch && v != must_touch) continue;
    } else {
      if (graph_.n == max_vertices_) continue;
      if (must_touch != kAnywhere && u != must_touch) continue;
    }
    if (smallest_image(key) == key) keys_.push_back(key);
  }
}

bool Extender::propose(ExtensionKey key, Candidate& candidate) {
  const unsigned n = graph_.n;
  candidate.key = key;
  candidate.links.clear();
  Link own{number_, 0, static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(n), kIdentity};
  own.u = static_cast<std::uint8_t>(first_end(key));
  if (is_closing(key)) {
    own.v = static_cast<std::uint8_t>(second_end(key));
    own.dropped = Link::kNothing;
  }
  candidate.links.push_back(own);
  for (const Link& link : pattern_->links) {
    if (!is_closing(key) && link.dropped == own.u) continue;  // no longer a leaf
    if (!add_known(link, key, candidate)) return false;
  }
  candidate.graph = graph_;
  if (is_closing(key)) {
    candidate.graph.add_edge(own.u, own.v, edge_label_of(key));
    for (const Bridge& bridge : bridges_) {
      const bool bypassed = ((bridge.side >> own.u) & 1U) != ((bridge.side >> own.v) & 1U);
      if (bypassed && !add_bypassed(bridge, candidate)) return false;
    }
  } else {
    candidate.graph.add_vertex(types_.vertex_label(type_of(key)));
    candidate.graph.add_edge(own.u, own.v, types_.edge_label(type_of(key)));
  }
  return true;
}

// The parent C - e where Q = P - e is a pattern.
bool Extender::add_known(const Link& link, ExtensionKey key, Candidate& candidate) const {
  const unsigned n = graph_.n;
  const unsigned n_below = link.dropped == Link::kNothing ? n : n - 1;
  Link result = link;
  ExtensionKey key_below = 0;
  unsigned newcomer = n;  // the vertex of C that is new to Q, if any
  if (!is_closing(key)) {
    key_below = renamed(key, link.perm);
  } else if (link.dropped == first_end(key) || link.dropped == second_end(key)) {
    // The new edge holds the leaf that e's removal would drop: to Q it is a pendant extension.
    newcomer = link.dropped;
    const unsigned other = first_end(key) == newcomer ? second_end(key) : first_end(key);
    const std::uint32_t type = types_.find(edge_label_of(key), graph_.labels[newcomer]);
    if (type == kNone) return false;
    key_below = pendant(at(link.perm, other), type);
    result.dropped = Link::kNothing;
  } else {
    key_below = renamed(key, link.perm);
  }
  const Extension* found = below_->find(link.parent, key_below);
  if (found == nullptr) return false;
  if (found->child > number_) return false;
  result.parent = found->child;
  result.perm = 0;
  for (unsigned y = 0; y < n; ++y) {
    if (y != link.dropped) result.perm |= Perm{at(found->perm, at(link.perm, y))} << (4 * y);
  }
  if (!is_closing(key) || newcomer != n) {
    result.perm |= Perm{at(found->perm, n_below)} << (4 * newcomer);
  }
  return admit(result, key, candidate);
}

bool Extender::add_bypassed(const Bridge& bridge, Candidate& candidate) {
  PatternGraph parent = candidate.graph;
  parent.remove_edge(bridge.u, bridge.v);
  canonizer_.run(parent, canonical_);
  const std::uint32_t found = here_->find_code(canonical_.code);
  if (found == kNone || found > number_) return false;
  const Link link{
      found, bridge.u, bridge.v, Link::kNothing,
      then(inverse(canonical_.order, parent.n), here_->patterns[found].order, parent.n)};
  return admit(link, candidate.key, candidate);
}

// If the parent is P again, the extension must not be reachable by a smaller one.
bool Extender::admit(const Link& link, ExtensionKey key, Candidate& candidate) const {
  if (link.parent == number_) {
    const std::uint32_t label = graph_.edge_label[link.u][link.v];
    ExtensionKey other = 0;
    if (link.dropped == Link::kNothing) {
      other = closing(at(link.perm, link.u), at(link.perm, link.v), label);
    } else {
      const unsigned kept = link.dropped == link.u ? link.v : link.u;
      other = pendant(at(link.perm, kept), types_.find(label, graph_.labels[link.dropped]));
    }
    if (smallest_image(other) < key) return false;
  }
  candidate.links.push_back(link);
  return true;
}

}  // namespace graphassay::miner
