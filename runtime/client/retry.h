// Repeats requests where that is safe, within the request's own timeout: the caller waits no longer than without it.
//   - reads: when no answer came, on 429, and on any 5xx with Retry-After;
//   - writes: when they certainly were not carried out, that is when they never left (Error::not_sent), or were
//     answered 429 or 503 with Retry-After. A write whose answer was lost stays Unavailable and is never sent again.
// Each attempt passes before_send anew, so a write whose permit has ended meanwhile is not sent. Retry-After is obeyed
// and jittered; where it points beyond the timeout, the answer is handed on at once. Streams have a policy of their
// own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/base/random.h"
#include "runtime/http/transport.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct RetryPolicy {
  int tries = 10;       // after the first
  Duration first{100};  // doubles up to `cap`, where the server names no time
  Duration cap{5'000};
};

// How long to wait before asking again, or nothing: do not. `retries`: so many were made. `uniform`: in [0, 1).
[[nodiscard]] std::optional<Duration> retry_delay(const RetryPolicy& policy, Method method,
                                                  const Result<Response>& result, int retries, double uniform);

// Counts rest_client_request_retries_total{code,host,verb}; `code` is "<error>" when no answer came. All outlive it.
[[nodiscard]] std::unique_ptr<Transport> with_retries(Transport& inner, Executor& executor, const Clock& clock,
                                                      Random& random, MetricsRegistry& metrics, std::string host,
                                                      RetryPolicy policy = {});

}  // namespace reprise::runtime
