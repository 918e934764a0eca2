// Writes, at an orderly end, what reconcilers keep back, while the lease is still held.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/manager/controller.h"

namespace reprise::runtime::internal {

// Asks the reconciler for the keys that it holds back and has them written, by as many threads as work on keys; on the
// caller's thread alone where calls cannot be cancelled. To be called when no key is in work any more.
[[nodiscard]] WrittenBack write_back(const std::string& controller, Reconciler& reconciler,
                                     const ControllerEnvironment& environment, int most_threads, Duration limit);

}  // namespace reprise::runtime::internal
