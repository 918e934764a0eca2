// Explains a pod that has a node and is not ready, by its kubelet's reports.
#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/phases/pod_findings.h"

namespace reprise::plugin::why {
namespace {

struct WaitingReason {
  std::string_view reason;
  Cause cause;
};
constexpr WaitingReason kWaiting[] = {
    {"ErrImagePull", Cause::ImagePullFailed},
    {"ImagePullBackOff", Cause::ImagePullFailed},
    {"ErrImageNeverPull", Cause::ImagePullFailed},
    {"InvalidImageName", Cause::ImagePullFailed},
    {"ImageInspectError", Cause::ImagePullFailed},
    {"RegistryUnavailable", Cause::ImagePullFailed},
    {"SignatureValidationFailed", Cause::ImagePullFailed},
    {"CreateContainerConfigError", Cause::ConfigMissing},
    {"CreateContainerError", Cause::ContainerNotCreated},
    {"RunContainerError", Cause::ContainerNotCreated},
    {"PreStartHookError", Cause::ContainerNotCreated},
    {"PostStartHookError", Cause::ContainerNotCreated},
    {"CrashLoopBackOff", Cause::InitContainerFailed},  // a sidecar: no other container is started again in its pod
};

std::optional<Finding> node_not_ready(const Inquiry& inquiry, const Pod& pod) {
  const Node* node = node_of(inquiry, pod.node_name);
  if (node == nullptr) return std::nullopt;
  const Condition* ready = find(node->conditions, "Ready");
  if (ready == nullptr || ready->status == "True") return std::nullopt;
  return Finding{.cause = Cause::NodeNotReady,
                 .object = ref("Node", node->meta),
                 .found = ready->reason + ": " + ready->message,
                 .to_do = {describe(ref("Node", node->meta))}};
}

std::string pull_secret(const Pod& pod) {
  return "kubectl get events -n " + pod.meta.namespace_ + " --field-selector involvedObject.name=" + pod.meta.name;
}

std::vector<std::string> at_container(const Pod& pod, const Container& container, Cause cause) {
  if (cause == Cause::ImagePullFailed) {
    return {"correct the image of container " + container.name +
                " in spec.template, or name a pull secret in spec.template.spec.imagePullSecrets",
            pull_secret(pod)};
  }
  if (cause == Cause::ConfigMissing) return {"kubectl get configmaps,secrets -n " + pod.meta.namespace_};
  if (cause == Cause::InitContainerFailed) {
    return {"kubectl logs " + pod.meta.name + " -n " + pod.meta.namespace_ + " -c " + container.name + " --previous"};
  }
  return {describe(ref("Pod", pod.meta))};
}

std::optional<Finding> waiting_container(const Pod& pod) {
  for (const Container& container : pod.containers) {
    if (container.state != ContainerState::Waiting) continue;
    for (const WaitingReason& known : kWaiting) {
      if (container.reason != known.reason) continue;
      const bool agent =
          container.init && known.cause == Cause::ImagePullFailed && container.name.starts_with("reprise-");
      Finding finding{.cause = known.cause,
                      .object = ref("Pod", pod.meta),
                      .found = "container " + container.name + ": " + container.reason + ": " + container.message,
                      .to_do = at_container(pod, container, known.cause)};
      if (agent)
        finding.to_do.front() = "correct the agent's image in the chart's values (agent.image), or its pull secret";
      return finding;
    }
  }
  return std::nullopt;
}

// Looks at Events: before any container is created there is nothing else.
std::optional<Finding> told_by_event(const Inquiry& inquiry, const Pod& pod) {
  const ObjectRef object = ref("Pod", pod.meta);
  const Event* event = newest_event(inquiry, object,
                                    {"FailedAttachVolume", "FailedMount", "FailedMapVolume", "FailedCreatePodSandBox",
                                     "NetworkNotReady", "FailedPrepareDynamicResources"});
  if (event == nullptr) return std::nullopt;
  const std::string found = event->reason + ": " + event->message;
  const bool config =
      event->message.find("configmap \"") != std::string::npos || event->message.find("secret \"") != std::string::npos;
  if (event->reason == "FailedAttachVolume" && event->message.find("Multi-Attach") != std::string::npos) {
    return Finding{.cause = Cause::VolumeAttachedElsewhere,
                   .object = object,
                   .found = found,
                   .to_do = {"kubectl get volumeattachments", describe(object)}};
  }
  if (event->reason == "FailedMount" && config && event->message.find("not found") != std::string::npos) {
    return Finding{.cause = Cause::ConfigMissing,
                   .object = object,
                   .found = found,
                   .to_do = {"kubectl get configmaps,secrets -n " + pod.meta.namespace_}};
  }
  const bool volume = event->reason.find("Volume") != std::string::npos || event->reason == "FailedMount";
  return Finding{.cause = volume ? Cause::VolumeNotMounted : Cause::SandboxNotCreated,
                 .object = object,
                 .found = found,
                 .to_do = {describe(object), "kubectl describe node " + pod.node_name}};
}

bool runs(const Pod& pod) {
  for (const Container& container : pod.containers) {
    if (!container.init && container.state == ContainerState::Running) return true;
  }
  return false;
}

}  // namespace

std::optional<Finding> why_pod_does_not_start(const Inquiry& inquiry, const Pod& pod) {
  if (pod.node_name.empty() || pod.phase == "Succeeded") return std::nullopt;
  if (auto finding = node_not_ready(inquiry, pod)) return finding;
  if (auto finding = waiting_container(pod)) return finding;
  const ObjectRef object = ref("Pod", pod.meta);
  if (runs(pod)) {
    const Event* unhealthy = newest_event(inquiry, object, {"Unhealthy"});
    if (unhealthy != nullptr) {
      return Finding{.cause = Cause::ReadinessProbeFails,
                     .object = object,
                     .found = unhealthy->message,
                     .to_do = {describe(object), "kubectl logs " + pod.meta.name + " -n " + pod.meta.namespace_}};
    }
  } else if (auto finding = told_by_event(inquiry, pod)) {
    return finding;
  }
  const Event* last = newest_event(inquiry, object, {});
  return Finding{.cause = Cause::ContainersStarting,
                 .object = object,
                 .found = last == nullptr ? "its containers are being started on node " + pod.node_name
                                          : last->reason + ": " + last->message,
                 .to_do = {describe(object)}};
}

}  // namespace reprise::plugin::why
