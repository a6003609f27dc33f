// Frequent patterns with one number of edges, and how they are linked to the levels beside them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "miner_count.hpp"
#include "miner_pattern.hpp"
#include "miner_store.hpp"

namespace graphassay::miner {

// One more edge of a pattern, as 32 bits. Pendant: a new vertex at u, seen over a type. Closing:
// an edge with a label between u < v.
using ExtensionKey = std::uint32_t;
inline constexpr std::uint32_t kMaxTypes = 1U << 27;
inline constexpr std::uint32_t kMaxEdgeLabels = 1U << 23;

inline ExtensionKey pendant(unsigned u, std::uint32_t type) { return (u << 27) | type; }
inline ExtensionKey closing(unsigned u, unsigned v, std::uint32_t edge_label) {
  return (1U << 31) | ((u < v ? u : v) << 27) | ((u < v ? v : u) << 23) | edge_label;
}
inline bool is_closing(ExtensionKey key) { return (key >> 31) != 0; }
inline unsigned first_end(ExtensionKey key) { return (key >> 27) & 15U; }
inline unsigned second_end(ExtensionKey key) { return (key >> 23) & 15U; }        // closing
inline std::uint32_t type_of(ExtensionKey key) { return key & (kMaxTypes - 1); }  // pendant
inline std::uint32_t edge_label_of(ExtensionKey key) { return key & (kMaxEdgeLabels - 1); }

// The extension with its ends renamed.
inline ExtensionKey renamed(ExtensionKey key, Perm map) {
  if (!is_closing(key)) return pendant(at(map, first_end(key)), type_of(key));
  return closing(at(map, first_end(key)), at(map, second_end(key)), edge_label_of(key));
}

// "Without edge (u, v), and without vertex `dropped` if that leaves it bare, this pattern is
// `parent`, a pattern of the level below": perm maps the remaining vertices to the parent's.
struct Link {
  static constexpr std::uint8_t kNothing = 0xFF;
  std::uint32_t parent = 0;
  std::uint8_t u = 0;
  std::uint8_t v = 0;
  std::uint8_t dropped = kNothing;  // else u or v
  Perm perm = 0;
};

// "With this extension the pattern is `child`, a pattern of the level above": perm maps the
// vertices (a pendant extension's new vertex is numbered last) to the child's.
struct Extension {
  ExtensionKey key;
  std::uint32_t child;
  Perm perm;
};

struct Pattern {
  std::uint32_t n_vertices = 0;
  std::uint32_t n_edges = 0;
  const std::uint32_t* labels = nullptr;
  const PatternEdge* edges = nullptr;
  std::span<const Link> links;       // every edge whose removal leaves it connected
  std::span<const Perm> generators;  // of the automorphism group
  std::span<const std::uint8_t> code;
  std::uint64_t code_hash = 0;
  Perm order = 0;       // DFS number -> vertex
  GraphSetBits graphs;  // that contain the pattern
  std::uint32_t n_graphs = 0;
  std::span<const std::uint32_t> counts;  // by database
  const void* witnesses = nullptr;        // n_vertices vertex numbers for each of them

  [[nodiscard]] PatternGraph graph() const {
    PatternGraph result;
    for (unsigned v = 0; v < n_vertices; ++v) result.add_vertex(labels[v]);
    for (unsigned e = 0; e < n_edges; ++e) {
      result.add_edge(edges[e].u, edges[e].v, edges[e].label);
    }
    return result;
  }
};

// Memory that is given back all at once; counts its bytes in a shared total.
class Arena {
 public:
  explicit Arena(std::atomic<std::size_t>& total) : total_(&total) {}
  Arena(Arena&& other) noexcept
      : total_(other.total_),
        blocks_(std::move(other.blocks_)),
        used_(other.used_),
        size_(other.size_),
        n_bytes_(other.n_bytes_) {
    other.used_ = other.size_ = other.n_bytes_ = 0;
    other.blocks_.clear();
  }
  Arena& operator=(Arena&&) = delete;
  ~Arena() { *total_ -= n_bytes_; }

  template <typename T>
  T* take(std::size_t n) {
    static_assert(alignof(T) <= 8);
    const std::size_t wanted = (n * sizeof(T) + 7) / 8 * 8;
    if (wanted > size_ - used_) grow(wanted);
    auto* const place = reinterpret_cast<T*>(blocks_.back().get() + used_ / 8);
    used_ += wanted;
    return place;
  }
  template <typename T>
  std::span<const T> keep(std::span<const T> values) {
    T* const place = take<T>(values.size());
    std::copy(values.begin(), values.end(), place);
    return {place, values.size()};
  }

 private:
  void grow(std::size_t wanted) {
    // Small at first, so that tiny databases stay cheap.
    const std::size_t usual = std::min<std::size_t>(std::size_t{1} << 20, 4096 + n_bytes_);
    size_ = std::max(wanted, usual / 8 * 8);
    used_ = 0;
    blocks_.emplace_back(new std::uint64_t[size_ / 8]);  // not zeroed
    n_bytes_ += size_;
    *total_ += size_;
  }

  std::atomic<std::size_t>* total_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
  std::size_t n_bytes_ = 0;
};

class Level {
 public:
  std::vector<Pattern> patterns;
  std::vector<Arena> arenas;          // what the patterns point into,
  std::vector<Arena> witness_arenas;  // and, most of it, their graph sets and witnesses

  // Fills the tables of this level's extensions from the links of the level above, for every
  // image under this level's automorphisms.
  void connect(const Level& above, const TypeTable& types);
  [[nodiscard]] std::span<const Extension> extensions(std::uint32_t pattern) const {
    return {extensions_.data() + first_extension_[pattern],
            extensions_.data() + first_extension_[pattern + 1]};
  }
  [[nodiscard]] const Extension* find(std::uint32_t pattern, ExtensionKey key) const {
    std::size_t low = first_extension_[pattern];
    std::size_t high = first_extension_[pattern + 1];
    const std::size_t end = high;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (extensions_[middle].key < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && extensions_[low].key == key ? &extensions_[low] : nullptr;
  }

  // Look-up by canonical code; index_codes() first.
  void index_codes();
  [[nodiscard]] std::uint32_t find_code(std::span<const std::uint8_t> code) const;

 private:
  std::vector<std::size_t> first_extension_;
  std::vector<Extension> extensions_;
  std::vector<std::uint32_t> code_table_;  // open addressing; kNone: free
};

}  // namespace graphassay::miner
