#include "runtime/manager/internal/liveness/heartbeat.h"

#include <string>

namespace reprise::runtime::internal {

std::int64_t Heartbeat::now() const {
  return std::chrono::duration_cast<Duration>(clock_.steady().time_since_epoch()).count();
}

void Heartbeat::start() {
  last_ = now();
  timer_ = executor_.after(period, [this] { start(); });
}

Result<void> Heartbeat::check() const {
  const Duration age{now() - last_};
  if (last_ == 0 || age < limit) return {};
  return fail(ErrorClass::Unavailable, "the I/O loop has not run for " + std::to_string(age.count()) + " ms");
}

}  // namespace reprise::runtime::internal
