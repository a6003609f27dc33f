#include "graphassay/attention.hpp"

#include "bindings.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

void bind_attention(nb::module_& module) {
  module.def(
      "attend",
      [](const Array<float, 4>& qkv, const Array<float, 3>& rotations,
         const Column<std::int64_t>& positions, MutableArray<float, 5>& keys,
         MutableArray<float, 4>& values, MutableArray<float, 3>& out) {
        if (keys.shape(4) != kKeyBlock) throw InvalidInput("attend: keys in other blocks");
        const CacheShape shape{
            static_cast<std::int64_t>(keys.shape(0)), static_cast<std::int64_t>(keys.shape(1)),
            static_cast<std::int64_t>(values.shape(3)), static_cast<std::int64_t>(values.shape(2))};
        nb::gil_scoped_release release;
        attend(shape, flat(qkv), flat(rotations), as_span(positions), flat(keys), flat(values),
               flat(out));
      },
      "qkv"_a.noconvert(), "rotations"_a.noconvert(), "positions"_a.noconvert(),
      "keys"_a.noconvert(), "values"_a.noconvert(), "out"_a.noconvert(),
      "Attention of each row's newest token to its own past; updates the cache of keys and "
      "values.");
}

}  // namespace graphassay::bindings
