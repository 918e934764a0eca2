// ResumableJob (reprise.dev/v1alpha1, namespaced): a checkpointed training job that survives interruptions.
// Field meanings for users are in crds/reprise.dev_resumablejobs.yaml; names here follow it in snake_case.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/packed_text.h"
#include "runtime/kube/rare.h"

namespace reprise::api {

enum class VolumeAccess { Shared, PerIndex };
enum class WhenDeleted { Retain, Delete };
enum class CheckpointFormat { Auto, PyTorchDCP, HuggingFace, DeepSpeed, Megatron, Orbax, Lightning, Marker };
enum class ResumePolicy { Latest, Never, FromScratch };
enum class StandbyPolicy { OnNotice, Never };
enum class PlacementCapacity { SpotPreferred, SpotOnly, OnDemandOnly };
enum class FencingPolicy { Proof, Silence };

struct ClaimTemplate {
  Text spec_json;  // PersistentVolumeClaimSpec as written
  StringMap labels, annotations;
  List<Text> access_modes;  // read out of spec_json
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.spec_json, self.labels, self.annotations, self.access_modes);
  }
  bool operator==(const ClaimTemplate&) const = default;
};

struct CheckpointVolume {
  VolumeAccess access = VolumeAccess::Shared;
  Rare<ClaimTemplate> claim_template;  // exactly one of these two
  Text claim_name;
  WhenDeleted when_deleted = WhenDeleted::Retain;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.access, self.claim_template, self.claim_name, self.when_deleted);
  }
  bool operator==(const CheckpointVolume&) const = default;
};

struct OnNotice {
  Text signal;  // "SIGUSR1"; at most one of these two
  Text file;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.signal, self.file);
  }
  bool operator==(const OnNotice&) const = default;
};

struct SnapshotPolicy {
  Text class_name;
  std::int32_t min_interval_seconds = 1800;
  std::int32_t keep = 2;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.class_name, self.min_interval_seconds, self.keep);
  }
  bool operator==(const SnapshotPolicy&) const = default;
};

struct CheckpointSpec {
  Text path;  // where the trainer sees the volume
  CheckpointVolume volume;
  CheckpointFormat format = CheckpointFormat::Auto;
  std::int32_t period_seconds = 600;
  std::int32_t grace_seconds = 110;
  std::int32_t keep = 2;
  Rare<OnNotice> on_notice;
  Rare<SnapshotPolicy> snapshot;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.path, self.volume, self.format, self.period_seconds, self.grace_seconds, self.keep, self.on_notice,
          self.snapshot);
  }
  bool operator==(const CheckpointSpec&) const = default;
};

struct InterruptionPolicy {
  std::optional<std::int32_t> limit;  // at the limit the job is suspended
  StandbyPolicy standby = StandbyPolicy::OnNotice;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.limit, self.standby);
  }
  bool operator==(const InterruptionPolicy&) const = default;
};

enum class FailureAction { FailJob, Count, Ignore };

struct PodFailureRule {
  FailureAction action = FailureAction::Count;
  // Exactly one of the two groups is set.
  Text on_exit_codes_container;  // empty: any container
  Text on_exit_codes_operator;   // In | NotIn
  std::vector<std::int32_t> on_exit_codes_values;
  struct PodCondition {
    Text type;
    Text status = "True";
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.type, self.status);
    }
    bool operator==(const PodCondition&) const = default;
  };
  List<PodCondition> on_pod_conditions;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.action, self.on_exit_codes_container, self.on_exit_codes_operator, self.on_exit_codes_values,
          self.on_pod_conditions);
  }
  bool operator==(const PodFailureRule&) const = default;
};

struct JobPlacement {
  PlacementCapacity capacity = PlacementCapacity::SpotPreferred;
  List<Text> zones;
  std::optional<Time> complete_by;
  std::optional<std::int64_t> estimated_seconds;
  Text max_cost;  // decimal; empty: no limit
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.capacity, self.zones, self.complete_by, self.estimated_seconds, self.max_cost);
  }
  bool operator==(const JobPlacement&) const = default;
};

// What Reprise reads of a container in the user's template.
struct TemplateContainer {
  Text name;
  Text image;
  List<Text> command;
  StringMap limits;  // resource name -> quantity as written
  StringMap requests;
  List<Text> mount_paths;
  bool kubelet_may_end = false;  // a liveness or startup probe or a postStart hook: the kubelet ends it where one fails
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.name, self.image, self.command, self.limits, self.requests, self.mount_paths, self.kubelet_may_end);
  }
  bool operator==(const TemplateContainer&) const = default;
};

// The user's pod template: kept as JSON text because it is passed through, with a summary for decisions.
struct PodTemplate {
  PackedText json;  // the whole PodTemplateSpec
  StringMap labels, annotations;
  List<TemplateContainer> containers;
  List<TemplateContainer> init_containers;
  StringMap node_selector;
  std::optional<std::int64_t> termination_grace_period_seconds;
  Text restart_policy;  // empty when not set
  Text service_account_name;
  List<Text> reserved;  // fields below spec.template that set what is the operator's to set: empty when all is well
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.json, self.labels, self.annotations, self.containers, self.init_containers, self.node_selector,
          self.termination_grace_period_seconds, self.restart_policy, self.service_account_name, self.reserved);
  }
  bool operator==(const PodTemplate&) const = default;
};

struct ResumableJobSpec {
  Text pool_name;  // empty: the template schedules itself
  std::int32_t parallelism = 1;
  Text container;  // which container trains; empty: the first
  CheckpointSpec checkpoint;
  ResumePolicy resume = ResumePolicy::Latest;
  InterruptionPolicy interruption;
  std::int32_t backoff_limit = 3;
  List<PodFailureRule> pod_failure_rules;  // podFailurePolicy.rules
  std::int32_t pods_ready_timeout_seconds = 1800;
  std::optional<std::int32_t> progress_timeout_seconds;
  Rare<JobPlacement> placement;
  FencingPolicy fencing = FencingPolicy::Proof;
  std::optional<std::int64_t> active_deadline_seconds;
  bool suspend = false;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  PodTemplate pod_template;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.pool_name, self.parallelism, self.container, self.checkpoint, self.resume, self.interruption,
          self.backoff_limit, self.pod_failure_rules, self.pods_ready_timeout_seconds, self.progress_timeout_seconds,
          self.placement, self.fencing, self.active_deadline_seconds, self.suspend, self.ttl_seconds_after_finished,
          self.pod_template);
  }
  bool operator==(const ResumableJobSpec&) const = default;
};

struct InterruptionCount {
  Text reason;
  std::int32_t count = 0;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.reason, self.count);
  }
  bool operator==(const InterruptionCount&) const = default;
};

struct LastInterruption {
  Time time{};
  Text reason;
  Text node;
  std::optional<std::int32_t> notice_seconds;
  std::optional<bool> asked;  // did the agent ask the trainer to save
  std::optional<bool> saved;  // did a newer complete checkpoint become durable
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.time, self.reason, self.node, self.notice_seconds, self.asked, self.saved);
  }
  bool operator==(const LastInterruption&) const = default;
};

struct CheckpointStatus {
  std::int64_t step = 0;
  Text path;
  std::optional<Time> time;
  std::optional<std::int64_t> size_bytes;
  bool verified = false;
  Text claim_name;
  Text claim_uid;
  Text snapshot_name;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.step, self.path, self.time, self.size_bytes, self.verified, self.claim_name, self.claim_uid,
          self.snapshot_name);
  }
  bool operator==(const CheckpointStatus&) const = default;
};

struct ProgressStatus {
  std::optional<std::int32_t> percentage;
  std::optional<std::int64_t> estimated_remaining_seconds;
  std::optional<std::int64_t> step;
  std::optional<Time> last_updated_time;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.percentage, self.estimated_remaining_seconds, self.step, self.last_updated_time);
  }
  bool operator==(const ProgressStatus&) const = default;
};

struct JobCostStatus {
  Text spent, on_demand_equivalent;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.spent, self.on_demand_equivalent);
  }
  bool operator==(const JobCostStatus&) const = default;
};

struct JobPlacementStatus {
  Text capacity;  // "Spot", "OnDemand"
  Text zone;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.capacity, self.zone);
  }
  bool operator==(const JobPlacementStatus&) const = default;
};

// Why a member is known to have ended; the words of `kubectl get rj -o yaml`.
enum class EndProof {
  None,
  NeverBound,       // the pod went without a node, or was called Failed while it had none: no kubelet ever started it
  KubeletReport,    // every container terminated in the pod's last seen status, or the pod was never admitted
  MachineGone,      // the NodeClaim recorded at binding is gone, or the machine booted anew
  PersonConfirmed,  // annotation reprise.dev/confirm-ended, or the node's out-of-service taint
};

// One member (rank) of the current attempt: what must be remembered to prove later that it ended.
// Written at creation and at binding, never forgotten before the proof.
struct MemberStatus {
  std::int32_t index = 0;
  Text pod_name;
  Text pod_uid;
  Text node_name;  // empty until bound
  Text node_uid;
  Text boot_id;  // node.status.nodeInfo.bootID
  Text provider_id;
  Text node_claim_name;  // empty where no NodeClaim stands behind the node
  Text node_claim_uid;
  EndProof proof = EndProof::None;
  std::optional<std::int32_t> exit_code;
  bool finished = false;  // the trainer ended by itself with 0
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.index, self.pod_name, self.pod_uid, self.node_name, self.node_uid, self.boot_id, self.provider_id,
          self.node_claim_name, self.node_claim_uid, self.proof, self.exit_code, self.finished);
  }
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
  Text reason;  // "SpotInterrupted", "DeletionByTaintManager", "BackoffLimitExceeded" ...
  Text message;
  Text node;  // the node that was taken, where one was
  Time time{};
  std::optional<Time> deadline;  // when the machine goes, where known
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.attempt, self.cause, self.reason, self.message, self.node, self.time, self.deadline);
  }
  bool operator==(const AttemptEnd&) const = default;
};

struct ClaimStatus {
  Text name, uid;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.name, self.uid);
  }
  bool operator==(const ClaimStatus&) const = default;
};

struct ResumableJobStatus {
  std::int64_t observed_generation = -1;
  std::vector<Condition> conditions;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;
  std::vector<InterruptionCount> interruptions;
  std::int32_t interruption_count = 0;  // the sum, for the printer column
  Rare<LastInterruption> last_interruption;
  std::optional<CheckpointStatus> checkpoint;
  Rare<ProgressStatus> progress;
  std::int64_t lost_seconds = 0;
  Rare<JobCostStatus> cost;
  Rare<JobPlacementStatus> placement;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::optional<Time> retry_after;     // the next attempt starts not before
  std::optional<Time> starting_since;  // the attempt holds a machine, and not all of its pods are ready
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t from_scratch_attempt = 0;  // started under the present spec.resume FromScratch; 0: none yet
  std::int32_t attempts_without_progress = 0;
  std::vector<MemberStatus> members;
  List<Text> lingering_pods;  // uids of pods of closed attempts: end proven, object not gone yet
  Rare<AttemptEnd> attempt_end;
  std::vector<ClaimStatus> claims;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.observed_generation, self.conditions, self.attempt, self.failures, self.interruptions,
          self.interruption_count, self.last_interruption, self.checkpoint, self.progress, self.lost_seconds, self.cost,
          self.placement, self.start_time, self.completion_time, self.retry_after, self.starting_since, self.active,
          self.ready, self.from_scratch_attempt, self.attempts_without_progress, self.members, self.lingering_pods,
          self.attempt_end, self.claims);
  }
  bool operator==(const ResumableJobStatus&) const = default;
};

struct ResumableJob {
  ObjectMeta meta;
  ResumableJobSpec spec;
  ResumableJobStatus status;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.meta, self.spec, self.status);
  }
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
