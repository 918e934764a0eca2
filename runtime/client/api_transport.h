// The whole way of a request to the API server: retries, credentials, an optional limit, metrics, sockets.
#pragma once

#include <memory>

#include "runtime/base/random.h"
#include "runtime/client/config.h"
#include "runtime/client/metered_transport.h"
#include "runtime/client/rate_limit.h"
#include "runtime/client/retry.h"

namespace reprise::runtime {

struct ApiTransportOptions {
  RateLimit limit = {};              // none
  RequestMetrics more_metrics = {};  // none
  RetryPolicy retries = {};
  Duration connection_age{600'000};  // give or take a fifth
};

// Connects when first asked. All outlive it; destroy it after `executor` has stopped, or on its thread.
[[nodiscard]] std::unique_ptr<Transport> make_api_transport(AsioExecutor& executor, const Clock& clock, Random& random,
                                                            MetricsRegistry& metrics, const ClusterConfig& config,
                                                            const ApiTransportOptions& options = {});

}  // namespace reprise::runtime
