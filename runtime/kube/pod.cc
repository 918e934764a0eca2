#include "runtime/kube/pod.h"

#include <algorithm>

#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/pod_parts.h"

namespace reprise::kube {

namespace {

ContainerStatus read_container_status(const internal::Field& field, bool init) {
  ContainerStatus out;
  out.name = field["name"].view().value_or("");
  out.init = init;
  out.ready = field["ready"].boolean().value_or(false);
  const internal::Field terminated = field["state"]["terminated"];
  const internal::Field running = field["state"]["running"];
  if (terminated.present()) {
    out.state = ContainerStateKind::Terminated;
    out.reason = terminated["reason"].view().value_or("");
    out.message = terminated["message"].view().value_or("");
    out.exit_code = terminated["exitCode"].int32().value_or(0);
    out.finished_at = terminated["finishedAt"].time().value_or(Time{});
  } else if (running.present()) {
    out.state = ContainerStateKind::Running;
  } else {
    out.reason = field["state"]["waiting"]["reason"].view().value_or("");
  }
  return out;
}

std::vector<std::string_view> names(const internal::Field& containers) {
  return containers.list([](const internal::Field& one) { return one["name"].view().value_or(""); });
}

std::vector<std::string> sidecar_names(const internal::Field& init_containers) {
  auto names = init_containers.list([](const internal::Field& one) {
    return std::string(one["restartPolicy"].view() == "Always" ? one["name"].view().value_or("") : "");
  });
  std::erase(names, "");
  return names;
}

StringMap sum_devices(const internal::Field& containers) {
  internal::DeviceSum sum;
  static_cast<void>(containers.list([&](const internal::Field& one) {
    for (const auto& [resource, quantity] : one["resources"]["requests"].quantity_map()) sum.add(resource, quantity);
    return true;
  }));
  return sum.result();
}

std::vector<std::string_view> claim_names(const internal::Field& volumes) {
  auto names = volumes.list(
      [](const internal::Field& one) { return one["persistentVolumeClaim"]["claimName"].view().value_or(""); });
  std::erase(names, "");
  return names;
}

Pod read_pod(const internal::Field& object) {
  const internal::Field spec = object["spec"];
  const internal::Field status = object["status"];
  Pod pod;
  pod.meta = internal::read_meta(object);
  pod.node_name = spec["nodeName"].view().value_or("");
  if (pod.node_name.empty()) {
    pod.node_selector = spec["nodeSelector"].string_map();
    pod.tolerated_taints =
        spec["tolerations"].list([](const internal::Field& one) { return one["key"].view().value_or(""); });
  }
  pod.container_names = names(spec["containers"]);
  pod.init_container_names = names(spec["initContainers"]);
  pod.resource_requests = sum_devices(spec["containers"]);
  pod.claim_names = claim_names(spec["volumes"]);
  pod.termination_grace_period_seconds = spec["terminationGracePeriodSeconds"].int64();
  pod.phase = internal::phase_of(status["phase"].view().value_or(""));
  pod.reason = status["reason"].view().value_or("");
  pod.message = status["message"].view().value_or("");
  pod.conditions = status["conditions"].list(internal::In::read<PodCondition>);
  auto statuses =
      status["initContainerStatuses"].list([](const internal::Field& one) { return read_container_status(one, true); });
  std::ranges::move(
      status["containerStatuses"].list([](const internal::Field& one) { return read_container_status(one, false); }),
      std::back_inserter(statuses));
  pod.container_statuses = std::move(statuses);
  internal::mark_sidecars(pod, sidecar_names(spec["initContainers"]));
  return pod;
}

}  // namespace

const PodCondition* Pod::condition(std::string_view type) const {
  return internal::find_condition(conditions, type);
}

bool Pod::ready() const {
  const PodCondition* const found = condition("Ready");
  return found != nullptr && found->status == "True";
}

bool Pod::all_containers_terminated() const {
  const auto terminated = [this](std::string_view container_name) {
    const ContainerStatus* const status = container(container_name);
    return status != nullptr && status->state == ContainerStateKind::Terminated;
  };
  return !container_names.empty() && std::ranges::all_of(container_names, terminated) &&
         std::ranges::all_of(init_container_names, terminated) &&
         std::ranges::all_of(container_statuses, [](const ContainerStatus& status) {
           return status.state == ContainerStateKind::Terminated;
         });
}

const ContainerStatus* Pod::container(std::string_view name) const {
  const auto found = std::ranges::find(container_statuses, name, &ContainerStatus::name);
  return found == container_statuses.end() ? nullptr : &*found;
}

std::expected<Pod, DecodeError> KindOf<Pod>::decode(std::string_view json) {
  return internal::decode_with(json, read_pod);
}

}  // namespace reprise::kube
