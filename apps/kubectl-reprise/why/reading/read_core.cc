// Kinds of Kubernetes itself.
#include "apps/kubectl-reprise/why/reading/read_common.h"
#include "apps/kubectl-reprise/why/reading/read_objects.h"

namespace reprise::plugin::why {
namespace {

Container read_container(const boost::json::value& status, bool init) {
  Container container{.name = string_at(status, {"name"}),
                      .init = init,
                      .ready = flag_at(status, {"ready"}),
                      .state = ContainerState::Unknown,
                      .reason = {},
                      .message = {},
                      .exit_code = 0};
  const auto take = [&](ContainerState state, const char* member) {
    const boost::json::value* found = find_at(status, {"state", member});
    if (found == nullptr) return;
    container.state = state;
    container.reason = string_at(*found, {"reason"});
    container.message = string_at(*found, {"message"});
    container.exit_code = number_at(*found, {"exitCode"});
  };
  take(ContainerState::Waiting, "waiting");
  take(ContainerState::Running, "running");
  take(ContainerState::Terminated, "terminated");
  return container;
}

}  // namespace

Pod read_pod(const boost::json::value& object) {
  Pod pod{.meta = read_meta(object),
          .node_name = string_at(object, {"spec", "nodeName"}),
          .scheduler_name = string_at(object, {"spec", "schedulerName"}),
          .phase = string_at(object, {"status", "phase"}),
          .reason = string_at(object, {"status", "reason"}),
          .message = string_at(object, {"status", "message"}),
          .conditions = read_conditions(object),
          .containers = {},
          .claim_names = {}};
  for (const auto& status : items_at(object, {"status", "initContainerStatuses"})) {
    pod.containers.push_back(read_container(status, true));
  }
  for (const auto& status : items_at(object, {"status", "containerStatuses"})) {
    pod.containers.push_back(read_container(status, false));
  }
  for (const auto& volume : items_at(object, {"spec", "volumes"})) {
    std::string claim = string_at(volume, {"persistentVolumeClaim", "claimName"});
    if (!claim.empty()) pod.claim_names.push_back(std::move(claim));
  }
  return pod;
}

Claim read_claim(const boost::json::value& object) {
  Claim claim{.meta = read_meta(object),
              .storage_class = std::nullopt,
              .phase = string_at(object, {"status", "phase"}),
              .volume_name = string_at(object, {"spec", "volumeName"})};
  if (find_at(object, {"spec", "storageClassName"}) != nullptr) {
    claim.storage_class = string_at(object, {"spec", "storageClassName"});
  }
  return claim;
}

StorageClass read_storage_class(const boost::json::value& object) {
  StorageClass found{.meta = read_meta(object), .is_default = false};
  const auto marked = found.meta.annotations.find("storageclass.kubernetes.io/is-default-class");
  found.is_default = marked != found.meta.annotations.end() && marked->second == "true";
  return found;
}

// Written by the old Event API (lastTimestamp, source) or by the new one (eventTime, reportingController, series).
Event read_event(const boost::json::value& object) {
  Event event{.about = {.kind = string_at(object, {"involvedObject", "kind"}),
                        .namespace_ = string_at(object, {"involvedObject", "namespace"}),
                        .name = string_at(object, {"involvedObject", "name"})},
              .reason = string_at(object, {"reason"}),
              .message = string_at(object, {"message"}),
              .source = string_at(object, {"source", "component"}),
              .warning = string_at(object, {"type"}) == "Warning",
              .last = {}};
  if (event.source.empty()) event.source = string_at(object, {"reportingComponent"});
  for (const auto time : {time_at(object, {"series", "lastObservedTime"}), time_at(object, {"lastTimestamp"}),
                          time_at(object, {"eventTime"}), time_at(object, {"metadata", "creationTimestamp"})}) {
    if (time && *time > event.last) event.last = *time;
  }
  return event;
}

Node read_node(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .unschedulable = flag_at(object, {"spec", "unschedulable"}),
          .taints = read_taints(object, {"spec", "taints"}),
          .conditions = read_conditions(object)};
}

Quota read_quota(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .hard = texts_at(object, {"status", "hard"}),
          .used = texts_at(object, {"status", "used"})};
}

}  // namespace reprise::plugin::why
