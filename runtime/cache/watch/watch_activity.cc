#include "runtime/cache/watch/watch_activity.h"

namespace reprise::runtime {
namespace {

std::string seconds(Duration time) {
  return std::to_string(time.count() / 1000) + " s";
}

}  // namespace

Result<void> check_watch(const WatchStatus& status, Duration limit, Duration tolerance) {
  switch (status.state) {
    case WatchState::Idle:
    case WatchState::Stopped:
      return {};
    case WatchState::Streaming:
    case WatchState::Live:
      if (status.last_byte_age && *status.last_byte_age > limit) {
        return fail(ErrorClass::Unavailable, "no byte for " + seconds(*status.last_byte_age) + " though connected");
      }
      break;
    case WatchState::Opening:
    case WatchState::Listing:
    case WatchState::Asking:
    case WatchState::Waiting:
      break;
  }
  const std::string state(name(status.state));
  if (status.overdue && *status.overdue > tolerance) {
    return fail(ErrorClass::Unavailable, state + " and " + seconds(*status.overdue) + " late to act");
  }
  if (!status.overdue && (status.state == WatchState::Listing || status.state == WatchState::Asking) &&
      status.last_step_age > limit) {
    return fail(ErrorClass::Unavailable, state + " and without an answer for " + seconds(status.last_step_age));
  }
  return {};
}

}  // namespace reprise::runtime
