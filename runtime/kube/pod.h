// Pod, slim: the fields that Reprise decides on.
#pragma once

#include <expected>

#include "runtime/kube/meta.h"

namespace reprise::kube {

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };
enum class ContainerStateKind { Waiting, Running, Terminated };

struct ContainerStatus {
  Text name;
  bool init = false;     // from initContainerStatuses
  bool sidecar = false;  // an init container that runs beside the others: its end ends nothing
  bool ready = false;
  ContainerStateKind state = ContainerStateKind::Waiting;
  Text reason;   // the state's reason
  Text message;  // the message of `terminated`: the agent's record, JSON
  std::optional<std::int32_t> exit_code;
  Time finished_at{};  // when `terminated`, by the node's clock; zero: not said
  static void fields(auto& self, auto& field) {
    field.unmapped(self.name, self.init, self.sidecar, self.ready, self.state, self.reason, self.message,
                   self.exit_code, self.finished_at);
  }
  bool operator==(const ContainerStatus&) const = default;
};

struct PodCondition {
  Text type, status, reason, message;
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("status", self.status);
    field("reason", self.reason);
    field("message", self.message);
  }
  bool operator==(const PodCondition&) const = default;
};

struct Pod {
  ObjectMeta meta;
  Text node_name;                   // spec.nodeName
  StringMap node_selector;          // spec.nodeSelector, while the pod has no node
  List<Text> tolerated_taints;      // keys of spec.tolerations, while the pod has no node; empty: every taint
  List<Text> container_names;       // spec.containers
  List<Text> init_container_names;  // spec.initContainers
  StringMap resource_requests;      // summed per resource over containers as written when there is one container that
                                    // asks, integers only (GPUs and slices)
  List<Text> claim_names;           // spec.volumes[].persistentVolumeClaim.claimName
  std::optional<std::int64_t> termination_grace_period_seconds;
  PodPhase phase = PodPhase::Unknown;
  Text reason;   // status.reason: "Evicted", "NodeShutdown", "Terminated", "OutOfcpu"
  Text message;  // status.message
  List<PodCondition> conditions;
  List<ContainerStatus> container_statuses;  // init containers first

  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
  [[nodiscard]] bool ready() const;  // condition Ready is True
  // Every container of the spec has a status and each status is `terminated`: the kubelet's report that nothing runs.
  [[nodiscard]] bool all_containers_terminated() const;
  [[nodiscard]] const ContainerStatus* container(std::string_view name) const;
  // The kubelet's admission rejected the pod, and its status shows no container that was ever started: phase Failed,
  // one of the admission's reasons and its message (pod_admission.cc). A kubelet that restarts admits its running pods
  // again: a caller that has seen one of this pod's containers run must not take this for its end.
  [[nodiscard]] bool rejected_by_kubelet() const;
  // A container's status that is more than Waiting.
  [[nodiscard]] bool any_container_started() const;

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.node_name, self.node_selector, self.tolerated_taints, self.container_names,
                   self.init_container_names, self.resource_requests, self.claim_names,
                   self.termination_grace_period_seconds, self.phase, self.reason, self.message, self.conditions,
                   self.container_statuses);
  }
};

template <>
struct KindOf<Pod> {
  static constexpr KindInfo info() { return {"", "v1", "Pod", "pods", true}; }
  [[nodiscard]] static std::expected<Pod, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Pod, DecodeError> decode_protobuf(std::string_view bytes);
};

}  // namespace reprise::kube
