#include "graphassay/orbits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "canon_parallel.hpp"

namespace graphassay {

namespace {

std::int64_t choose2(std::int64_t n) { return n * (n - 1) / 2; }
std::int64_t choose3(std::int64_t n) { return n * (n - 1) * (n - 2) / 6; }

// Adjacency of one graph, and the number of triangles on each half-edge and vertex.
struct Workspace {
  std::vector<std::size_t> starts;        // n + 1
  std::vector<std::size_t> neighbours;    // ascending within a vertex
  std::vector<std::int64_t> on_edge;      // triangles, parallel to neighbours
  std::vector<std::int64_t> triangles;    // per vertex
  std::vector<std::int64_t> shared;       // per vertex: paths of length 2 from the current vertex
  std::vector<std::size_t> touched;       // where shared is not 0
  std::vector<std::size_t> near, common;  // stamps: is a neighbour of x; of x and a

  void build(const GraphSetView& graphs, std::size_t graph) {
    const std::size_t n = graphs.n_vertices(graph);
    const auto first = static_cast<std::size_t>(graphs.edge_offsets[graph]);
    const std::size_t last = first + graphs.n_edges(graph);
    starts.assign(n + 1, 0);
    for (std::size_t e = first; e < last; ++e) {
      ++starts[static_cast<std::size_t>(graphs.edge_u[e]) + 1];
      ++starts[static_cast<std::size_t>(graphs.edge_v[e]) + 1];
    }
    for (std::size_t v = 0; v < n; ++v) starts[v + 1] += starts[v];
    neighbours.resize(2 * (last - first));
    touched.assign(starts.begin(), starts.end() - 1);  // the next free place of each vertex
    for (std::size_t e = first; e < last; ++e) {
      const auto u = static_cast<std::size_t>(graphs.edge_u[e]);
      const auto v = static_cast<std::size_t>(graphs.edge_v[e]);
      neighbours[touched[u]++] = v;
      neighbours[touched[v]++] = u;
    }
    touched.clear();
    on_edge.assign(neighbours.size(), 0);
    triangles.assign(n, 0);
    shared.assign(n, 0);
    near.assign(n, n);
    common.assign(n, neighbours.size());
  }

  [[nodiscard]] std::size_t n_vertices() const { return triangles.size(); }
  [[nodiscard]] std::int64_t degree(std::size_t v) const {
    return static_cast<std::int64_t>(starts[v + 1] - starts[v]);
  }
  [[nodiscard]] std::span<const std::size_t> around(std::size_t v) const {
    return std::span(neighbours).subspan(starts[v], starts[v + 1] - starts[v]);
  }

  void count_triangles() {
    for (std::size_t x = 0; x < n_vertices(); ++x) {
      for (const std::size_t a : around(x)) near[a] = x;
      for (std::size_t h = starts[x]; h < starts[x + 1]; ++h) {
        for (const std::size_t b : around(neighbours[h])) on_edge[h] += near[b] == x;
        triangles[x] += on_edge[h];
      }
      triangles[x] /= 2;
    }
    near.assign(n_vertices(), n_vertices());
  }

  // Four-cycles through x: pairs of paths of length 2 that end at the same vertex.
  std::int64_t four_cycles(std::size_t x) {
    for (const std::size_t a : around(x)) {
      for (const std::size_t b : around(a)) {
        if (b != x && shared[b]++ == 0) touched.push_back(b);
      }
    }
    std::int64_t cycles = 0;
    for (const std::size_t b : touched) {
      cycles += choose2(shared[b]);
      shared[b] = 0;
    }
    touched.clear();
    return cycles;
  }

  // Occurrences of x in subgraphs that need not be induced, then those that are.
  void count(std::size_t x, std::span<std::int64_t> orbit) {
    const std::int64_t d = degree(x), t = triangles[x];
    std::int64_t path_end = -2 * t, path_inner = 0, leaf = 0, tail = 0, paw_base = 0;
    std::int64_t diamond_end = 0, diamond_hub = 0, cliques = 0, path3_end = -2 * t;
    for (const std::size_t a : around(x)) near[a] = x;
    for (std::size_t h = starts[x]; h < starts[x + 1]; ++h) {
      const std::size_t a = neighbours[h];
      const std::int64_t rest = degree(a) - 1;
      path3_end += rest;
      path_inner += (d - 1) * rest - on_edge[h];
      leaf += choose2(rest);
      tail += triangles[a] - on_edge[h];
      paw_base += on_edge[h] * (rest - 1);
      diamond_hub += choose2(on_edge[h]);
      for (std::size_t k = starts[a]; k < starts[a + 1]; ++k) {
        const std::size_t b = neighbours[k];
        if (b == x) continue;
        path_end += degree(b) - 1;
        if (near[b] != x) continue;
        common[b] = h;
        if (b > a) diamond_end += on_edge[k] - 1;
      }
      for (const std::size_t b : around(a)) {
        if (b <= a || common[b] != h) continue;
        for (const std::size_t c : around(b)) cliques += c > b && common[c] == h;
      }
    }
    orbit[0] = d;
    orbit[1] = path3_end;
    orbit[2] = choose2(d) - t;
    orbit[3] = t;
    // Every denser graph on the same four vertices holds a fixed number of each sparser one.
    const std::int64_t k4 = cliques;
    orbit[14] = k4;
    orbit[13] = diamond_hub - 3 * k4;
    orbit[12] = diamond_end - 3 * k4;
    orbit[11] = t * (d - 2) - 2 * orbit[13] - 3 * k4;
    orbit[10] = paw_base - 2 * orbit[12] - 2 * orbit[13] - 6 * k4;
    orbit[9] = tail - 2 * orbit[12] - 3 * k4;
    orbit[8] = four_cycles(x) - orbit[12] - orbit[13] - 3 * k4;
    orbit[7] = choose3(d) - orbit[11] - orbit[13] - k4;
    orbit[6] = leaf - orbit[9] - orbit[10] - 2 * orbit[12] - orbit[13] - 3 * k4;
    orbit[5] = path_inner - 2 * orbit[8] - orbit[10] - 2 * orbit[11] - 2 * orbit[12] -
               4 * orbit[13] - 6 * k4;
    orbit[4] =
        path_end - 2 * orbit[8] - 2 * orbit[9] - orbit[10] - 4 * orbit[12] - 2 * orbit[13] - 6 * k4;
  }
};

}  // namespace

std::vector<std::int64_t> vertex_orbits(const GraphSetView& graphs, const RunOptions& options) {
  std::vector<std::int64_t> orbits(graphs.vertex_labels.size() * kOrbits);
  canon::for_each_graph<Workspace>(
      graphs.size(), options, [&](Workspace& workspace, std::size_t graph) {
        workspace.build(graphs, graph);
        workspace.count_triangles();
        const auto first = static_cast<std::size_t>(graphs.vertex_offsets[graph]);
        for (std::size_t v = 0; v < workspace.n_vertices(); ++v) {
          workspace.count(v, std::span(orbits).subspan((first + v) * kOrbits, kOrbits));
        }
      });
  return orbits;
}

}  // namespace graphassay
