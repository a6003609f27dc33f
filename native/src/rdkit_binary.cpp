#include "graphassay/rdkit_binary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

namespace graphassay {
namespace {

constexpr std::uint32_t kMagic = 0xDEADBEEF;
constexpr std::uint32_t kMajorVersion = 16;
constexpr std::uint8_t kBeginAtoms = 0x01;
constexpr std::uint8_t kBeginBonds = 0x0b;
constexpr std::uint8_t kPlainMolecule = 0x80;
constexpr std::uint8_t kAtomExtras = 0x9f;  // query, map number, dummy label, monomer; unknown bits
constexpr std::uint8_t kBondExtras = 0x91;  // query; unknown bits
constexpr std::uint32_t kSingleBond = 1;

// Bytes in order, little-endian; after a read past the end `ok` is false and values are 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  std::uint32_t u8() { return take<1>(); }
  std::uint32_t u32() { return take<4>(); }
  void skip(std::size_t n) {
    ok_ = ok_ && n <= rest_.size();
    if (ok_) rest_.remove_prefix(n);
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  template <std::size_t n>
  std::uint32_t take() {
    if (!ok_ || rest_.size() < n) {
      ok_ = false;
      return 0;
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(n);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

bool read_atom(Bytes& bytes, std::uint32_t& key) {
  const std::uint32_t number = bytes.u8();
  if ((bytes.u8() & kAtomExtras) != 0) return false;
  const std::uint32_t present = bytes.u32();
  if (present >= 1U << 9 || (present & 1U) != 0) return false;
  std::int32_t charge = 0;
  if ((present & 1U << 1) != 0) charge = static_cast<std::int8_t>(bytes.u8());
  for (unsigned bit = 2; bit <= 7; ++bit) {  // chirality, hybridization, hydrogens, valences, …
    if ((present & 1U << bit) != 0) bytes.skip(1);
  }
  const std::uint32_t isotope = (present & 1U << 8) != 0 ? bytes.u32() : 0;
  if (isotope > 0xffff) return false;
  key = number | static_cast<std::uint32_t>(charge + 128) << 8 | isotope << 16;
  return bytes.ok();
}

using Bond = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

bool read_bond(Bytes& bytes, std::uint32_t n_atoms, Bond& bond) {
  const bool wide = n_atoms > 255;
  const auto index = [&] { return wide ? bytes.u32() : bytes.u8(); };
  const std::uint32_t a = index();
  const std::uint32_t b = index();
  const std::uint32_t flags = bytes.u8();
  if ((flags & kBondExtras) != 0 || a >= n_atoms || b >= n_atoms || a == b) return false;
  const std::uint32_t type = (flags & 1U << 3) != 0 ? bytes.u8() : kSingleBond;
  if ((flags & 1U << 2) != 0) bytes.skip(1);  // direction
  if ((flags & 1U << 1) != 0) {               // stereo: kind, number of atoms, atoms
    bytes.skip(1);
    const std::size_t n = bytes.u8();
    bytes.skip(n * (wide ? 4 : 1));
  }
  bond = {static_cast<std::int32_t>(std::min(a, b)), static_cast<std::int32_t>(std::max(a, b)),
          static_cast<std::int32_t>(type)};
  return bytes.ok();
}

bool read_molecule(std::string_view blob, MoleculeColumns& columns, std::vector<Bond>& bonds) {
  Bytes bytes(blob);
  const std::array<std::uint32_t, 3> head{bytes.u32(), bytes.u32(), bytes.u32()};
  bytes.skip(8);  // minor and patch version
  const std::uint32_t n_atoms = bytes.u32();
  const std::uint32_t n_bonds = bytes.u32();
  // An atom takes at least 6 bytes and a bond 3, so that sizes are known to be honest.
  if (head[0] != kMagic || head[1] != 0 || head[2] != kMajorVersion || n_atoms > blob.size() / 6 ||
      n_bonds > blob.size() / 3 || bytes.u8() != kPlainMolecule || bytes.u8() != kBeginAtoms) {
    return false;
  }
  for (std::uint32_t i = 0; i < n_atoms; ++i) {
    std::uint32_t key = 0;
    if (!read_atom(bytes, key)) return false;
    columns.atoms.push_back(key);
  }
  if (bytes.u8() != kBeginBonds) return false;
  bonds.resize(n_bonds);
  for (Bond& bond : bonds) {
    if (!read_bond(bytes, n_atoms, bond)) return false;
  }
  std::sort(bonds.begin(), bonds.end());
  for (const auto& [u, v, type] : bonds) {
    columns.edge_u.push_back(u);
    columns.edge_v.push_back(v);
    columns.bonds.push_back(type);
  }
  columns.vertex_counts.push_back(static_cast<std::int32_t>(n_atoms));
  columns.edge_counts.push_back(static_cast<std::int32_t>(n_bonds));
  return bytes.ok();
}

}  // namespace

bool read_rdkit_binary(std::string_view blob, std::span<const std::int64_t> ends,
                       MoleculeColumns& columns) {
  std::vector<Bond> bonds;
  std::size_t begin = 0;
  for (const std::int64_t end_at : ends) {
    const auto end = static_cast<std::size_t>(end_at);
    if (end < begin || end > blob.size()) return false;
    if (!read_molecule(blob.substr(begin, end - begin), columns, bonds)) return false;
    begin = end;
  }
  return true;
}

}  // namespace graphassay
