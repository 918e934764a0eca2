// Pod, slim: what Reprise decides on.
#pragma once

#include <expected>

#include "api/gpu_pool.h"
#include "api/meta.h"

namespace reprise::api {

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };
enum class ContainerStateKind { Waiting, Running, Terminated };

struct ContainerStatus {
  std::string name;
  bool init = false;  // from initContainerStatuses
  ContainerStateKind state = ContainerStateKind::Waiting;
  std::string reason;   // of the state
  std::string message;  // of `terminated`: the agent's record, JSON
  std::optional<std::int32_t> exit_code;
  std::optional<Time> finished_at;
  bool ready = false;
  bool operator==(const ContainerStatus&) const = default;
};

struct PodCondition {
  std::string type, status, reason, message;
  bool operator==(const PodCondition&) const = default;
};

struct Pod {
  ObjectMeta meta;
  std::string node_name;                          // spec.nodeName
  std::vector<std::string> container_names;       // spec.containers
  std::vector<std::string> init_container_names;  // spec.initContainers
  StringMap node_selector;
  StringMap resource_requests;  // summed per resource over containers as written when there is one container that asks,
                                // integers only (GPUs and slices)
  std::vector<std::string> claim_names;  // spec.volumes[].persistentVolumeClaim.claimName
  std::optional<std::int64_t> termination_grace_period_seconds;
  PodPhase phase = PodPhase::Unknown;
  std::string reason;  // status.reason: "Evicted", "NodeShutdown", "Terminated"
  std::string message;
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> container_statuses;  // init containers first
  std::optional<Time> start_time;

  [[nodiscard]] const PodCondition* condition(std::string_view type) const;
  [[nodiscard]] bool ready() const;  // condition Ready is True
  // Every container of the spec has a status and each status is `terminated`: the kubelet's word that nothing runs.
  [[nodiscard]] bool all_containers_terminated() const;
  [[nodiscard]] const ContainerStatus* container(std::string_view name) const;
};

template <>
struct KindOf<Pod> {
  static constexpr KindInfo info() { return {"", "v1", "Pod", "pods", true}; }
  [[nodiscard]] static std::expected<Pod, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Pod, DecodeError> decode_protobuf(std::string_view bytes);
};

}  // namespace reprise::api
