// Grants access to this process's metrics as the API server decides.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/http/transport.h"
#include "runtime/metrics/serving/access_guard.h"

namespace reprise::runtime::internal {

// A TokenReview, and for the token's owner a SubjectAccessReview of get on /metrics: two requests of `review_timeout`
// at most.
class ApiAccessReviewer final : public AccessReviewer {
 public:
  explicit ApiAccessReviewer(Transport& transport) : transport_(transport) {}
  void review(std::string token, std::function<void(Result<ReviewAnswer>)> done) override;

 private:
  Transport& transport_;  // outlives its requests under way
};

struct MetricsAccess {
  MetricsAccess(Transport& transport, const Clock& clock, Logger& logger)
      : reviewer(transport), guard(reviewer, clock, logger) {}
  ApiAccessReviewer reviewer;
  AccessGuard guard;
};

}  // namespace reprise::runtime::internal
