#include "agent/core/stop/stop_plan.h"

#include <algorithm>

namespace reprise::agent {
namespace {

// A shell ends by itself when the command that it waited for has.
constexpr std::chrono::milliseconds kEndsByItself{1'000};
// Launchers first see to ranks that are gone already: mpirun for two seconds, and it crashes when it is told meanwhile.
constexpr std::chrono::milliseconds kLauncherEnds{5'000};

}  // namespace

StopPlan::StopPlan(runtime::Instant requested, std::chrono::milliseconds grace, bool checkpoint_requested) {
  const auto margin = std::min(grace / 5, std::chrono::milliseconds(10'000));
  end_ = requested + grace;
  group_at_ = end_ - margin;
  half_margin_ = end_ - margin / 2;
  save_until_ = checkpoint_requested ? group_at_ : requested;
  kill_at_ = end_ - margin / 4;
}

StopPlan::Action StopPlan::next(runtime::Instant now, const Seen& seen) {
  if (phase_ != Phase::Killed && now >= kill_at_) {
    phase_ = Phase::Killed;
    return Action::Kill;
  }
  if (phase_ == Phase::Saving && (seen.saved || now >= save_until_)) {
    phase_ = Phase::Signalled;
    if (now >= group_at_) group_at_ = half_margin_;
    return Action::Terminate;
  }
  if (phase_ == Phase::Signalled || phase_ == Phase::TrainerSignalled) return signal_further(now, seen);
  return Action::Wait;
}

StopPlan::Action StopPlan::signal_further(runtime::Instant now, const Seen& seen) {
  if (now >= group_at_ || (seen.trainer_ended && seen.signalled_ended)) {
    phase_ = Phase::GroupSignalled;
    return Action::TerminateGroup;
  }
  if (phase_ == Phase::TrainerSignalled || !seen.signalled_ended) return Action::Wait;
  if (!trainer_at_) trainer_at_ = now + (seen.learns_late ? kLauncherEnds : kEndsByItself);
  if (now < *trainer_at_) return Action::Wait;
  phase_ = Phase::TrainerSignalled;
  return Action::TerminateTrainer;
}

runtime::Instant StopPlan::wake_at() const {
  switch (phase_) {
    case Phase::Saving:
      return save_until_;
    case Phase::Signalled:
      return std::min(group_at_, trainer_at_.value_or(group_at_));
    case Phase::TrainerSignalled:
      return group_at_;
    case Phase::GroupSignalled:
      return kill_at_;
    case Phase::Killed:
      break;
  }
  return end_;
}

}  // namespace reprise::agent
