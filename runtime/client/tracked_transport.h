// Knows which requests are under way: for probes and for the state dump. Watches are not among them.
#pragma once

#include <memory>

#include "runtime/http/transport.h"
#include "runtime/metrics/running_work.h"

namespace reprise::runtime {

// Both outlive it. A request is named "PATCH /api/v1/namespaces/n/pods/p": queries are left out.
[[nodiscard]] std::unique_ptr<Transport> with_request_tracking(Transport& inner, RunningWork& requests);

}  // namespace reprise::runtime
