// An optional limit on the requests that this process sends on its own. Off by default: API servers queue fairly (API
// Priority and Fairness) and say 429, which is obeyed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/http/transport.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct RateLimit {
  double per_second = 0;  // 0: none
  int burst = 10;
};

// A bucket of `burst` tokens, full at first, filled at `per_second`. One thread.
class TokenBucket {
 public:
  TokenBucket(RateLimit limit, Instant now);
  // Takes a token and tells how long to wait until it is there; takes none when that would be longer than `max_wait`.
  [[nodiscard]] std::optional<Duration> take(Instant now, Duration max_wait);

 private:
  RateLimit limit_;
  double tokens_;
  Instant at_;
};

// Requests wait for their turn within their own timeout; a request that gets none in time is Throttled, unsent. Streams
// and urgent requests pass. Observes rest_client_rate_limiter_duration_seconds{host,verb}. All outlive it.
[[nodiscard]] std::unique_ptr<Transport> with_rate_limit(Transport& inner, Executor& executor, const Clock& clock,
                                                         MetricsRegistry& metrics, std::string host, RateLimit limit);

}  // namespace reprise::runtime
