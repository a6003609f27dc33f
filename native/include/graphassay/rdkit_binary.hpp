// Atoms and bonds out of RDKit's binary molecules (MolPickler 16.x), many times faster than through
// its Python interface. The format is RDKit's own affair: whatever is not understood is declined,
// and the caller, who also checks this reader against RDKit before use, takes the slow way.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace graphassay {

struct MoleculeColumns {
  std::vector<std::int32_t> vertex_counts;  // per molecule
  std::vector<std::int32_t> edge_counts;    // per molecule
  std::vector<std::uint32_t> atoms;         // atomic number | (charge + 128) << 8 | isotope << 16
  std::vector<std::int32_t> edge_u;         // u < v; ascending by (u, v) inside a molecule
  std::vector<std::int32_t> edge_v;
  std::vector<std::int32_t> bonds;  // RDKit's bond types
};

// `ends[i]` is where molecule i ends in `blob`. False when any molecule is not understood; reads
// nothing outside `blob` whatever it holds. O(size log bonds).
bool read_rdkit_binary(std::string_view blob, std::span<const std::int64_t> ends,
                       MoleculeColumns& columns);

}  // namespace graphassay
