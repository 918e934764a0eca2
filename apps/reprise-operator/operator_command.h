// `reprise-operator`: runs the controllers until a stop is requested or until leadership is lost.
#pragma once

#include <string>

#include "apps/reprise-operator/operator_options.h"

namespace reprise::apps {

// The process's exit code: 0 after SIGTERM, 1 when the cluster cannot be used or the lease was lost.
[[nodiscard]] int run_operator(const OperatorOptions& options);

// The rights that the operator's roles must grant with these flags, a line each (runtime/kube/permission.h).
[[nodiscard]] std::string permissions_table(const OperatorOptions& options);

}  // namespace reprise::apps
