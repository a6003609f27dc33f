// Readers of text and of RDKit's binary molecules, on good input and on every prefix of it.
#include <string>
#include <vector>

#include "check.hpp"
#include "graphassay/errors.hpp"
#include "graphassay/gspan.hpp"
#include "graphassay/rdkit_binary.hpp"
#include "graphassay/text.hpp"

using namespace graphassay;

namespace {

void test_integer_rows() {
  CHECK((parse_integer_rows("1, 2\r\n-3\t4 \n\n", 2) == std::vector<std::int64_t>{1, 2, -3, 4}));
  CHECK(parse_integer_rows("", 2).empty());
  for (const char* bad : {"1\n", "1,2,3\n", "x,1\n", "1,99999999999999999999\n", "1,2\n\n3,4\n"}) {
    CHECK_THROWS(parse_integer_rows(bad, 2), InvalidInput);
  }
}

void test_label_lines() {
  const LabelColumn column = parse_label_lines(" b\na \r\nb\n\n");
  CHECK((column.labels == std::vector<std::int32_t>{0, 1, 0}));
  CHECK((column.names == std::vector<std::string>{"b", "a"}));
  CHECK_THROWS(parse_label_lines("a\n\nb\n"), InvalidInput);
}

void test_gspan() {
  const std::string text =
      "t # 0\nv 0 A\nv 1 B\nv 2 A\ne 2 0 x\ne 0 1 y\nx: 0\nt # 1\nv 0 A\ne 0 0 x\nt # -1\n";
  const ParsedGspan parsed = parse_gspan(text);
  CHECK((parsed.vertex_offsets == std::vector<std::int64_t>{0, 3}));
  CHECK((parsed.edge_u == std::vector<std::int32_t>{0, 0}));
  CHECK((parsed.edge_v == std::vector<std::int32_t>{1, 2}));
  CHECK((parsed.edge_names == std::vector<std::string>{"x", "y"}));
  CHECK(parsed.refused.size() == 1 && parsed.refused[0].line == 10);
  CHECK(parsed.refused[0].reason == GspanRefusal::self_loop);
  CHECK(parsed.n_ignored_lines == 1);
  for (std::size_t length = 1; length < text.size(); ++length) {
    try {
      parse_gspan(std::string_view(text).substr(0, length));
    } catch (const InvalidInput&) {  // no complete `t` yet
      CHECK(length < 2);
    }
  }
}

// Ethenolate, written by hand: C, C and O with charge -1 and isotope 18; C=C, C-O.
std::string molecule() {
  std::string blob;
  const auto u32 = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) blob.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  };
  const auto bytes = [&](std::initializer_list<int> values) {
    for (const int value : values) blob.push_back(static_cast<char>(value));
  };
  for (const std::uint32_t value : {0xDEADBEEFU, 0U, 16U, 4U, 0U, 3U, 2U}) u32(value);
  bytes({0x80, 0x01});
  bytes({6, 0});
  u32(1U << 3);
  bytes({3});  // hybridization
  bytes({6, 0});
  u32(0);
  bytes({8, 0});
  u32(1U << 1 | 1U << 8);
  bytes({0xff});
  u32(18);
  bytes({0x0b});
  bytes({2, 1, 0});
  bytes({0, 1, 1 << 3 | 1 << 1, 2, 3, 2, 0, 2});  // double, with stereo and its two atoms
  return blob;
}

void test_rdkit_binary() {
  const std::string blob = molecule();
  const std::vector<std::int64_t> ends{static_cast<std::int64_t>(blob.size())};
  MoleculeColumns columns;
  CHECK(read_rdkit_binary(blob, ends, columns));
  const std::uint32_t oxide = 8U | 127U << 8 | 18U << 16;
  CHECK((columns.atoms == std::vector<std::uint32_t>{6U | 128U << 8, 6U | 128U << 8, oxide}));
  CHECK((columns.edge_u == std::vector<std::int32_t>{0, 1}));
  CHECK((columns.edge_v == std::vector<std::int32_t>{1, 2}));
  CHECK((columns.bonds == std::vector<std::int32_t>{2, 1}));
  for (std::size_t length = 0; length < blob.size(); ++length) {
    const std::vector<std::int64_t> cut{static_cast<std::int64_t>(length)};
    MoleculeColumns ignored;
    CHECK(!read_rdkit_binary(std::string_view(blob).substr(0, length), cut, ignored));
  }
  for (std::size_t place = 0; place < blob.size(); ++place) {  // any change: no crash
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = blob;
      other[place] = static_cast<char>(other[place] ^ (1 << bit));
      MoleculeColumns ignored;
      read_rdkit_binary(other, ends, ignored);
    }
  }
  MoleculeColumns ignored;
  CHECK(!read_rdkit_binary(blob, std::vector<std::int64_t>{1 << 20}, ignored));
  CHECK(!read_rdkit_binary(blob, std::vector<std::int64_t>{-1}, ignored));
}

}  // namespace

int main() {
  test_integer_rows();
  test_label_lines();
  test_gspan();
  test_rdkit_binary();
  return 0;
}
