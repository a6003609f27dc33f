// What the core throws. bindings/module.cpp turns each into the Python class of the same name.
#pragma once

#include <stdexcept>

namespace graphassay {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct InvalidInput : Error {  // a broken precondition
  using Error::Error;
};
struct BudgetExceeded : Error {  // a limit set by the caller (time, memory, patterns, work) was hit
  using Error::Error;
};
struct Interrupted : Error {  // the progress callback asked to stop (Ctrl-C)
  using Error::Error;
};

}  // namespace graphassay
