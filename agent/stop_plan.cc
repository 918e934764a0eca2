#include "agent/stop_plan.h"

#include <algorithm>

namespace reprise::agent {

StopPlan::StopPlan(runtime::Instant requested, std::chrono::milliseconds grace, bool asked) {
  const auto margin = std::min(grace / 5, std::chrono::milliseconds(10'000));
  end_ = requested + grace;
  save_until_ = asked ? end_ - margin : requested;
  kill_at_ = end_ - margin / 4;
}

StopPlan::Action StopPlan::next(runtime::Instant now, bool saved) {
  if (phase_ != Phase::Killed && now >= kill_at_) {
    phase_ = Phase::Killed;
    return Action::Kill;
  }
  if (phase_ == Phase::Saving && (saved || now >= save_until_)) {
    phase_ = Phase::Ending;
    return Action::Terminate;
  }
  return Action::Wait;
}

runtime::Instant StopPlan::wake_at() const {
  switch (phase_) {
    case Phase::Saving:
      return save_until_;
    case Phase::Ending:
      return kill_at_;
    case Phase::Killed:
      break;
  }
  return end_;
}

}  // namespace reprise::agent
