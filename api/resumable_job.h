// ResumableJob (reprise.dev/v1alpha1, namespaced): a checkpointed training job that survives interruptions.
// Field meanings for users are in crds/reprise.dev_resumablejobs.yaml; names here follow it in snake_case.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/job_status.h"
#include "runtime/kube/memory/packed_text.h"
#include "runtime/kube/memory/rare.h"
#include "runtime/kube/meta.h"

namespace reprise::api {

enum class VolumeAccess { Shared, PerIndex };
enum class WhenDeleted { Retain, Delete };
enum class CheckpointFormat {
  Auto,
  PyTorchDCP,
  HuggingFace,
  DeepSpeed,
  Megatron,
  Orbax,
  Lightning,
  Marker,
  Manifest,
  Plain
};
enum class CheckpointVerify { Structure, Full };
enum class UnprovenCheckpoints { PutAside, Use };
enum class ResumePolicy { Latest, Never, FromScratch };
enum class StandbyPolicy { OnNotice, Never };
enum class PlacementCapacity { SpotPreferred, SpotOnly, OnDemandOnly };
enum class FencingPolicy { Proof, Silence };

struct ClaimTemplate {
  kube::Text spec_json;  // PersistentVolumeClaimSpec as written
  kube::StringMap labels, annotations;
  kube::List<kube::Text> access_modes;  // read out of spec_json
  static void fields(auto& self, auto& field) {
    field.nest("metadata", [&](auto& below) {
      below("labels", self.labels);
      below("annotations", self.annotations);
    });
    field.verbatim("spec", self.spec_json);
    field.peek("spec", "accessModes", self.access_modes);
  }
  bool operator==(const ClaimTemplate&) const = default;
};

struct CheckpointVolume {
  VolumeAccess access = VolumeAccess::Shared;
  kube::Rare<ClaimTemplate> claim_template;  // exactly one of these two
  kube::Text claim_name;
  WhenDeleted when_deleted = WhenDeleted::Retain;
  static void fields(auto& self, auto& field) {
    field("access", self.access);
    field("claimTemplate", self.claim_template);
    field("claimName", self.claim_name);
    field("whenDeleted", self.when_deleted);
  }
  bool operator==(const CheckpointVolume&) const = default;
};

struct OnNotice {
  kube::Text signal;  // "SIGUSR1"; at most one of these two
  kube::Text file;
  static void fields(auto& self, auto& field) {
    field("signal", self.signal);
    field("file", self.file);
  }
  bool operator==(const OnNotice&) const = default;
};

struct SnapshotPolicy {
  kube::Text class_name;
  std::int32_t min_interval_seconds = 1800;
  std::int32_t keep = 2;
  static void fields(auto& self, auto& field) {
    field("className", self.class_name);
    field("minIntervalSeconds", self.min_interval_seconds);
    field("keep", self.keep);
  }
  bool operator==(const SnapshotPolicy&) const = default;
};

struct CheckpointSpec {
  kube::Text path;  // the volume's path in the trainer's container
  CheckpointVolume volume;
  CheckpointFormat format = CheckpointFormat::Auto;
  std::int32_t period_seconds = 600;
  std::int32_t grace_seconds = 110;
  std::optional<std::int32_t> keep;  // empty: the agent deletes none
  kube::Rare<OnNotice> on_notice;
  kube::Rare<SnapshotPolicy> snapshot;
  CheckpointVerify verify = CheckpointVerify::Structure;
  UnprovenCheckpoints unproven = UnprovenCheckpoints::PutAside;
  bool trust_sync = false;      // a person vouches for the volume's filer
  kube::Text progress_pattern;  // RE2; empty: what common libraries print
  static void fields(auto& self, auto& field) {
    field("path", self.path);
    field("volume", self.volume);
    field("format", self.format);
    field("periodSeconds", self.period_seconds);
    field("graceSeconds", self.grace_seconds);
    field("keep", self.keep);
    field("onNotice", self.on_notice);
    field("snapshot", self.snapshot);
    field("verify", self.verify);
    field("unproven", self.unproven);
    field("trustSync", self.trust_sync);
    field("progressPattern", self.progress_pattern);
  }
  bool operator==(const CheckpointSpec&) const = default;
};

struct InterruptionPolicy {
  std::optional<std::int32_t> limit;  // at the limit the job is suspended
  StandbyPolicy standby = StandbyPolicy::OnNotice;
  static void fields(auto& self, auto& field) {
    field("limit", self.limit);
    field("standby", self.standby);
  }
  bool operator==(const InterruptionPolicy&) const = default;
};

enum class FailureAction { FailJob, Count, Ignore };

struct PodFailureRule {
  kube::Text name;  // for people; empty: the rule is told by its index
  FailureAction action = FailureAction::Count;
  // Exactly one of the two groups is set.
  kube::Text on_exit_codes_container;  // empty: any container
  kube::Text on_exit_codes_operator;   // In | NotIn
  std::vector<std::int32_t> on_exit_codes_values;
  struct PodConditionPattern {
    kube::Text type;
    kube::Text status = "True";
    static void fields(auto& self, auto& field) {
      field("type", self.type);
      field("status", self.status);
    }
    bool operator==(const PodConditionPattern&) const = default;
  };
  kube::List<PodConditionPattern> on_pod_conditions;
  static void fields(auto& self, auto& field) {
    field("name", self.name);
    field("action", self.action);
    field.nest("onExitCodes", [&](auto& below) {
      below("containerName", self.on_exit_codes_container);
      below("operator", self.on_exit_codes_operator);
      below("values", self.on_exit_codes_values);
    });
    field("onPodConditions", self.on_pod_conditions);
  }
  bool operator==(const PodFailureRule&) const = default;
};

struct JobPlacement {
  PlacementCapacity capacity = PlacementCapacity::SpotPreferred;
  kube::List<kube::Text> zones;
  std::optional<kube::Time> complete_by;
  std::optional<std::int64_t> estimated_seconds;
  kube::Text max_cost;  // decimal; empty: no limit
  static void fields(auto& self, auto& field) {
    field("capacity", self.capacity);
    field("zones", self.zones);
    field("completeBy", self.complete_by);
    field("estimatedSeconds", self.estimated_seconds);
    field("maxCost", self.max_cost);
  }
  bool operator==(const JobPlacement&) const = default;
};

// The parts of a container in the user's template that Reprise reads.
struct TemplateContainer {
  kube::Text name;
  kube::Text image;
  kube::List<kube::Text> command;
  kube::StringMap limits;  // resource name -> quantity as written
  kube::StringMap requests;
  kube::List<kube::Text> mount_paths;
  bool kubelet_may_end = false;  // a liveness or startup probe or a postStart hook: the kubelet ends it where one fails
  bool restarts_always = false;  // its own restartPolicy: an init container that runs beside the others, a sidecar
  static void fields(auto& self, auto& field) {
    field.unmapped(self.name, self.image, self.command, self.limits, self.requests, self.mount_paths,
                   self.kubelet_may_end, self.restarts_always);
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
  kube::Text priority_class_name;
  kube::List<kube::Text>
      reserved;  // fields below spec.template that set what is the operator's to set: empty when all is well
  static void fields(auto& self, auto& field) {
    field.unmapped(self.json, self.labels, self.annotations, self.containers, self.init_containers, self.node_selector,
                   self.termination_grace_period_seconds, self.restart_policy, self.service_account_name,
                   self.priority_class_name, self.reserved);
  }
  bool operator==(const PodTemplate&) const = default;
};

struct ResumableJobSpec {
  kube::Text pool_name;  // empty: the template schedules itself
  std::int32_t parallelism = 1;
  kube::Text container;  // the one that trains; empty: choose_training_container() chooses
  CheckpointSpec checkpoint;
  ResumePolicy resume = ResumePolicy::Latest;
  InterruptionPolicy interruption;
  std::int32_t backoff_limit = 3;
  std::int32_t keep_failed_pods = 0;
  kube::List<PodFailureRule> pod_failure_rules;  // podFailurePolicy.rules
  std::int32_t pods_ready_timeout_seconds = 1800;
  std::optional<std::int32_t> progress_timeout_seconds;
  kube::Rare<JobPlacement> placement;
  FencingPolicy fencing = FencingPolicy::Proof;
  std::optional<std::int64_t> active_deadline_seconds;
  bool suspend = false;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  PodTemplate pod_template;
  static void fields(auto& self, auto& field) {
    field("poolName", self.pool_name);
    field("parallelism", self.parallelism);
    field("container", self.container);
    field("checkpoint", self.checkpoint);
    field("resume", self.resume);
    field("interruption", self.interruption);
    field("backoffLimit", self.backoff_limit);
    field("keepFailedPods", self.keep_failed_pods);
    field.nest("podFailurePolicy", [&](auto& below) { below("rules", self.pod_failure_rules); });
    field("podsReadyTimeoutSeconds", self.pods_ready_timeout_seconds);
    field("progressTimeoutSeconds", self.progress_timeout_seconds);
    field("placement", self.placement);
    field("fencing", self.fencing);
    field("activeDeadlineSeconds", self.active_deadline_seconds);
    field("suspend", self.suspend);
    field("ttlSecondsAfterFinished", self.ttl_seconds_after_finished);
    field.unmapped(self.pod_template);  // "template": passed through, and summed up by resumable_job.cc
  }
  bool operator==(const ResumableJobSpec&) const = default;
};

struct ResumableJob {
  kube::ObjectMeta meta;
  ResumableJobSpec spec;
  ResumableJobStatus status;

  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.spec, self.status); }
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
[[nodiscard]] bool is_checkpoint_format(std::string_view name);

}  // namespace reprise::api
