// ResumableJob (reprise.dev/v1alpha1, namespaced): a checkpointed training job that survives interruptions.
// Field meanings for users are in crds/reprise.dev_resumablejobs.yaml; names here follow it in snake_case.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/meta.h"

namespace reprise::api {

enum class VolumeAccess { Shared, PerIndex };
enum class WhenDeleted { Retain, Delete };
enum class CheckpointFormat { Auto, PyTorchDCP, HuggingFace, DeepSpeed, Megatron, Orbax, Lightning, Marker };
enum class ResumePolicy { Latest, Never, FromScratch };
enum class StandbyPolicy { OnNotice, Never };
enum class PlacementCapacity { SpotPreferred, SpotOnly, OnDemandOnly };
enum class FencingPolicy { Proof, Silence };

struct ClaimTemplate {
  std::string spec_json;  // PersistentVolumeClaimSpec as written
  StringMap labels, annotations;
  std::vector<std::string> access_modes;  // read out of spec_json
  bool operator==(const ClaimTemplate&) const = default;
};

struct CheckpointVolume {
  VolumeAccess access = VolumeAccess::Shared;
  std::optional<ClaimTemplate> claim_template;  // exactly one of these two
  std::string claim_name;
  WhenDeleted when_deleted = WhenDeleted::Retain;
  bool operator==(const CheckpointVolume&) const = default;
};

struct OnNotice {
  std::string signal;  // "SIGUSR1"; at most one of these two
  std::string file;
  bool operator==(const OnNotice&) const = default;
};

struct SnapshotPolicy {
  std::string class_name;
  std::int32_t min_interval_seconds = 1800;
  std::int32_t keep = 2;
  bool operator==(const SnapshotPolicy&) const = default;
};

struct CheckpointSpec {
  std::string path;  // where the trainer sees the volume
  CheckpointVolume volume;
  CheckpointFormat format = CheckpointFormat::Auto;
  std::int32_t period_seconds = 600;
  std::int32_t grace_seconds = 110;
  std::int32_t keep = 2;
  std::optional<OnNotice> on_notice;
  std::optional<SnapshotPolicy> snapshot;
  bool operator==(const CheckpointSpec&) const = default;
};

struct InterruptionPolicy {
  std::optional<std::int32_t> limit;  // at the limit the job is suspended
  StandbyPolicy standby = StandbyPolicy::OnNotice;
  bool operator==(const InterruptionPolicy&) const = default;
};

enum class FailureAction { FailJob, Count, Ignore };

struct PodFailureRule {
  FailureAction action = FailureAction::Count;
  // Exactly one of the two groups is set.
  std::string on_exit_codes_container;  // empty: any container
  std::string on_exit_codes_operator;   // In | NotIn
  std::vector<std::int32_t> on_exit_codes_values;
  struct PodCondition {
    std::string type;
    std::string status = "True";
    bool operator==(const PodCondition&) const = default;
  };
  std::vector<PodCondition> on_pod_conditions;
  bool operator==(const PodFailureRule&) const = default;
};

struct JobPlacement {
  PlacementCapacity capacity = PlacementCapacity::SpotPreferred;
  std::vector<std::string> zones;
  std::optional<Time> complete_by;
  std::optional<std::int64_t> estimated_seconds;
  std::string max_cost;  // decimal; empty: no limit
  bool operator==(const JobPlacement&) const = default;
};

// What Reprise reads of a container in the user's template.
struct TemplateContainer {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  StringMap limits;  // resource name -> quantity as written
  StringMap requests;
  std::vector<std::string> mount_paths;
  bool operator==(const TemplateContainer&) const = default;
};

// The user's pod template: kept as JSON text because it is passed through, with a summary for decisions.
struct PodTemplate {
  std::string json;  // the whole PodTemplateSpec
  StringMap labels, annotations;
  std::vector<TemplateContainer> containers;
  std::vector<TemplateContainer> init_containers;
  StringMap node_selector;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::string restart_policy;  // empty when not set
  std::string service_account_name;
  bool operator==(const PodTemplate&) const = default;
};

struct ResumableJobSpec {
  std::string pool_name;  // empty: the template schedules itself
  std::int32_t parallelism = 1;
  std::string container;  // which container trains; empty: the first
  CheckpointSpec checkpoint;
  ResumePolicy resume = ResumePolicy::Latest;
  InterruptionPolicy interruption;
  std::int32_t backoff_limit = 3;
  std::vector<PodFailureRule> pod_failure_rules;  // podFailurePolicy.rules
  std::int32_t pods_ready_timeout_seconds = 1800;
  std::optional<std::int32_t> progress_timeout_seconds;
  std::optional<JobPlacement> placement;
  FencingPolicy fencing = FencingPolicy::Proof;
  std::optional<std::int64_t> active_deadline_seconds;
  bool suspend = false;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  PodTemplate pod_template;
  bool operator==(const ResumableJobSpec&) const = default;
};

struct InterruptionCount {
  std::string reason;
  std::int32_t count = 0;
  bool operator==(const InterruptionCount&) const = default;
};

struct LastInterruption {
  Time time{};
  std::string reason;
  std::string node;
  std::optional<std::int32_t> notice_seconds;
  std::optional<bool> asked;  // did the agent ask the trainer to save
  std::optional<bool> saved;  // did a newer complete checkpoint become durable
  bool operator==(const LastInterruption&) const = default;
};

struct CheckpointStatus {
  std::int64_t step = 0;
  std::string path;
  std::optional<Time> time;
  std::optional<std::int64_t> size_bytes;
  bool verified = false;
  std::string claim_name;
  std::string claim_uid;
  std::string snapshot_name;
  bool operator==(const CheckpointStatus&) const = default;
};

struct ProgressStatus {
  std::optional<std::int32_t> percentage;
  std::optional<std::int64_t> estimated_remaining_seconds;
  std::optional<std::int64_t> step;
  std::optional<Time> last_updated_time;
  bool operator==(const ProgressStatus&) const = default;
};

struct JobCostStatus {
  std::string spent, on_demand_equivalent;
  bool operator==(const JobCostStatus&) const = default;
};

struct JobPlacementStatus {
  std::string capacity;  // "Spot", "OnDemand"
  std::string zone;
  bool operator==(const JobPlacementStatus&) const = default;
};

// Why a member is known to have ended; the words of `kubectl get rj -o yaml`.
enum class EndProof {
  None,
  NeverBound,       // the last state the API server had of the pod shows no node: no kubelet ever saw it
  KubeletReport,    // every container terminated in the pod's last seen status
  MachineGone,      // the NodeClaim recorded at binding is gone, or the machine booted anew
  PersonConfirmed,  // annotation reprise.dev/confirm-ended, or the node's out-of-service taint
};

// One member (rank) of the current attempt: what must be remembered to prove later that it ended.
// Written at creation and at binding, never forgotten before the proof.
struct MemberStatus {
  std::int32_t index = 0;
  std::string pod_name;
  std::string pod_uid;
  std::string node_name;  // empty until bound
  std::string node_uid;
  std::string boot_id;  // node.status.nodeInfo.bootID
  std::string provider_id;
  std::string node_claim_name;  // empty where no NodeClaim stands behind the node
  std::string node_claim_uid;
  EndProof proof = EndProof::None;
  std::optional<std::int32_t> exit_code;
  bool finished = false;  // the trainer ended by itself with 0
  bool operator==(const MemberStatus&) const = default;
};

enum class AttemptEndCause {
  Interruption,        // resume, not counted as a failure
  CheckpointedExit,    // exit 85 without a request: run again
  ApplicationFailure,  // judged by podFailurePolicy and backoffLimit
  IgnoredFailure,      // a podFailurePolicy rule said Ignore
  Suspended,
  PodsReadyTimeout,
  Succeeded,
  Failed,  // terminal; `reason` is the Failed condition's reason
  Deleted,
};

// The intent to end the current attempt; written before any pod is deleted, so that a restart goes on with it.
struct AttemptEnd {
  std::int32_t attempt = 0;
  AttemptEndCause cause = AttemptEndCause::Interruption;
  std::string reason;  // "SpotInterrupted", "DeletionByTaintManager", "BackoffLimitExceeded" ...
  std::string message;
  std::string node;  // the node that was taken, where one was
  Time time{};
  std::optional<Time> deadline;  // when the machine goes, where known
  bool operator==(const AttemptEnd&) const = default;
};

struct ClaimStatus {
  std::string name, uid;
  bool operator==(const ClaimStatus&) const = default;
};

struct ResumableJobStatus {
  std::int64_t observed_generation = -1;
  std::vector<Condition> conditions;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;
  std::vector<InterruptionCount> interruptions;
  std::int32_t interruption_count = 0;  // the sum, for the printer column
  std::optional<LastInterruption> last_interruption;
  std::optional<CheckpointStatus> checkpoint;
  std::optional<ProgressStatus> progress;
  std::int64_t lost_seconds = 0;
  std::optional<JobCostStatus> cost;
  std::optional<JobPlacementStatus> placement;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::optional<Time> retry_after;  // the next attempt starts not before
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t from_scratch_attempt = 0;  // started under the present spec.resume FromScratch; 0: none yet
  std::int32_t attempts_without_progress = 0;
  std::int32_t distrust_finished_attempt = 0;  // records that say finished count only from later attempts
  std::vector<MemberStatus> members;
  std::vector<std::string> lingering_pods;  // uids of pods of closed attempts: end proven, object not gone yet
  std::optional<AttemptEnd> attempt_end;
  std::vector<ClaimStatus> claims;
  bool operator==(const ResumableJobStatus&) const = default;
};

struct ResumableJob {
  ObjectMeta meta;
  ResumableJobSpec spec;
  ResumableJobStatus status;
};

template <>
struct KindOf<ResumableJob> {
  static constexpr KindInfo info() { return {"reprise.dev", "v1alpha1", "ResumableJob", "resumablejobs", true}; }
  [[nodiscard]] static std::expected<ResumableJob, DecodeError> decode(std::string_view json);
};

[[nodiscard]] std::string encode_status_patch(const ResumableJobStatus& status, std::string_view resource_version);
[[nodiscard]] std::string encode(const ResumableJob& job);

[[nodiscard]] std::string_view name(EndProof proof);
[[nodiscard]] std::string_view name(AttemptEndCause cause);
[[nodiscard]] std::string_view name(CheckpointFormat format);

}  // namespace reprise::api
