// Pod in the wire format; the numbers are those of k8s.io/api/core/v1.
#include <algorithm>
#include <iterator>

#include "runtime/kube/internal/pod_parts.h"
#include "runtime/kube/internal/protobuf_parts.h"
#include "runtime/kube/pod.h"

namespace reprise::kube {

using protobuf::Message;

namespace {

Text read_name(const Message& list, std::uint32_t number) {
  Text name;
  for (Message field = list.message(); field.next();) {
    if (field.field() == number) field.text(name);
  }
  return name;
}

void read_requests(const Message& container, internal::DeviceSum& sum) {
  for (Message resources = container.message(); resources.next();) {
    if (resources.field() != 2) continue;
    const auto [resource, quantity] = resources.quantity_entry();
    sum.add(resource, quantity);
  }
}

void read_container(const Message& list, List<Text>& names, internal::DeviceSum* sum) {
  Text& name = names.emplace_back();
  for (Message container = list.message(); container.next();) {
    if (container.field() == 1) container.text(name);
    if (container.field() == 8 && sum != nullptr) read_requests(container, *sum);
  }
}

void read_init_container(const Message& list, Pod& pod, std::vector<std::string>& sidecars) {
  read_container(list, pod.init_container_names, nullptr);
  for (Message container = list.message(); container.next();) {
    if (container.field() == 24 && container.bytes() == "Always")  // restartPolicy
      sidecars.emplace_back(std::string_view(pod.init_container_names.back()));
  }
}

void read_volume(const Message& list, List<Text>& claim_names) {
  for (Message volume = list.message(); volume.next();) {
    if (volume.field() != 2) continue;
    for (Message source = volume.message(); source.next();) {
      if (source.field() != 10) continue;  // persistentVolumeClaim
      Text name = read_name(source, 1);
      if (!name.empty()) claim_names.push_back(std::move(name));
    }
  }
}

void read_spec(const Message& object, Pod& pod, std::vector<std::string>& sidecars) {
  internal::DeviceSum devices;
  for (Message spec = object.message(); spec.next();) {
    switch (spec.field()) {
      case 1:
        read_volume(spec, pod.claim_names);
        break;
      case 2:
        read_container(spec, pod.container_names, &devices);
        break;
      case 4:
        pod.termination_grace_period_seconds = spec.int64();
        break;
      case 7:
        spec.entry(pod.node_selector);
        break;
      case 10:
        spec.text(pod.node_name);
        break;
      case 20:
        read_init_container(spec, pod, sidecars);
        break;
      case 22:
        pod.tolerated_taints.push_back(read_name(spec, 1));
        break;
      default:
        break;
    }
  }
  if (!pod.node_name.empty()) {
    pod.node_selector = {};
    pod.tolerated_taints = {};
  }
  pod.resource_requests = devices.result();
}

void read_terminated(const Message& state, ContainerStatus& status) {
  status.state = ContainerStateKind::Terminated;
  status.exit_code = 0;
  for (Message terminated = state.message(); terminated.next();) {
    switch (terminated.field()) {
      case 1:
        status.exit_code = terminated.int32();
        break;
      case 3:
        terminated.text(status.reason);
        break;
      case 4:
        terminated.text(status.message);
        break;
      case 6:
        status.finished_at = terminated.time().value_or(Time{});
        break;
      default:
        break;
    }
  }
}

ContainerStatus read_container_status(const Message& list, bool init) {
  ContainerStatus status;
  status.init = init;
  for (Message field = list.message(); field.next();) {
    if (field.field() == 1) field.text(status.name);
    if (field.field() == 4) status.ready = field.boolean();
    if (field.field() != 2) continue;
    for (Message state = field.message(); state.next();) {
      if (state.field() == 1) status.reason = read_name(state, 1);  // waiting
      if (state.field() == 2) status.state = ContainerStateKind::Running;
      if (state.field() == 3) read_terminated(state, status);
    }
  }
  return status;
}

void read_status(const Message& object, Pod& pod) {
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> init, others;
  for (Message status = object.message(); status.next();) {
    switch (status.field()) {
      case 1:
        pod.phase = internal::phase_of(status.bytes());
        break;
      case 2:
        conditions.push_back(internal::read_condition(status));
        break;
      case 3:
        status.text(pod.message);
        break;
      case 4:
        status.text(pod.reason);
        break;
      case 8:
        others.push_back(read_container_status(status, false));
        break;
      case 10:
        init.push_back(read_container_status(status, true));
        break;
      default:
        break;
    }
  }
  pod.conditions = std::move(conditions);
  std::ranges::move(others, std::back_inserter(init));
  pod.container_statuses = std::move(init);
}

}  // namespace

std::expected<Pod, DecodeError> KindOf<Pod>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Pod>(bytes, [](Message& object, Pod& pod) {
    std::vector<std::string> sidecars;
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, pod.meta);
      if (object.field() == 2) read_spec(object, pod, sidecars);
      if (object.field() == 3) read_status(object, pod);
    }
    internal::mark_sidecars(pod, sidecars);
  });
}

}  // namespace reprise::kube
