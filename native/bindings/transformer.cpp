#include "graphassay/transformer.hpp"

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>

#include "bindings.hpp"

namespace graphassay::bindings {

using namespace nb::literals;

namespace {

// Overloads by the kind of number: float32, and bfloat16 as uint16 (numpy has none).
template <typename T>
void bind_kind(nb::module_& module) {
  module.def(
      "add_rms_norm",
      [](const MutableArray<float, 2>& x, const std::optional<Array<T, 2>>& delta,
         const Array<float, 1>& weight, float eps, const MutableArray<T, 2>& out) {
        nb::gil_scoped_release release;
        const auto added = delta ? flat(*delta) : std::span<const T>();
        add_rms_norm<T>(flat(x), added, flat(weight), eps, flat(out));
      },
      "x"_a.noconvert(), "delta"_a.noconvert().none(), "weight"_a.noconvert(), "eps"_a,
      "out"_a.noconvert(), "x += delta; out = RMS norm of x.");
  module.def(
      "swiglu",
      [](const Array<T, 2>& gate_up, const MutableArray<T, 2>& out) {
        nb::gil_scoped_release release;
        swiglu<T>(flat(gate_up), static_cast<std::int64_t>(out.shape(1)), flat(out));
      },
      "gate_up"_a.noconvert(), "out"_a.noconvert(), "out = silu(gate) * up.");
  module.def(
      "causal_attention",
      [](const Array<T, 4>& qkv, const Array<float, 3>& rotations,
         const Column<std::int64_t>& starts, const MutableArray<T, 3>& out) {
        nb::gil_scoped_release release;
        causal_attention<T>(flat(qkv), static_cast<std::int64_t>(out.shape(1)),
                            static_cast<std::int64_t>(out.shape(2)), flat(rotations),
                            as_span(starts), flat(out));
      },
      "qkv"_a.noconvert(), "rotations"_a.noconvert(), "starts"_a.noconvert(), "out"_a.noconvert(),
      "Attention of every token to its own sequence up to itself.");
}

}  // namespace

void bind_transformer(nb::module_& module) {
  bind_kind<float>(module);
  bind_kind<std::uint16_t>(module);
}

}  // namespace graphassay::bindings
