#include "canon_class.hpp"

#include <algorithm>
#include <utility>

#include "canon_parallel.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::canon {
namespace {

// Keeps the different uses of mix128 apart.
constexpr std::uint64_t kVertexTag = 0x76657274;
constexpr std::uint64_t kSubtreeTag = 0x73756274;
constexpr std::uint64_t kCentreTag = 0x63656e74;
constexpr std::uint64_t kCoreTag = 0x636f7265;
constexpr std::uint64_t kGraphTag = 0x67726170;

}  // namespace

void ClassHasher::build(std::span<const std::uint64_t> colours, const EdgeList& edges) {
  const std::size_t n = colours.size();
  label_keys_ = edges.label_keys;
  colours_.assign(colours.begin(), colours.end());
  degrees_.assign(n, 0);
  folded_.assign(n, Hash128{});
  seen_.assign(n, 0);
  for (std::size_t e = 0; e < edges.u.size(); ++e) {
    ++degrees_[edges.u[e]];
    ++degrees_[edges.v[e]];
  }
  offsets_.resize(n + 1);
  offsets_[0] = 0;
  for (std::size_t v = 0; v < n; ++v) offsets_[v + 1] = offsets_[v] + degrees_[v];
  half_edges_.resize(2 * edges.u.size());
  core_index_.assign(offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t e = 0; e < edges.u.size(); ++e) {
    half_edges_[core_index_[edges.u[e]]++] = {edges.v[e], edges.labels[e]};
    half_edges_[core_index_[edges.v[e]]++] = {edges.u[e], edges.labels[e]};
  }
}

Hash128 ClassHasher::run(std::span<const std::uint64_t> colours, const EdgeList& edges,
                         WorkMeter& meter) {
  build(colours, edges);
  meter.spend(colours.size() + edges.u.size());
  path_ = ClassPath::kTree;
  component_hashes_.clear();
  for (std::size_t v = 0; v < colours.size(); ++v) {
    if (seen_[v] != 0) continue;
    collect_component(static_cast<std::int32_t>(v));
    component_hashes_.push_back(component_hash(meter));
  }
  // A multiset of components: sorting makes it a sequence.
  std::sort(component_hashes_.begin(), component_hashes_.end());
  Hash128 result = mix128(component_hashes_.size(), colours.size(), kGraphTag);
  for (const Hash128& hash : component_hashes_) {
    result = mix128(mix128(result, hash.high), hash.low);
  }
  return result;
}

void ClassHasher::collect_component(std::int32_t root) {
  component_.clear();
  component_.push_back(root);
  seen_[root] = 1;
  for (std::size_t head = 0; head < component_.size(); ++head) {
    const std::int32_t u = component_[head];
    for (std::int32_t h = offsets_[u]; h < offsets_[u + 1]; ++h) {
      const std::int32_t v = half_edges_[h].to;
      if (seen_[v] != 0) continue;
      seen_[v] = 1;
      component_.push_back(v);
    }
  }
}

// The rooted tree at v of what has been folded so far.
Hash128 ClassHasher::subtree(std::int32_t v) const {
  const Hash128 label = mix128(colours_[v], kVertexTag, 0);
  const Hash128& sum = folded_[v];
  return mix128(label.high ^ sum.high, label.low + sum.low, kSubtreeTag);
}

// Removes all leaves at once, again and again, until there are none or a tree's centre is left.
void ClassHasher::fold_trees() {
  layer_.clear();
  for (const std::int32_t v : component_) {
    if (degrees_[v] == 1) layer_.push_back(v);
  }
  std::size_t n_left = component_.size();
  while (!layer_.empty() && n_left > 2) {
    next_layer_.clear();
    for (const std::int32_t v : layer_) {
      const Hash128 tree = subtree(v);
      for (std::int32_t h = offsets_[v]; h < offsets_[v + 1]; ++h) {
        const auto [parent, label] = half_edges_[h];
        if (degrees_[parent] == 0) continue;  // folded before
        folded_[parent] += mix128(tree, label_keys_[label]);
        if (--degrees_[parent] == 1) next_layer_.push_back(parent);
      }
      degrees_[v] = 0;
      --n_left;
    }
    std::swap(layer_, next_layer_);
  }
  remaining_.clear();
  if (n_left == component_.size()) {
    remaining_.assign(component_.begin(), component_.end());
  } else if (n_left > 2) {
    for (const std::int32_t v : component_) {
      if (degrees_[v] > 0) remaining_.push_back(v);
    }
  } else {
    // A centre of two still has its edge; a centre of one has lost all and is the last parent.
    for (const std::int32_t v : layer_) remaining_.push_back(v);
  }
}

Hash128 ClassHasher::tree_hash() const {
  const std::int32_t v = remaining_.front();
  Hash128 sum = subtree(v);
  if (remaining_.size() == 2) {
    sum += subtree(remaining_.back());
    for (std::int32_t h = offsets_[v]; h < offsets_[v + 1]; ++h) {
      if (half_edges_[h].to != remaining_.back()) continue;
      return mix128(sum, mix64(label_keys_[half_edges_[h].label], kCentreTag));
    }
  }
  return mix128(sum, kCentreTag);
}

// The 2-core with local vertex numbers and the distinct keys of its edge labels.
void ClassHasher::build_core() {
  core_.edge_keys.clear();
  core_.offsets.assign(1, 0);
  core_.neighbours.clear();
  core_.edge_ranks.clear();
  core_colours_.clear();
  for (std::size_t i = 0; i < remaining_.size(); ++i) {
    core_index_[remaining_[i]] = static_cast<std::int32_t>(i);
  }
  for (const std::int32_t u : remaining_) {
    core_colours_.push_back(subtree(u));
    for (std::int32_t h = offsets_[u]; h < offsets_[u + 1]; ++h) {
      const auto [v, label] = half_edges_[h];
      if (degrees_[v] == 0) continue;
      const std::uint64_t key = label_keys_[label];
      auto it = std::lower_bound(core_.edge_keys.begin(), core_.edge_keys.end(), key);
      if (it == core_.edge_keys.end() || *it != key) core_.edge_keys.insert(it, key);
      core_.neighbours.push_back(core_index_[v]);
      core_.edge_ranks.push_back(label);
    }
    core_.offsets.push_back(static_cast<std::int32_t>(core_.neighbours.size()));
  }
  for (std::int32_t& rank : core_.edge_ranks) {
    const auto it =
        std::lower_bound(core_.edge_keys.begin(), core_.edge_keys.end(), label_keys_[rank]);
    rank = static_cast<std::int32_t>(it - core_.edge_keys.begin());
  }
}

Hash128 ClassHasher::component_hash(WorkMeter& meter) {
  fold_trees();
  if (remaining_.size() <= 2) return tree_hash();
  build_core();
  const Hash128 hash = search_.run(core_, core_colours_, meter);
  const auto path = static_cast<ClassPath>(static_cast<std::uint8_t>(search_.path()) + 1);
  path_ = std::max(path_, path);
  return mix128(hash, mix64(remaining_.size(), kCoreTag));
}

}  // namespace graphassay::canon

namespace graphassay {
namespace {

struct ClassWorkspace {
  canon::ClassHasher hasher;
  canon::WorkMeter meter;
  std::vector<std::uint64_t> colours;
};

void check_table(std::span<const std::int32_t> labels, std::size_t n_keys, const char* what) {
  for (const std::int32_t label : labels) {
    if (static_cast<std::size_t>(label) >= n_keys) {
      throw InvalidInput(std::string(what) + ": expected one value per label");
    }
  }
}

}  // namespace

ClassIds class_ids(const GraphSetView& graphs, std::span<const std::uint64_t> vertex_keys,
                   std::span<const std::uint64_t> edge_keys, const RunOptions& options) {
  check_table(graphs.vertex_labels, vertex_keys.size(), "vertex_keys");
  check_table(graphs.edge_labels, edge_keys.size(), "edge_keys");
  ClassIds result;
  result.ids.resize(2 * graphs.size());
  result.paths.resize(graphs.size());
  canon::for_each_graph<ClassWorkspace>(
      graphs.size(), options, [&](ClassWorkspace& workspace, std::size_t g) {
        const auto first_vertex = static_cast<std::size_t>(graphs.vertex_offsets[g]);
        const auto first_edge = static_cast<std::size_t>(graphs.edge_offsets[g]);
        const std::size_t n_edges = graphs.n_edges(g);
        workspace.colours.clear();
        for (const std::int32_t label :
             graphs.vertex_labels.subspan(first_vertex, graphs.n_vertices(g))) {
          workspace.colours.push_back(vertex_keys[label]);
        }
        workspace.meter.reset(options.max_work);
        const canon::EdgeList edges{graphs.edge_u.subspan(first_edge, n_edges),
                                    graphs.edge_v.subspan(first_edge, n_edges),
                                    graphs.edge_labels.subspan(first_edge, n_edges), edge_keys};
        try {
          const canon::Hash128 id = workspace.hasher.run(workspace.colours, edges, workspace.meter);
          result.ids[2 * g] = id.high;
          result.ids[2 * g + 1] = id.low;
        } catch (const BudgetExceeded& error) {
          throw BudgetExceeded("graph " + std::to_string(g) + ": its class id " + error.what());
        }
        result.paths[g] = static_cast<std::uint8_t>(workspace.hasher.path());
      });
  return result;
}

}  // namespace graphassay
