// Counts requests under controller-runtime's names: rest_client_requests_total{code,host,method}, and where asked for
// rest_client_request_duration_seconds, rest_client_request_size_bytes and rest_client_response_size_bytes{host,verb}.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/http/transport.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct RequestMetrics {
  bool durations = false;
  bool sizes = false;  // bytes of bodies, unpacked; streams are not measured
};

// client-go's buckets.
[[nodiscard]] std::vector<double> request_time_bounds();

// `code` is "<error>" when no answer came. `inner`, `metrics` and `clock` outlive it.
[[nodiscard]] std::unique_ptr<Transport> with_request_metrics(Transport& inner, MetricsRegistry& metrics,
                                                              const Clock& clock, std::string host,
                                                              RequestMetrics more = {});

}  // namespace reprise::runtime
