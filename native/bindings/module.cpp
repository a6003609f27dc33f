#include <nanobind/nanobind.h>

#include <exception>

#include "bindings.hpp"
#include "graphassay/errors.hpp"

namespace nb = nanobind;

namespace {

// The one place where core errors become Python's (graphassay.errors).
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  const auto raise = [](const char* name, const std::exception& error) {
    const nb::object type = nb::module_::import_("graphassay.errors").attr(name);
    PyErr_SetString(type.ptr(), error.what());
  };
  try {
    std::rethrow_exception(pointer);
  } catch (const graphassay::InvalidInput& error) {
    raise("InvalidInput", error);
  } catch (const graphassay::BudgetExceeded& error) {
    raise("BudgetExceeded", error);
  } catch (const graphassay::Interrupted& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  }
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "graphassay's C++ core. Import it through graphassay.native only.";
  nb::register_exception_translator(translate);
  graphassay::bindings::bind_attention(module);
  graphassay::bindings::bind_graph_metrics(module);
  graphassay::bindings::bind_graph_view(module);
  graphassay::bindings::bind_canon(module);
  graphassay::bindings::bind_linearize(module);
  graphassay::bindings::bind_miner(module);
  graphassay::bindings::bind_rewire(module);
  graphassay::bindings::bind_text(module);
  graphassay::bindings::bind_transformer(module);
}
