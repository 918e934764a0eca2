// Counts requests under controller-runtime's name: rest_client_requests_total{code,method,host}, and their time.
#pragma once

#include <memory>
#include <string>

#include "runtime/http/transport.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {

// `code` is "<error>" when no answer came. `inner`, `metrics` and `clock` outlive it.
[[nodiscard]] std::unique_ptr<Transport> with_request_metrics(Transport& inner, MetricsRegistry& metrics,
                                                              const Clock& clock, std::string host);

}  // namespace reprise::runtime
