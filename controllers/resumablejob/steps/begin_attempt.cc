#include <algorithm>
#include <utility>

#include "controllers/resumablejob/claims/accept_checkpoint.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/decide/validate.h"
#include "controllers/resumablejob/ends/pauses.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/leaving_nodes.h"
#include "controllers/resumablejob/ranks/proof.h"
#include "controllers/resumablejob/ranks/verdict.h"
#include "controllers/resumablejob/steps/full_volume.h"
#include "controllers/resumablejob/steps/never_fits.h"
#include "controllers/resumablejob/steps/schedule.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::resumablejob {
namespace {

void claims_and_service(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const api::ResumableJob& job = *seen.job;
  const kube::StringMap labels{{std::string(kJobLabel), job.meta.name}, {std::string(kJobUidLabel), job.meta.uid}};
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    const std::string name = claim_name(job, i);
    const auto found = seen.claims.find(name);
    auto& remembered = builder.status().claims;
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
    create.meta.owner_references = owners_of_claim(job, seen.namespace_uid);
    create.spec_json = job.spec.checkpoint.volume.claim_template->spec_json;
    builder.plan.actions.emplace_back(std::move(create));
  }
  create_service(builder);
}

// A gate's answer. A closed gate has said why the attempt may not begin yet.
enum class Gate { Open, Closed };

Gate wait(PlanBuilder& builder, std::string_view reason, std::string message) {
  builder.outlook.waits = Saying{std::string(reason), std::move(message)};
  return Gate::Closed;
}

// Waits for somebody else, who may take days: no node is held meanwhile.
Gate wait_without_places(PlanBuilder& builder, std::string_view reason, std::string message) {
  drop_standby(builder);
  return wait(builder, reason, std::move(message));
}

// ---- the gates, in the order in which they are passed

Gate deadline(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  if (!past_active_deadline(seen)) {
    // spec.activeDeadlineSeconds does not wait for what is waited for below.
    if (const auto next = next_timeout(seen, {})) builder.plan.wake_by(*next);
    return Gate::Open;
  }
  finish_job(builder, {.attempt = builder.status().attempt,
                       .cause = api::AttemptEndCause::Failed,
                       .reason = std::string(reason_of(FailedBy::Deadline)),
                       .message = past_active_deadline_message(seen),
                       .node = {},
                       .time = seen.now,
                       .deadline = {}});
  drop_standby(builder);
  return Gate::Closed;
}

Gate suspension(PlanBuilder& builder) {
  if (builder.seen.job->spec.suspend) {
    suspend_as_requested(builder);
    drop_standby(builder);
    return Gate::Closed;
  }
  if (auto limit = reached_limit(builder)) {
    suspend_at_limit(builder, *std::move(limit));
    return Gate::Closed;
  }
  if (is_true(builder.conditions.before(), "Suspended")) {
    builder.announce(EventType::Normal, "Resumed", "Resume", "the job goes on");
  }
  return Gate::Open;
}

// A lost checkpoint needs a person: only an edited spec, their confirmation of an older one (or the claim's return,
// seen below) goes on.
Gate lost_checkpoint(PlanBuilder& builder) {
  const api::ResumableJob& job = *builder.seen.job;
  const auto accepted = accepted_step(job);
  if (accepted) {
    accept_checkpoint(builder, *accepted);
    builder.status().checkpoint_lost.reset();
    return Gate::Open;
  }
  const auto& lost = job.status.checkpoint_lost;
  if (!lost || lost->generation != job.meta.generation || may_start_from_scratch(job)) return Gate::Open;
  builder.outlook.stalled = Saying{"CheckpointLost", lost->message};
  drop_standby(builder);
  return Gate::Closed;
}

// Another attempt would save as little: only an edited spec or a claim of another size goes on.
Gate full_volume(PlanBuilder& builder) {
  if (!is_still_full(builder.seen)) return Gate::Open;
  const std::string message(builder.seen.job->status.volume_full->message);
  builder.outlook.stalled = Saying{std::string(kVolumeFull), message};
  return wait_without_places(builder, kVolumeFull, message);
}

Gate problem(PlanBuilder& builder) {
  const auto found = find_problem(builder.seen);
  if (!found) {
    builder.outlook.reconciling = Saying{"Starting", "the next attempt is being prepared"};
    return Gate::Open;
  }
  const Saying said{found->reason, found->message};
  if (found->passing) {
    builder.outlook.reconciling = said;
  } else {
    builder.outlook.stalled = said;
    if (!is_true(builder.conditions.before(), "Stalled")) {
      builder.announce(EventType::Warning, found->reason, "Validate", found->message);
    }
  }
  return wait_without_places(builder, found->reason, found->message);
}

// Only an edited pool, or another job, goes on.
Gate never_fits(PlanBuilder& builder) {
  auto message = why_it_never_fits(builder.seen);
  if (!message) return Gate::Open;
  if (!said_before(builder, "Stalled", kNeverFits))
    builder.announce(EventType::Warning, std::string(kNeverFits), "Validate", *message);
  builder.outlook.reconciling.reset();
  builder.outlook.stalled = Saying{std::string(kNeverFits), *message};
  return wait_without_places(builder, kNeverFits, *std::move(message));
}

// A queued job makes nothing before it is admitted; its quota is its own from then on, over all interruptions.
Gate quota(PlanBuilder& builder) {
  if (!queue_name(*builder.seen.job).empty())
    if (std::string kept = why_another_job_keeps_claims(builder.seen); !kept.empty())
      return wait_without_places(builder, "ClaimInUse", std::move(kept));
  const auto waits = wait_for_quota(builder);
  if (!waits) return Gate::Open;
  stop_clock(builder);  // as for a suspended job
  if (!builder.seen.rejection.empty() && !builder.seen.kueue.workload) {
    show_rejection(builder);
    drop_standby(builder);
    return Gate::Closed;
  }
  if (waits->needs_a_person) {
    if (!said_before(builder, "Stalled", waits->said.reason)) {
      builder.announce(EventType::Warning, waits->said.reason, "WaitForQuota", waits->said.message);
    }
    builder.outlook.stalled = waits->said;
  }
  return wait_without_places(builder, waits->said.reason, waits->said.message);
}

Gate claims_and_service_are_there(PlanBuilder& builder) {
  const std::size_t before = builder.plan.actions.size();
  claims_and_service(builder);
  if (builder.plan.actions.size() == before) return Gate::Open;
  if (builder.seen.rejection.empty()) {
    // The status is written at once beside a deletion: an old view of the job calls pods of the attempt under way
    // orphans.
    builder.plan.status_can_wait = builder.first_step && before == 0;
    return wait(builder, "WaitForStart", "the checkpoint claim and the Service are being made");
  }
  show_rejection(builder);
  drop_standby(builder);
  return Gate::Closed;
}

Gate claims_are_free(PlanBuilder& builder) {
  std::string taken = why_claims_are_taken(builder.seen);
  return taken.empty() ? Gate::Open : wait_without_places(builder, "ClaimInUse", std::move(taken));
}

// Who edits the job has mended something: a suspend and its end may both have come since the last look.
bool is_edited(const Observation& seen) {
  return seen.job->status.observed_generation != seen.job->meta.generation;
}

std::string said_of_pause(PlanBuilder& builder) {
  const auto& last = builder.status().last_end;
  return last ? said_between_attempts(*last, builder.status().retry_after) : "waiting before the next attempt";
}

// Comes before the quota, which others have meanwhile (settle_workload).
Gate long_pause(PlanBuilder& builder) {
  if (!pauses_for_long(builder.status(), builder.seen.now)) return Gate::Open;
  builder.plan.wake_by(*builder.status().retry_after - kLongestPause);
  return wait_without_places(builder, "WaitForRecovery", said_of_pause(builder));
}

Gate pause(PlanBuilder& builder) {
  if (!pauses(builder.status(), builder.seen.now)) return Gate::Open;
  builder.plan.wake_by(*builder.status().retry_after);
  return wait(builder, "WaitForRecovery", said_of_pause(builder));
}

// Karpenter deletes the NodeClaim first and taints the Node a moment later. The scheduler is faster than that: pods of
// the next attempt would be bound to the node that ended the last one.
Gate nodes_that_go_take_no_pods(PlanBuilder& builder) {
  const auto open = open_leaving_node(builder.seen);
  if (!open) return Gate::Open;
  builder.plan.wake_by(open->look_again);
  return wait(builder, "WaitForRecovery", open->message);
}

constexpr Gate (*kGates[])(PlanBuilder&) = {deadline,        suspension, lost_checkpoint,
                                            full_volume,     problem,    never_fits,
                                            long_pause,      quota,      claims_and_service_are_there,
                                            claims_are_free, pause,      nodes_that_go_take_no_pods};

// Holds for all pods of the attempt, whenever they are made.
void request_capacity(PlanBuilder& builder) {
  auto& placement = builder.status().placement;
  kube::Text wanted = capacity_to_request(builder.seen, builder.status());
  if (!placement && wanted.empty()) return;
  if (!placement) placement.emplace();
  if (wanted == api::name(api::CapacityType::OnDemand) && placement->requested != wanted)
    builder.announce(EventType::Warning, "DeadlineAtRisk", "StartAttempt",
                     "on-demand capacity is asked for: " + schedule_of(builder.seen, builder.status()).message);
  placement->requested = std::move(wanted);
}

void list_ranks(PlanBuilder& builder) {
  const api::ResumableJob& job = *builder.seen.job;
  api::ResumableJobStatus& status = builder.status();
  status.retry_after.reset();
  status.starting_since.reset();
  status.checkpoint_lost.reset();
  status.volume_full.reset();
  // The loss is acknowledged: nothing is expected on the volume any more.
  const bool from_scratch = may_start_from_scratch(job);
  ++status.attempt;
  if (from_scratch) {
    status.checkpoint.reset();
    status.progress.reset();
    status.from_scratch_attempt = status.attempt;
  }
  if (from_scratch || job.spec.resume == api::ResumePolicy::Never) status.trained_seconds.reset();
  request_capacity(builder);
  if (!status.start_time) status.start_time = builder.seen.now;
  status.attempt_start_time = builder.seen.now;
  status.members.clear();
  for (std::int32_t i = 0; i < job.spec.parallelism; ++i) {
    api::RankStatus rank;
    rank.index = i;
    rank.pod_name = pod_name(job.meta.name, status.attempt, i);
    status.members.push_back(std::move(rank));
  }
  status.active = 0;
  status.ready = 0;
}

void forget_pods_that_are_gone(PlanBuilder& builder) {
  api::ResumableJobStatus& status = builder.status();
  const kube::List<kube::Text> lingering = std::exchange(status.lingering_pods, {});
  for (const kube::Text& uid : lingering) {
    const bool there = std::ranges::any_of(builder.seen.pods, [&](const auto& pod) { return pod->meta.uid == uid; });
    if (there) status.lingering_pods.push_back(uid);
  }
}

}  // namespace

std::chrono::seconds backoff(std::int32_t without_progress, std::chrono::seconds longest) {
  if (without_progress <= 0) return std::chrono::seconds(0);
  return std::min(std::chrono::seconds(10LL << std::min(without_progress - 1, 10)), longest);
}

void create_service(PlanBuilder& builder) {
  const api::ResumableJob& job = *builder.seen.job;
  if (builder.seen.service_exists) return;
  CreateService create;
  create.meta.name = service_name(job.meta.name);
  create.meta.namespace_ = job.meta.namespace_;
  create.meta.labels = {{std::string(kJobLabel), job.meta.name}, {std::string(kJobUidLabel), job.meta.uid}};
  create.meta.owner_references = {kube::owner_reference(job, kube::BlockOwnerDeletion::No)};
  create.selector = {{std::string(kJobUidLabel), job.meta.uid}};
  builder.plan.actions.emplace_back(std::move(create));
}

void begin_attempt(PlanBuilder& builder) {
  if (builder.seen.job->spec.resume != api::ResumePolicy::FromScratch) builder.status().from_scratch_attempt = 0;
  if (is_edited(builder.seen)) builder.status().retry_after.reset();  // it is tried at once, or queues at once
  forget_pods_that_are_gone(builder);
  if (!past_active_deadline(builder.seen)) delete_orphans(builder);
  settle_workload(builder);
  for (const auto gate : kGates) {
    if (gate(builder) == Gate::Open) continue;
    return give_quota_back(builder);
  }
  list_ranks(builder);
}

}  // namespace reprise::controllers::resumablejob
