// The boundary for exceptions: any exception of a reconciler or a library becomes an error of the key in work.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "runtime/base/error.h"

namespace reprise::runtime::internal {

// Returns the result of `call`; where it throws, Unavailable, after `on_thrown`.
template <class Call, class OnThrown>
[[nodiscard]] auto without_exceptions(Call&& call, OnThrown&& on_thrown) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& thrown) {
    std::forward<OnThrown>(on_thrown)();
    return fail(ErrorClass::Unavailable, std::string("the reconciler threw: ") + thrown.what());
  } catch (...) {
    std::forward<OnThrown>(on_thrown)();
    return fail(ErrorClass::Unavailable, "the reconciler threw a value that is not an exception");
  }
}

}  // namespace reprise::runtime::internal
