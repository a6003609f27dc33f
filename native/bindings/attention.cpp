#include "graphassay/attention.hpp"

#include "bindings.hpp"
#include "graphassay/errors.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

template <int N>
using Floats = nb::ndarray<const float, nb::numpy, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <int N>
using MutableFloats = nb::ndarray<float, nb::numpy, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename Array>
auto flat(const Array& array) {
  return std::span(array.data(), array.size());
}

}  // namespace

void bind_attention(nb::module_& module) {
  module.def(
      "attend",
      [](const Floats<4>& qkv, const Floats<3>& rotations, const Column<std::int64_t>& positions,
         MutableFloats<5>& keys, MutableFloats<4>& values, MutableFloats<3>& out) {
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
