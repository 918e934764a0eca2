// `reprise-operator`: runs the controllers until told to stop or until leadership is lost.
#pragma once

#include "apps/reprise-operator/operator_options.h"

namespace reprise::apps {

// The process's exit code: 0 after SIGTERM, 1 when the cluster cannot be used or the lease was lost.
[[nodiscard]] int run_operator(const OperatorOptions& options);

}  // namespace reprise::apps
