// The fields of ResumableJob and the names of its enums; used by resumable_job.cc alone.
#pragma once

#include "api/resumable_job.h"
#include "runtime/kube/internal/archive.h"

namespace reprise::api {

inline constexpr kube::internal::EnumName<VolumeAccess> kVolumeAccessNames[] = {{VolumeAccess::Shared, "Shared"},
                                                                                {VolumeAccess::PerIndex, "PerIndex"}};
inline constexpr kube::internal::EnumName<WhenDeleted> kWhenDeletedNames[] = {{WhenDeleted::Retain, "Retain"},
                                                                              {WhenDeleted::Delete, "Delete"}};
inline constexpr kube::internal::EnumName<CheckpointFormat> kCheckpointFormatNames[] = {
    {CheckpointFormat::Auto, "Auto"},
    {CheckpointFormat::PyTorchDCP, "PyTorchDCP"},
    {CheckpointFormat::HuggingFace, "HuggingFace"},
    {CheckpointFormat::DeepSpeed, "DeepSpeed"},
    {CheckpointFormat::Megatron, "Megatron"},
    {CheckpointFormat::Orbax, "Orbax"},
    {CheckpointFormat::Lightning, "Lightning"},
    {CheckpointFormat::Marker, "Marker"}};
inline constexpr kube::internal::EnumName<ResumePolicy> kResumePolicyNames[] = {
    {ResumePolicy::Latest, "Latest"}, {ResumePolicy::Never, "Never"}, {ResumePolicy::FromScratch, "FromScratch"}};
inline constexpr kube::internal::EnumName<StandbyPolicy> kStandbyPolicyNames[] = {{StandbyPolicy::OnNotice, "OnNotice"},
                                                                                  {StandbyPolicy::Never, "Never"}};
inline constexpr kube::internal::EnumName<PlacementCapacity> kPlacementCapacityNames[] = {
    {PlacementCapacity::SpotPreferred, "SpotPreferred"},
    {PlacementCapacity::SpotOnly, "SpotOnly"},
    {PlacementCapacity::OnDemandOnly, "OnDemandOnly"}};
inline constexpr kube::internal::EnumName<FencingPolicy> kFencingPolicyNames[] = {{FencingPolicy::Proof, "Proof"},
                                                                                  {FencingPolicy::Silence, "Silence"}};
inline constexpr kube::internal::EnumName<FailureAction> kFailureActionNames[] = {
    {FailureAction::FailJob, "FailJob"}, {FailureAction::Count, "Count"}, {FailureAction::Ignore, "Ignore"}};
inline constexpr kube::internal::EnumName<EndProof> kEndProofNames[] = {{EndProof::None, "None"},
                                                                        {EndProof::NeverBound, "NeverBound"},
                                                                        {EndProof::KubeletReport, "KubeletReport"},
                                                                        {EndProof::MachineGone, "MachineGone"},
                                                                        {EndProof::PersonConfirmed, "PersonConfirmed"}};
inline constexpr kube::internal::EnumName<AttemptEndCause> kAttemptEndCauseNames[] = {
    {AttemptEndCause::Interruption, "Interruption"},
    {AttemptEndCause::CheckpointedExit, "CheckpointedExit"},
    {AttemptEndCause::ApplicationFailure, "ApplicationFailure"},
    {AttemptEndCause::IgnoredFailure, "IgnoredFailure"},
    {AttemptEndCause::Rejected, "Rejected"},
    {AttemptEndCause::NotInstalled, "NotInstalled"},
    {AttemptEndCause::Refused, "Refused"},
    {AttemptEndCause::Outdated, "Outdated"},
    {AttemptEndCause::Suspended, "Suspended"},
    {AttemptEndCause::PodsReadyTimeout, "PodsReadyTimeout"},
    {AttemptEndCause::Succeeded, "Succeeded"},
    {AttemptEndCause::Failed, "Failed"},
    {AttemptEndCause::Deleted, "Deleted"}};

constexpr const auto& names_of(VolumeAccess) {
  return kVolumeAccessNames;
}
constexpr const auto& names_of(WhenDeleted) {
  return kWhenDeletedNames;
}
constexpr const auto& names_of(CheckpointFormat) {
  return kCheckpointFormatNames;
}
constexpr const auto& names_of(ResumePolicy) {
  return kResumePolicyNames;
}
constexpr const auto& names_of(StandbyPolicy) {
  return kStandbyPolicyNames;
}
constexpr const auto& names_of(PlacementCapacity) {
  return kPlacementCapacityNames;
}
constexpr const auto& names_of(FencingPolicy) {
  return kFencingPolicyNames;
}
constexpr const auto& names_of(FailureAction) {
  return kFailureActionNames;
}
constexpr const auto& names_of(EndProof) {
  return kEndProofNames;
}
constexpr const auto& names_of(AttemptEndCause) {
  return kAttemptEndCauseNames;
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ClaimTemplate> v);

template <class A>
void fields(A& a, kube::internal::Ref<A, CheckpointVolume> v) {
  a("access", v.access);
  a("claimTemplate", v.claim_template);
  a("claimName", v.claim_name);
  a("whenDeleted", v.when_deleted);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, OnNotice> v) {
  a("signal", v.signal);
  a("file", v.file);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, SnapshotPolicy> v) {
  a("className", v.class_name);
  a("minIntervalSeconds", v.min_interval_seconds);
  a("keep", v.keep);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, CheckpointSpec> v) {
  a("path", v.path);
  a("volume", v.volume);
  a("format", v.format);
  a("periodSeconds", v.period_seconds);
  a("graceSeconds", v.grace_seconds);
  a("keep", v.keep);
  a("onNotice", v.on_notice);
  a("snapshot", v.snapshot);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, InterruptionPolicy> v) {
  a("limit", v.limit);
  a("standby", v.standby);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PodFailureRule::PodConditionPattern> v) {
  a("type", v.type);
  a("status", v.status);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PodFailureRule> v) {
  a("action", v.action);
  a.nest("onExitCodes", [&](auto& below) {
    below("containerName", v.on_exit_codes_container);
    below("operator", v.on_exit_codes_operator);
    below("values", v.on_exit_codes_values);
  });
  a("onPodConditions", v.on_pod_conditions);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, JobPlacement> v) {
  a("capacity", v.capacity);
  a("zones", v.zones);
  a("completeBy", v.complete_by);
  a("estimatedSeconds", v.estimated_seconds);
  a("maxCost", v.max_cost);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ResumableJobSpec> v) {
  a("poolName", v.pool_name);
  a("parallelism", v.parallelism);
  a("container", v.container);
  a("checkpoint", v.checkpoint);
  a("resume", v.resume);
  a("interruption", v.interruption);
  a("backoffLimit", v.backoff_limit);
  a.nest("podFailurePolicy", [&](auto& below) { below("rules", v.pod_failure_rules); });
  a("podsReadyTimeoutSeconds", v.pods_ready_timeout_seconds);
  a("progressTimeoutSeconds", v.progress_timeout_seconds);
  a("placement", v.placement);
  a("fencing", v.fencing);
  a("activeDeadlineSeconds", v.active_deadline_seconds);
  a("suspend", v.suspend);
  a("ttlSecondsAfterFinished", v.ttl_seconds_after_finished);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, InterruptionCount> v) {
  a("reason", v.reason);
  a("count", v.count);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, LastInterruption> v) {
  a("time", v.time);
  a("reason", v.reason);
  a("node", v.node);
  a("noticeSeconds", v.notice_seconds);
  a("asked", v.asked);
  a("saved", v.saved);
  a("recoveredTime", v.recovered_time);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, CheckpointStatus> v) {
  a("step", v.step);
  a("path", v.path);
  a("time", v.time);
  a("sizeBytes", v.size_bytes);
  a("verified", v.verified);
  a("claimName", v.claim_name);
  a("claimUID", v.claim_uid);
  a("snapshotName", v.snapshot_name);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ProgressStatus> v) {
  a("percentage", v.percentage);
  a("estimatedRemainingSeconds", v.estimated_remaining_seconds);
  a("step", v.step);
  a("lastUpdatedTime", v.last_updated_time);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, JobCostStatus> v) {
  a("spent", v.spent);
  a("onDemandEquivalent", v.on_demand_equivalent);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, JobPlacementStatus> v) {
  a("capacity", v.capacity);
  a("zone", v.zone);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, MemberStatus> v) {
  a("index", v.index);
  a("podName", v.pod_name);
  a("podUID", v.pod_uid);
  a("nodeName", v.node_name);
  a("nodeUID", v.node_uid);
  a("bootID", v.boot_id);
  a("providerID", v.provider_id);
  a("nodeClaimName", v.node_claim_name);
  a("nodeClaimUID", v.node_claim_uid);
  a("proof", v.proof);
  a("exitCode", v.exit_code);
  a("finished", v.finished);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, AttemptEnd> v) {
  a("attempt", v.attempt);
  a("cause", v.cause);
  a("reason", v.reason);
  a("message", v.message);
  a("node", v.node);
  a("time", v.time);
  a("deadline", v.deadline);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, LostCheckpoint> v) {
  a("attempt", v.attempt);
  a("generation", v.generation);
  a("offeredStep", v.offered_step);
  a("message", v.message);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ClaimStatus> v) {
  a("name", v.name);
  a("uid", v.uid);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ResumableJobStatus> v) {
  a("observedGeneration", v.observed_generation);
  a("conditions", v.conditions);
  a("attempt", v.attempt);
  a("failures", v.failures);
  a("interruptions", v.interruptions);
  a("interruptionCount", v.interruption_count);
  a("lastInterruption", v.last_interruption);
  a("checkpoint", v.checkpoint);
  a("progress", v.progress);
  a("lostSeconds", v.lost_seconds);
  a("cost", v.cost);
  a("placement", v.placement);
  a("startTime", v.start_time);
  a("completionTime", v.completion_time);
  a("retryAfter", v.retry_after);
  a("startingSince", v.starting_since);
  a("active", v.active);
  a("ready", v.ready);
  a("fromScratchAttempt", v.from_scratch_attempt);
  a("attemptsWithoutProgress", v.attempts_without_progress);
  a("readyAttempt", v.ready_attempt);
  a("members", v.members);
  a("lingeringPods", v.lingering_pods);
  a("attemptEnd", v.attempt_end);
  a("lastEnd", v.last_end);
  a("checkpointLost", v.checkpoint_lost);
  a("claims", v.claims);
}

}  // namespace reprise::api
