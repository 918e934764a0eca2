#include "controllers/resumablejob/status/hold_back.h"

#include <algorithm>

#include "controllers/common/conditions.h"

namespace reprise::controllers::resumablejob {
namespace {

// Ranks of a gang save together and end within seconds of each other; they start less closely.
constexpr std::chrono::seconds longest_ended{5}, longest_started{15};
// The time that a pod needs on a node that has its image, or pulls a small one.
constexpr std::chrono::seconds longest_later{60};
// People who look learn more from the pods.
constexpr std::chrono::minutes longest_lowest{5};

// Puts back counts and messages that follow the pods, as they were before.
void undo_what_is_reported(const api::ResumableJobStatus& written, api::ResumableJobStatus& status) {
  status.active = written.active;
  status.ready = written.ready;
  status.cost = written.cost;
  for (kube::Condition& condition : status.conditions) {
    if (condition.type != "PodsReady" || condition.status == kube::ConditionStatus::True) continue;
    const kube::Condition* before = find_condition(written.conditions, condition.type);
    if (before != nullptr && before->reason == condition.reason) condition.message = before->message;
  }
}

bool has_ended(const api::RankStatus& rank) {
  return rank.exit_code || rank.proof != api::EndProof::None;
}

// Puts back where the ranks run and how they have ended, as it was before. Returns how soon that is to be recorded.
Urgency undo_what_is_recorded(const api::ResumableJobStatus& written, api::ResumableJobStatus& status) {
  status.starting_since = written.starting_since;
  if (status.members == written.members) return Urgency::Lowest;
  if (status.members.size() != written.members.size()) return Urgency::Now;
  bool ended = false, started = false, bound = false;
  for (std::size_t i = 0; i < status.members.size(); ++i) {
    if (status.members[i] == written.members[i]) continue;
    ended = ended || has_ended(status.members[i]);
    started = started || !status.members[i].boot_id.empty();
    bound = bound || !status.members[i].node_name.empty();
  }
  status.members = written.members;
  if (ended) return Urgency::Ended;
  if (started) return Urgency::Started;
  return bound ? Urgency::Later : Urgency::Lowest;
}

}  // namespace

Urgency urgency_of(const api::ResumableJobStatus& written, const Plan& plan) {
  if (!plan.announcements.empty()) return Urgency::Now;
  if (plan.status_can_wait) return Urgency::Started;
  if (!plan.actions.empty() || plan.status.attempt != written.attempt) return Urgency::Now;
  api::ResumableJobStatus rest = plan.status;
  undo_what_is_reported(written, rest);
  const Urgency urgency = undo_what_is_recorded(written, rest);
  return rest == written ? urgency : Urgency::Now;
}

kube::Time HeldStatus::due() const {
  kube::Time due = since + longest_lowest;
  if (later_since) due = std::min(due, kube::Time(*later_since + longest_later));
  if (started_since) due = std::min(due, kube::Time(*started_since + longest_started));
  if (ended_since) due = std::min(due, kube::Time(*ended_since + longest_ended));
  return due;
}

bool HeldStatus::fits(const api::ResumableJob& now) const {
  return job->meta.resource_version == now.meta.resource_version || job->status == now.status;
}

std::shared_ptr<const HeldStatus> hold_back(const std::shared_ptr<const api::ResumableJob>& job, const Plan& plan,
                                            kube::Time now, const HeldStatus* before) {
  if (plan.status == job->status) return nullptr;
  const Urgency urgency = urgency_of(job->status, plan);
  if (urgency == Urgency::Now) return nullptr;
  HeldStatus held{.job = job,
                  .status = plan.status,
                  .since = before == nullptr ? now : before->since,
                  .later_since = before == nullptr ? std::nullopt : before->later_since,
                  .started_since = before == nullptr ? std::nullopt : before->started_since,
                  .ended_since = before == nullptr ? std::nullopt : before->ended_since};
  if (urgency == Urgency::Later && !held.later_since) held.later_since = now;
  if (urgency == Urgency::Started && !held.started_since) held.started_since = now;
  if (urgency == Urgency::Ended && !held.ended_since) held.ended_since = now;
  return now < held.due() ? std::make_shared<const HeldStatus>(std::move(held)) : nullptr;
}

}  // namespace reprise::controllers::resumablejob
