// ResumableJob (reprise.dev/v1alpha1, namespaced): a checkpointed training job that survives interruptions.
// Field meanings for users are in crds/reprise.dev_resumablejobs.yaml; names here follow it in snake_case.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "api/attempt_status.h"
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
  kube::Text spec_json;  // PersistentVolumeClaimSpec as written
  kube::StringMap labels, annotations;
  kube::List<kube::Text> access_modes;  // read out of spec_json
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.spec_json, self.labels, self.annotations, self.access_modes);
  }
  bool operator==(const ClaimTemplate&) const = default;
};

struct CheckpointVolume {
  VolumeAccess access = VolumeAccess::Shared;
  kube::Rare<ClaimTemplate> claim_template;  // exactly one of these two
  kube::Text claim_name;
  WhenDeleted when_deleted = WhenDeleted::Retain;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.access, self.claim_template, self.claim_name, self.when_deleted);
  }
  bool operator==(const CheckpointVolume&) const = default;
};

struct OnNotice {
  kube::Text signal;  // "SIGUSR1"; at most one of these two
  kube::Text file;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.signal, self.file);
  }
  bool operator==(const OnNotice&) const = default;
};

struct SnapshotPolicy {
  kube::Text class_name;
  std::int32_t min_interval_seconds = 1800;
  std::int32_t keep = 2;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.class_name, self.min_interval_seconds, self.keep);
  }
  bool operator==(const SnapshotPolicy&) const = default;
};

struct CheckpointSpec {
  kube::Text path;  // where the trainer sees the volume
  CheckpointVolume volume;
  CheckpointFormat format = CheckpointFormat::Auto;
  std::int32_t period_seconds = 600;
  std::int32_t grace_seconds = 110;
  std::int32_t keep = 2;
  kube::Rare<OnNotice> on_notice;
  kube::Rare<SnapshotPolicy> snapshot;
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
  kube::Text on_exit_codes_container;  // empty: any container
  kube::Text on_exit_codes_operator;   // In | NotIn
  std::vector<std::int32_t> on_exit_codes_values;
  struct PodConditionPattern {
    kube::Text type;
    kube::Text status = "True";
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.type, self.status);
    }
    bool operator==(const PodConditionPattern&) const = default;
  };
  kube::List<PodConditionPattern> on_pod_conditions;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.action, self.on_exit_codes_container, self.on_exit_codes_operator, self.on_exit_codes_values,
          self.on_pod_conditions);
  }
  bool operator==(const PodFailureRule&) const = default;
};

struct JobPlacement {
  PlacementCapacity capacity = PlacementCapacity::SpotPreferred;
  kube::List<kube::Text> zones;
  std::optional<kube::Time> complete_by;
  std::optional<std::int64_t> estimated_seconds;
  kube::Text max_cost;  // decimal; empty: no limit
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.capacity, self.zones, self.complete_by, self.estimated_seconds, self.max_cost);
  }
  bool operator==(const JobPlacement&) const = default;
};

// What Reprise reads of a container in the user's template.
struct TemplateContainer {
  kube::Text name;
  kube::Text image;
  kube::List<kube::Text> command;
  kube::StringMap limits;  // resource name -> quantity as written
  kube::StringMap requests;
  kube::List<kube::Text> mount_paths;
  bool kubelet_may_end = false;  // a liveness or startup probe or a postStart hook: the kubelet ends it where one fails
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.name, self.image, self.command, self.limits, self.requests, self.mount_paths, self.kubelet_may_end);
  }
  bool operator==(const TemplateContainer&) const = default;
};

// The user's pod template: kept as JSON text because it is passed through, with a summary for decisions.
struct PodTemplate {
  kube::PackedText json;  // the whole PodTemplateSpec
  kube::StringMap labels, annotations;
  kube::List<TemplateContainer> containers;
  kube::List<TemplateContainer> init_containers;
  kube::StringMap node_selector;
  std::optional<std::int64_t> termination_grace_period_seconds;
  kube::Text restart_policy;  // empty when not set
  kube::Text service_account_name;
  kube::List<kube::Text>
      reserved;  // fields below spec.template that set what is the operator's to set: empty when all is well
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.json, self.labels, self.annotations, self.containers, self.init_containers, self.node_selector,
          self.termination_grace_period_seconds, self.restart_policy, self.service_account_name, self.reserved);
  }
  bool operator==(const PodTemplate&) const = default;
};

struct ResumableJobSpec {
  kube::Text pool_name;  // empty: the template schedules itself
  std::int32_t parallelism = 1;
  kube::Text container;  // which container trains; empty: the first
  CheckpointSpec checkpoint;
  ResumePolicy resume = ResumePolicy::Latest;
  InterruptionPolicy interruption;
  std::int32_t backoff_limit = 3;
  kube::List<PodFailureRule> pod_failure_rules;  // podFailurePolicy.rules
  std::int32_t pods_ready_timeout_seconds = 1800;
  std::optional<std::int32_t> progress_timeout_seconds;
  kube::Rare<JobPlacement> placement;
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
  kube::Text reason;
  std::int32_t count = 0;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.reason, self.count);
  }
  bool operator==(const InterruptionCount&) const = default;
};

struct LastInterruption {
  kube::Time time{};
  kube::Text reason;
  kube::Text node;
  std::optional<std::int32_t> notice_seconds;
  std::optional<bool> asked;                 // did the agent ask the trainer to save
  std::optional<bool> saved;                 // did a newer complete checkpoint become durable
  std::optional<kube::Time> recovered_time;  // when all ranks were ready again
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.time, self.reason, self.node, self.notice_seconds, self.asked, self.saved, self.recovered_time);
  }
  bool operator==(const LastInterruption&) const = default;
};

struct CheckpointStatus {
  std::int64_t step = 0;
  kube::Text path;
  std::optional<kube::Time> time;
  std::optional<std::int64_t> size_bytes;
  bool verified = false;
  kube::Text claim_name;
  kube::Text claim_uid;
  kube::Text snapshot_name;
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
  std::optional<kube::Time> last_updated_time;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.percentage, self.estimated_remaining_seconds, self.step, self.last_updated_time);
  }
  bool operator==(const ProgressStatus&) const = default;
};

struct JobCostStatus {
  kube::Text spent, on_demand_equivalent;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.spent, self.on_demand_equivalent);
  }
  bool operator==(const JobCostStatus&) const = default;
};

struct JobPlacementStatus {
  kube::Text capacity;  // "Spot", "OnDemand"
  kube::Text zone;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.capacity, self.zone);
  }
  bool operator==(const JobPlacementStatus&) const = default;
};

struct ClaimStatus {
  kube::Text name, uid;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.name, self.uid);
  }
  bool operator==(const ClaimStatus&) const = default;
};

struct ResumableJobStatus {
  std::int64_t observed_generation = -1;
  std::vector<kube::Condition> conditions;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;
  std::vector<InterruptionCount> interruptions;
  std::int32_t interruption_count = 0;  // the sum, for the printer column
  kube::Rare<LastInterruption> last_interruption;
  std::optional<CheckpointStatus> checkpoint;
  kube::Rare<ProgressStatus> progress;
  std::int64_t lost_seconds = 0;
  kube::Rare<JobCostStatus> cost;
  kube::Rare<JobPlacementStatus> placement;
  std::optional<kube::Time> start_time;
  std::optional<kube::Time> completion_time;
  std::optional<kube::Time> retry_after;     // the next attempt starts not before
  std::optional<kube::Time> starting_since;  // the attempt holds a machine, and not all of its pods are ready
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t from_scratch_attempt = 0;  // started under the present spec.resume FromScratch; 0: none yet
  std::int32_t attempts_without_progress = 0;
  std::int32_t ready_attempt = 0;  // the last of which all ranks were ready
  std::vector<MemberStatus> members;
  kube::List<kube::Text> lingering_pods;  // uids of pods of closed attempts: end proven, object not gone yet
  kube::Rare<AttemptEnd> attempt_end;
  kube::Rare<AttemptEnd> last_end;  // of the last attempt that was closed, or of the job
  kube::Rare<LostCheckpoint> checkpoint_lost;
  std::vector<ClaimStatus> claims;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.observed_generation, self.conditions, self.attempt, self.failures, self.interruptions,
          self.interruption_count, self.last_interruption, self.checkpoint, self.progress, self.lost_seconds, self.cost,
          self.placement, self.start_time, self.completion_time, self.retry_after, self.starting_since, self.active,
          self.ready, self.from_scratch_attempt, self.attempts_without_progress, self.ready_attempt, self.members,
          self.lingering_pods, self.attempt_end, self.last_end, self.checkpoint_lost, self.claims);
  }
  bool operator==(const ResumableJobStatus&) const = default;
};

struct ResumableJob {
  kube::ObjectMeta meta;
  ResumableJobSpec spec;
  ResumableJobStatus status;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.meta, self.spec, self.status);
  }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::ResumableJob> {
  static constexpr kube::KindInfo info() { return {"reprise.dev", "v1alpha1", "ResumableJob", "resumablejobs", true}; }
  [[nodiscard]] static std::expected<api::ResumableJob, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {

[[nodiscard]] std::string encode_status_patch(const ResumableJobStatus& status, std::string_view resource_version);
[[nodiscard]] std::string encode(const ResumableJob& job);

[[nodiscard]] std::string_view name(EndProof proof);
[[nodiscard]] std::string_view name(AttemptEndCause cause);
[[nodiscard]] std::string_view name(CheckpointFormat format);

}  // namespace reprise::api
