// libFuzzer over the core's parsers; the first byte chooses one. `make fuzz` builds and runs it.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graphassay/errors.hpp"
#include "graphassay/graph_view.hpp"
#include "graphassay/gspan.hpp"
#include "graphassay/rdkit_binary.hpp"
#include "graphassay/text.hpp"

namespace {

void fuzz_gspan(std::string_view text) {
  const graphassay::ParsedGspan parsed = graphassay::parse_gspan(text);
  try {
    graphassay::validate({parsed.vertex_offsets, parsed.edge_offsets, parsed.vertex_labels,
                          parsed.edge_u, parsed.edge_v, parsed.edge_labels});
  } catch (const graphassay::InvalidInput&) {
    __builtin_trap();  // what the parser keeps must be sound
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        fuzz_gspan(text);
        break;
      case 1:
        graphassay::parse_integer_rows(text, 2);
        break;
      case 2:
        graphassay::parse_label_lines(text);
        break;
      default: {
        const auto half = static_cast<std::int64_t>(text.size() / 2);
        const std::vector<std::int64_t> ends{half, static_cast<std::int64_t>(text.size())};
        graphassay::MoleculeColumns columns;
        graphassay::read_rdkit_binary(text, ends, columns);
      }
    }
  } catch (const graphassay::InvalidInput&) {
    // The one exception a parser may throw.
  }
  return 0;
}
