#include "runtime/leader/lease_timing.h"

#include <algorithm>
#include <string>

namespace reprise::runtime {
namespace {

constexpr Duration least_margin{500};
constexpr int margin_share = 30;
constexpr Duration shortest_retry{100};

std::string in_seconds(Duration time) {
  const auto whole = std::to_string(time.count() / 1000);
  if (time.count() % 1000 == 0) return whole + "s";
  const auto rest = std::to_string(1000 + time.count() % 1000);
  return whole + "." + rest.substr(1) + "s";
}

std::unexpected<Error> wrong(const char* field, Duration found, const std::string& allowed) {
  return fail(ErrorClass::Invalid, std::string(field) + ": found " + in_seconds(found) + ", must be " + allowed);
}

}  // namespace

Duration LeaseTiming::margin() const {
  return std::max(least_margin, lease_duration / margin_share);
}

Result<void> check(const LeaseTiming& timing) {
  if (timing.retry_period < shortest_retry)
    return wrong("retry period", timing.retry_period, "at least " + in_seconds(shortest_retry));
  if (timing.renew_deadline <= timing.retry_period + timing.retry_period / 5)
    return wrong("renew deadline", timing.renew_deadline,
                 "more than 1.2 retry periods of " + in_seconds(timing.retry_period));
  if (timing.lease_duration > kLongestLease)
    return wrong("lease duration", timing.lease_duration, "at most " + in_seconds(kLongestLease));
  if (timing.lease_duration.count() % 1000 != 0) return wrong("lease duration", timing.lease_duration, "whole seconds");
  if (timing.lease_duration <= timing.renew_deadline + timing.margin())
    return wrong("lease duration", timing.lease_duration,
                 "more than the renew deadline of " + in_seconds(timing.renew_deadline) + " and " +
                     in_seconds(timing.margin()) + " for clocks that differ");
  return {};
}

}  // namespace reprise::runtime
