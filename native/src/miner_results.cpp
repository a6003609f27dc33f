#include "miner_results.hpp"

#include <algorithm>
#include <cstring>

namespace graphassay::miner {

void Results::begin_level(std::size_t n_patterns) { levels_.emplace_back().reserve(n_patterns); }

void Results::add(const Pattern& pattern, std::span<const std::int64_t> embeddings) {
  if (pattern.n_edges < options_.min_edges) return;
  Entry entry{};
  entry.code = arena_.keep(pattern.code).data();
  entry.code_size = static_cast<std::uint16_t>(pattern.code.size());
  for (std::size_t i = 0; i < 8; ++i) {
    entry.prefix = (entry.prefix << 8) | (i < pattern.code.size() ? pattern.code[i] : 0U);
  }
  entry.counts = arena_.keep(pattern.counts).data();
  if (!embeddings.empty()) entry.embeddings = arena_.keep(embeddings).data();
  if (options_.occurrences) {
    auto* graphs = arena_.take<std::uint32_t>(pattern.n_graphs);
    entry.graphs = graphs;
    entry.n_graphs = pattern.n_graphs;
    for (std::uint32_t i = 0; i < pattern.graphs.n_words; ++i) {
      for_each_bit(pattern.graphs.words[i],
                   [&](unsigned bit) { *graphs++ = pattern.graphs.places[i] * 64 + bit; });
    }
  }
  levels_.back().push_back(entry);
  ++n_entries_;
  n_vertices_ += pattern.n_vertices;
  n_edges_ += pattern.n_edges;
}

void Results::end_level() {
  std::sort(levels_.back().begin(), levels_.back().end(), [](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = std::memcmp(a.code, b.code, std::min(a.code_size, b.code_size));
    return order != 0 ? order < 0 : a.code_size < b.code_size;
  });
}

MinerResult Results::finish() {
  MinerResult result;
  result.vertex_offsets.push_back(0);
  result.edge_offsets.push_back(0);
  if (options_.occurrences) result.occurrence_offsets.push_back(0);
  result.counts.reserve(n_entries_ * n_databases_);
  result.vertex_offsets.reserve(n_entries_ + 1);
  result.edge_offsets.reserve(n_entries_ + 1);
  result.vertex_labels.reserve(n_vertices_);
  result.edge_u.reserve(n_edges_);
  result.edge_v.reserve(n_edges_);
  result.edge_labels.reserve(n_edges_);
  for (const std::vector<Entry>& level : levels_) {
    for (const Entry& entry : level) append(entry, result);
  }
  return result;
}

void Results::append(const Entry& entry, MinerResult& result) {
  decode({entry.code, entry.code_size}, format_, decoded_);
  std::sort(decoded_.edges.begin(), decoded_.edges.end(),
            [](const PatternEdge& a, const PatternEdge& b) {
              return a.u != b.u ? a.u < b.u : a.v < b.v;
            });
  for (const std::uint32_t label : decoded_.labels) {
    result.vertex_labels.push_back(prepared_.vertex_labels[label]);
  }
  for (const PatternEdge& edge : decoded_.edges) {
    result.edge_u.push_back(edge.u);
    result.edge_v.push_back(edge.v);
    result.edge_labels.push_back(prepared_.edge_labels[edge.label]);
  }
  result.vertex_offsets.push_back(static_cast<std::int64_t>(result.vertex_labels.size()));
  result.edge_offsets.push_back(static_cast<std::int64_t>(result.edge_u.size()));
  for (std::size_t d = 0; d < n_databases_; ++d) result.counts.push_back(entry.counts[d]);
  if (entry.embeddings != nullptr) {
    result.embeddings.insert(result.embeddings.end(), entry.embeddings,
                             entry.embeddings + n_databases_);
  }
  if (options_.occurrences) {
    for (std::uint32_t i = 0; i < entry.n_graphs; ++i) {
      result.occurrence_graphs.push_back(
          static_cast<std::int64_t>(prepared_.store.graphs[entry.graphs[i]].id));
    }
    result.occurrence_offsets.push_back(static_cast<std::int64_t>(result.occurrence_graphs.size()));
  }
}

}  // namespace graphassay::miner
