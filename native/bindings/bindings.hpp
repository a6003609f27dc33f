// Shared by the binding files: array types, the view builder, and one bind function per part.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphassay/graph_view.hpp"

namespace graphassay::bindings {

namespace nb = nanobind;

// Read-only, C-contiguous, on the CPU. Pass with .noconvert(): nanobind would cast silently.
template <typename T>
using Column = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> as_span(const Column<T>& column) {
  return {column.data(), column.shape(0)};
}

template <typename T, int N>
using Array = nb::ndarray<const T, nb::numpy, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <typename T, int N>
using MutableArray = nb::ndarray<T, nb::numpy, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename Any>
auto flat(const Any& array) {
  return std::span(array.data(), array.size());
}

// Hands a vector to numpy without a copy.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

void bind_attention(nb::module_& module);
void bind_graph_metrics(nb::module_& module);
void bind_graph_view(nb::module_& module);
void bind_canon(nb::module_& module);
void bind_linearize(nb::module_& module);
void bind_miner(nb::module_& module);
void bind_rewire(nb::module_& module);
void bind_text(nb::module_& module);
void bind_transformer(nb::module_& module);

}  // namespace graphassay::bindings
