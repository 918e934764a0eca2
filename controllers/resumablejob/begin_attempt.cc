#include <algorithm>
#include <utility>

#include "controllers/resumablejob/accept_checkpoint.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/proof.h"
#include "controllers/resumablejob/validate.h"
#include "controllers/resumablejob/verdict.h"

namespace reprise::controllers::resumablejob {
namespace {

kube::OwnerReference owner_reference(const api::ResumableJob& job) {
  return {.api_version = kube::KindOf<api::ResumableJob>::info().api_version(),
          .kind = "ResumableJob",
          .name = job.meta.name,
          .uid = job.meta.uid,
          .controller = true,
          .block_owner_deletion = false};
}

void claims_and_service(Draft& draft) {
  const Observation& seen = draft.seen;
  const api::ResumableJob& job = *seen.job;
  const kube::StringMap labels{{std::string(kJobLabel), job.meta.name}, {std::string(kJobUidLabel), job.meta.uid}};
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    const std::string name = claim_name(job, i);
    const auto found = seen.claims.find(name);
    auto& remembered = draft.status().claims;
    if (found != seen.claims.end()) {
      std::erase_if(remembered, [&](const auto& c) { return c.name == name && c.uid != found->second->meta.uid; });
      if (std::ranges::none_of(remembered, [&](const auto& c) { return c.name == name; })) {
        remembered.push_back({name, found->second->meta.uid});
      }
      continue;
    }
    std::erase_if(remembered, [&](const auto& c) { return c.name == name; });
    if (!job.spec.checkpoint.volume.claim_template) continue;
    CreateClaim create;
    create.meta.name = name;
    create.meta.namespace_ = job.meta.namespace_;
    create.meta.labels = job.spec.checkpoint.volume.claim_template->labels;
    create.meta.annotations = job.spec.checkpoint.volume.claim_template->annotations;
    for (const auto& [key, value] : labels) create.meta.labels[key] = value;
    // Only a claim that is to go with its job is owned by it.
    if (job.spec.checkpoint.volume.when_deleted == api::WhenDeleted::Delete) {
      create.meta.owner_references = {owner_reference(job)};
    }
    create.spec_json = job.spec.checkpoint.volume.claim_template->spec_json;
    draft.plan.actions.emplace_back(std::move(create));
  }
  create_service(draft);
}

// Karpenter deletes the NodeClaim first and taints the Node a moment later. The scheduler is faster than that: pods of
// the next attempt would be bound to the machine that ended the last one. If the taint does not come, waiting does not
// help.
constexpr std::chrono::seconds longest_until_tainted{10};

const kube::Node* machine_that_goes_and_takes_pods(const Observation& seen) {
  for (const auto& node : seen.leaving) {
    const bool takes_pods = !node->unschedulable && node->taint("karpenter.sh/disrupted") == nullptr;
    if (takes_pods && seen.now < seen.since(Waiting::UntilTainted, node->meta.uid) + longest_until_tainted) {
      return node.get();
    }
  }
  return nullptr;
}

void wait(Draft& draft, std::string_view reason, std::string_view message) {
  draft.conditions.set_false("PodsReady", reason, message);
}

// For somebody else, who may take days: no machine is held meanwhile.
void wait_without_places(Draft& draft, std::string_view reason, std::string_view message) {
  wait(draft, reason, message);
  drop_standby(draft);
}

// A time that no pause of ours reaches was set by another clock, of the replica that led before.
bool pauses(const Observation& seen) {
  const auto& until = seen.job->status.retry_after;
  return until && seen.now < *until && *until - seen.now <= kLongestPause;
}

}  // namespace

std::chrono::seconds backoff(std::int32_t fruitless) {
  if (fruitless <= 0) return std::chrono::seconds(0);
  return std::min(std::chrono::seconds(10LL << std::min(fruitless - 1, 10)), kLongestPause);
}

void create_service(Draft& draft) {
  const api::ResumableJob& job = *draft.seen.job;
  if (draft.seen.service_exists) return;
  CreateService create;
  create.meta.name = service_name(job.meta.name);
  create.meta.namespace_ = job.meta.namespace_;
  create.meta.labels = {{std::string(kJobLabel), job.meta.name}, {std::string(kJobUidLabel), job.meta.uid}};
  create.meta.owner_references = {owner_reference(job)};
  create.selector = {{std::string(kJobUidLabel), job.meta.uid}};
  draft.plan.actions.emplace_back(std::move(create));
}

void begin_attempt(Draft& draft) {
  const Observation& seen = draft.seen;
  api::ResumableJobStatus& status = draft.status();

  if (seen.job->spec.resume != api::ResumePolicy::FromScratch) status.from_scratch_attempt = 0;
  const kube::List<kube::Text> lingering = std::exchange(status.lingering_pods, {});
  for (const kube::Text& uid : lingering) {
    const bool there = std::ranges::any_of(seen.pods, [&](const auto& pod) { return pod->meta.uid == uid; });
    if (there) status.lingering_pods.push_back(uid);
  }
  if (past_active_deadline(seen)) {
    finish_job(draft, "Failed", "DeadlineExceeded", past_active_deadline_message(seen));
    drop_standby(draft);
    return;
  }
  delete_strays(draft);
  const std::size_t tidying = draft.plan.actions.size();
  if (seen.job->spec.suspend) {
    drop_standby(draft);
    stop_clock(draft);
    draft.conditions.set_true("Suspended", "Suspended", "spec.suspend is true");
    draft.conditions.set_false("Stalled", "Progressing", "nothing blocks the job");
    draft.conditions.set_false("Interrupted", "NotInterrupted", "no interruption is being handled");
    draft.conditions.remove("Reconciling");
    wait(draft, "Suspended", "the job is suspended");
    return;
  }
  if (at_interruption_limit(draft)) return suspend_at_limit(draft);
  if (is_true(status.conditions, "Suspended")) {
    draft.conditions.set_false("Suspended", "Resumed", "the job is not suspended");
    draft.announce(EventType::Normal, "Resumed", "Resume", "the job goes on");
  }

  // Whatever is waited for below: spec.activeDeadlineSeconds does not wait for it.
  if (const auto deadline = next_timeout(seen, {})) draft.plan.wake_by(*deadline);

  // A lost checkpoint needs a person: only an edited spec, their word for an older one (or the claim's return, seen
  // below) goes on.
  const auto accepted = accepted_step(*seen.job);
  if (accepted) accept_checkpoint(draft, *accepted);
  const kube::Condition* stalled = find_condition(seen.job->status.conditions, "Stalled");
  if (stalled != nullptr && stalled->status == kube::ConditionStatus::True && stalled->reason == "CheckpointLost" &&
      stalled->observed_generation == seen.job->meta.generation && status.attempt_end == std::nullopt &&
      !may_start_from_scratch(*seen.job) && !accepted && stalled->message.starts_with("agent: ")) {
    draft.conditions.set_true("Stalled", stalled->reason, stalled->message);
    draft.conditions.remove("Reconciling");
    drop_standby(draft);
    return;
  }

  const auto problem = find_problem(seen);
  if (problem && problem->passing) {
    draft.conditions.set_false("Stalled", "Progressing", "nothing blocks the job");
    draft.conditions.set_true("Reconciling", problem->reason, problem->message);
    wait_without_places(draft, problem->reason, problem->message);
    return;
  }
  if (problem) {
    const bool was = is_true(seen.job->status.conditions, "Stalled");
    draft.conditions.set_true("Stalled", problem->reason, problem->message);
    draft.conditions.remove("Reconciling");
    wait_without_places(draft, problem->reason, problem->message);
    if (!was) draft.announce(EventType::Warning, problem->reason, "Validate", problem->message);
    return;
  }
  const bool fruitless = stalled != nullptr && stalled->reason == "NoProgress" && status.attempts_without_progress > 0;
  if (!fruitless) draft.conditions.set_false("Stalled", "Progressing", "nothing blocks the job");
  if (!fruitless) draft.conditions.set_true("Reconciling", "Starting", "the next attempt is being prepared");

  claims_and_service(draft);
  if (draft.plan.actions.size() > tidying) {
    wait(draft, "WaitForStart", "the checkpoint claim and the Service are being made");
    if (!seen.refusal.empty()) {
      show_refusal(draft);
      drop_standby(draft);
    }
    return;
  }
  if (const std::string taken = why_claims_are_taken(seen); !taken.empty()) {
    wait_without_places(draft, "ClaimInUse", taken);
    return;
  }
  if (pauses(seen)) {
    // What the wait is for has been said when the attempt was closed.
    const kube::Condition* before = find_condition(status.conditions, "PodsReady");
    const bool said =
        before != nullptr && before->reason == "WaitForRecovery" && before->message.starts_with("attempt ");
    wait(draft, "WaitForRecovery", said ? std::string(before->message) : "waiting before the next attempt");
    draft.plan.wake_by(*status.retry_after);
    return;
  }
  if (const kube::Node* node = machine_that_goes_and_takes_pods(seen)) {
    wait(draft, "WaitForRecovery",
         "node " + node->meta.name + " is being taken away and still takes pods; the attempt begins when it does not");
    draft.plan.wake_by(seen.now + std::chrono::seconds(1));
    return;
  }

  status.retry_after.reset();
  status.starting_since.reset();
  // The loss is acknowledged: nothing is expected on the volume any more.
  const bool from_scratch = may_start_from_scratch(*seen.job);
  ++status.attempt;
  if (from_scratch) {
    status.checkpoint.reset();
    status.from_scratch_attempt = status.attempt;
  }
  if (!status.start_time) status.start_time = seen.now;
  status.members.clear();
  for (std::int32_t i = 0; i < seen.job->spec.parallelism; ++i) {
    api::MemberStatus member;
    member.index = i;
    member.pod_name = pod_name(seen.job->meta.name, status.attempt, i);
    status.members.push_back(std::move(member));
  }
  status.active = 0;
  status.ready = 0;
  wait(draft, status.attempt == 1 ? "WaitForStart" : "WaitForRecovery",
       "attempt " + std::to_string(status.attempt) + " begins");
  draft.plan.wake_by(seen.now);
}

}  // namespace reprise::controllers::resumablejob
