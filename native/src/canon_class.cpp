#include "canon_class.hpp"

#include <algorithm>
#include <utility>

#include "canon_parallel.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::canon {
namespace {

// Keeps the different uses of mix128 apart.
constexpr std::uint64_t kSubtreeTag = 0x73756274;
constexpr std::uint64_t kCentreTag = 0x63656e74;
constexpr std::uint64_t kCoreTag = 0x636f7265;
constexpr std::int32_t kFolded = -2;  // a layer
constexpr std::uint64_t kGraphTag = 0x67726170;

}  // namespace

void ClassHasher::build(std::span<const std::uint64_t> colours, const EdgeList& edges) {
  const std::size_t n = colours.size();
  label_keys_ = edges.label_keys;
  label_ranks_.resize(std::max(label_ranks_.size(), label_keys_.size()), -1);
  colours_ = colours;
  degrees_.assign(n, 0);
  folded_.assign(n, Hash128{});
  layers_.assign(n, -1);
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
  core_index_.assign(n, -1);
}

Hash128 ClassHasher::run(std::span<const std::uint64_t> colours, const EdgeList& edges,
                         WorkMeter& meter) {
  build(colours, edges);
  meter.spend(colours.size() + edges.u.size());
  path_ = ClassPath::kTree;
  component_hashes_.clear();
  fold_trees();
  for (std::size_t v = 0; v < colours.size(); ++v) {
    if (degrees_[v] == 0 || core_index_[v] >= 0) continue;
    component_hashes_.push_back(core_hash(static_cast<std::int32_t>(v), meter));
  }
  // A multiset of components: sorting makes it a sequence.
  if (component_hashes_.size() > 1) std::sort(component_hashes_.begin(), component_hashes_.end());
  Hash128 result = mix128(component_hashes_.size(), colours.size(), kGraphTag);
  for (const Hash128& hash : component_hashes_) {
    result = mix128(mix128(result, hash.high), hash.low);
  }
  return result;
}

// The rooted tree at v of what has been folded so far.
Hash128 ClassHasher::subtree(std::int32_t v) const {
  return mix128(folded_[v].high, folded_[v].low, colours_[v] ^ kSubtreeTag);
}

// Folds all leaves at once, again and again, until none is left. The vertices that then have no
// edge left are those of the trees, whose hashes are noted when their centres are met.
void ClassHasher::fold_trees() {
  layer_.clear();
  for (std::size_t v = 0; v < degrees_.size(); ++v) {
    if (degrees_[v] > 1) continue;
    layers_[v] = 0;
    layer_.push_back(static_cast<std::int32_t>(v));
  }
  for (std::int32_t depth = 0; !layer_.empty(); ++depth) {
    next_layer_.clear();
    for (const std::int32_t v : layer_) {
      if (layers_[v] == kFolded) continue;  // the other half of a centre
      const Hash128 tree = subtree(v);
      if (degrees_[v] == 0) {
        component_hashes_.push_back(mix128(tree, kCentreTag));
        continue;
      }
      std::int32_t h = offsets_[v];
      while (degrees_[half_edges_[h].to] == 0) ++h;  // folded before
      const auto [parent, label] = half_edges_[h];
      degrees_[v] = 0;
      if (layers_[parent] == depth) {  // a leaf too: the two are the centre of a tree
        Hash128 both = tree;
        both += subtree(parent);
        component_hashes_.push_back(mix128(both, mix64(label_keys_[label], kCentreTag)));
        degrees_[parent] = 0;
        layers_[parent] = kFolded;
        continue;
      }
      folded_[parent] += mix128(tree, label_keys_[label]);
      if (--degrees_[parent] == 1) {
        layers_[parent] = depth + 1;
        next_layer_.push_back(parent);
      }
    }
    std::swap(layer_, next_layer_);
  }
}

// The 2-core around the root: local vertex numbers, and the distinct keys of its edge labels.
void ClassHasher::build_core(std::int32_t root) {
  core_.edge_keys.clear();
  core_.offsets.assign(1, 0);
  core_.neighbours.clear();
  core_.edge_ranks.clear();
  core_.neighbours.reserve(half_edges_.size());  // the vectors grow at most once
  core_.edge_ranks.reserve(half_edges_.size());
  core_colours_.clear();
  members_.assign(1, root);
  core_index_[root] = 0;
  core_labels_.clear();
  for (std::size_t head = 0; head < members_.size(); ++head) {
    const std::int32_t u = members_[head];
    core_colours_.push_back(subtree(u));
    for (std::int32_t h = offsets_[u]; h < offsets_[u + 1]; ++h) {
      const auto [v, label] = half_edges_[h];
      if (degrees_[v] == 0) continue;
      if (core_index_[v] < 0) {
        core_index_[v] = static_cast<std::int32_t>(members_.size());
        members_.push_back(v);
      }
      if (label_ranks_[label] < 0) {
        label_ranks_[label] = 0;
        core_labels_.push_back(label);
      }
      core_.neighbours.push_back(core_index_[v]);
      core_.edge_ranks.push_back(label);
    }
    core_.offsets.push_back(static_cast<std::int32_t>(core_.neighbours.size()));
  }
  std::sort(core_labels_.begin(), core_labels_.end(),
            [&](std::int32_t a, std::int32_t b) { return label_keys_[a] < label_keys_[b]; });
  for (std::size_t rank = 0; rank < core_labels_.size(); ++rank) {
    label_ranks_[core_labels_[rank]] = static_cast<std::int32_t>(rank);
    core_.edge_keys.push_back(label_keys_[core_labels_[rank]]);
  }
  for (std::int32_t& rank : core_.edge_ranks) rank = label_ranks_[rank];
  for (const std::int32_t label : core_labels_) label_ranks_[label] = -1;
}

Hash128 ClassHasher::core_hash(std::int32_t root, WorkMeter& meter) {
  build_core(root);
  const Hash128 hash = search_.run(core_, core_colours_, meter);
  const auto path = static_cast<ClassPath>(static_cast<std::uint8_t>(search_.path()) + 1);
  path_ = std::max(path_, path);
  return mix128(hash, mix64(members_.size(), kCoreTag));
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
        const auto labels = graphs.vertex_labels.subspan(first_vertex, graphs.n_vertices(g));
        workspace.colours.resize(labels.size());
        for (std::size_t v = 0; v < labels.size(); ++v) {
          workspace.colours[v] = vertex_keys[labels[v]];
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
