#include "controllers/resumablejob/hold_back.h"

#include <algorithm>

#include "controllers/common/conditions.h"

namespace reprise::controllers::resumablejob {
namespace {

// A gang starts, and ends, within seconds.
constexpr std::chrono::seconds longest_soon{15};
// A place that standby pods hold, and an image that is there: so long a pod needs until it runs.
constexpr std::chrono::seconds longest_leisure{60};

// Counts and words that follow the pods, as they were before.
void undo_what_is_told(const api::ResumableJobStatus& written, api::ResumableJobStatus& status) {
  status.active = written.active;
  status.ready = written.ready;
  for (kube::Condition& condition : status.conditions) {
    if (condition.type != "PodsReady" || condition.status == kube::ConditionStatus::True) continue;
    const kube::Condition* before = find_condition(written.conditions, condition.type);
    if (before != nullptr && before->reason == condition.reason) condition.message = before->message;
  }
}

bool has_started(const api::MemberStatus& member) {
  return !member.boot_id.empty() || member.exit_code || member.proof != api::EndProof::None;
}

// Where the ranks run and how they have ended, as it was before. Returns whether one of them has started or ended
// since.
bool undo_what_is_recorded(const api::ResumableJobStatus& written, api::ResumableJobStatus& status) {
  status.starting_since = written.starting_since;
  if (status.members.size() != written.members.size()) return false;
  bool started = false;
  for (std::size_t i = 0; i < status.members.size(); ++i) {
    started = started || (status.members[i] != written.members[i] && has_started(status.members[i]));
  }
  status.members = written.members;
  return started;
}

}  // namespace

Haste haste_of(const api::ResumableJobStatus& written, const Plan& plan) {
  if (!plan.announcements.empty()) return Haste::Now;
  if (plan.status_can_wait) return Haste::Soon;
  if (!plan.actions.empty() || plan.status.attempt != written.attempt) return Haste::Now;
  api::ResumableJobStatus rest = plan.status;
  undo_what_is_told(written, rest);
  const bool started = undo_what_is_recorded(written, rest);
  if (rest != written) return Haste::Now;
  return started ? Haste::Soon : Haste::Leisure;
}

kube::Time HeldStatus::due() const {
  const kube::Time at_leisure = since + longest_leisure;
  return soon_since ? std::min(at_leisure, *soon_since + longest_soon) : at_leisure;
}

std::shared_ptr<const HeldStatus> hold_back(const api::ResumableJob& job, const Plan& plan, kube::Time now,
                                            const HeldStatus* before) {
  if (plan.status == job.status) return nullptr;
  const Haste haste = haste_of(job.status, plan);
  if (haste == Haste::Now) return nullptr;
  HeldStatus held{.resource_version = job.meta.resource_version,
                  .status = plan.status,
                  .since = before == nullptr ? now : before->since,
                  .soon_since = before == nullptr ? std::nullopt : before->soon_since};
  if (haste == Haste::Soon && !held.soon_since) held.soon_since = now;
  return now < held.due() ? std::make_shared<const HeldStatus>(std::move(held)) : nullptr;
}

}  // namespace reprise::controllers::resumablejob
