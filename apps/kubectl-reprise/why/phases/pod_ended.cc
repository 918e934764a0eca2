// A pod that has failed, or should have ended.
#include <fmt/format.h>

#include <algorithm>

#include "api/pod_builder.h"
#include "api/training_container.h"
#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/phases/pod_findings.h"
#include "controllers/interruption/own_disk.h"

namespace reprise::plugin::why {
namespace {

constexpr std::chrono::seconds kEnding{60};  // beyond the grace

bool is_rejection(std::string_view reason) {
  return reason.starts_with("OutOf") || reason == "UnexpectedAdmissionError" || reason == "NodeAffinity" ||
         reason == "NodePorts" || reason == "TopologyAffinityError" || reason == "Terminated";
}

std::string log_of(const Pod& pod, const Container& container) {
  return "kubectl logs " + pod.meta.name + " -n " + pod.meta.namespace_ + " -c " + container.name;
}

std::optional<Finding> of_containers(const Pod& pod) {
  const ObjectRef object = ref("Pod", pod.meta);
  for (const Container& container : pod.containers) {
    if (container.state != ContainerState::Terminated || container.exit_code == 0) continue;
    const std::string found = fmt::format(
        "{} {} ended with exit code {} ({}){}{}", container.init ? "init container" : "container", container.name,
        container.exit_code, container.reason, container.message.empty() ? "" : ": ", container.message);
    Cause cause = container.init ? Cause::InitContainerFailed : Cause::TrainerFailed;
    if (container.name == api::kAgentInstallContainer) cause = Cause::AgentInstallFailed;
    if (container.reason == "StartError" || container.reason == "ContainerCannotRun")
      cause = Cause::ContainerNotCreated;
    if (container.reason == "OOMKilled") {
      return Finding{.cause = Cause::OutOfMemory,
                     .object = object,
                     .found = found,
                     .to_do = {"raise resources.limits.memory of container " + container.name + " in spec.template",
                               log_of(pod, container)}};
    }
    return Finding{.cause = cause, .object = object, .found = found, .to_do = {log_of(pod, container)}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> why_pod_failed(const Inquiry&, const Pod& pod) {
  if (pod.phase != "Failed") return std::nullopt;
  const ObjectRef object = ref("Pod", pod.meta);
  const ObjectRef node{.kind = "Node", .namespace_ = {}, .name = pod.node_name};
  const std::string said = pod.reason + ": " + pod.message;
  if (is_rejection(pod.reason)) {
    return Finding{.cause = Cause::PodRejected, .object = object, .found = said, .to_do = {describe(node)}};
  }
  const Condition* target = with_status(pod.conditions, "DisruptionTarget", "True");
  if (target != nullptr && target->reason == "PreemptionByScheduler") {
    return Finding{.cause = Cause::Preempted, .object = object, .found = target->message, .to_do = {describe(node)}};
  }
  if (pod.reason == "Evicted") {
    const bool own = controllers::interruption::tells_of_own_limit(pod.message);
    return Finding{
        .cause = Cause::Evicted,
        .object = object,
        .found = said,
        .to_do = {own ? "raise that limit in spec.template, or write checkpoints below spec.checkpoint.path and "
                        "caches nowhere"
                      : "request what the trainer needs in spec.template (memory, ephemeral-storage)",
                  own ? describe(object) : describe(node)}};
  }
  return of_containers(pod);
}

std::optional<Finding> why_pod_does_not_end(const Inquiry& inquiry, const Pod& pod) {
  if (!pod.meta.deleted || pod.phase == "Failed" || pod.phase == "Succeeded") return std::nullopt;
  const ObjectRef object = ref("Pod", pod.meta);
  if (inquiry.since(*pod.meta.deleted) <= kEnding) {
    return Finding{.cause = Cause::Recovering,
                   .object = object,
                   .found = "it saves and ends until " + kube::format_time(*pod.meta.deleted),
                   .to_do = {describe(object)}};
  }
  return Finding{
      .cause = Cause::PodNotEnding,
      .object = object,
      .found = "it should have ended at " + kube::format_time(*pod.meta.deleted) + " on node " + pod.node_name,
      .to_do = {"kubectl describe node " + pod.node_name, describe(object)}};
}

std::optional<Finding> why_its_gpu_is_held(const Inquiry&, const Pod& pod) {
  const auto trainer = pod.meta.annotations.find(api::kTrainerAnnotation);
  if (pod.meta.deleted || pod.phase != "Running" || trainer == pod.meta.annotations.end()) return std::nullopt;
  const bool has_finished = std::ranges::any_of(pod.containers, [&](const Container& each) {
    return each.name == trainer->second && each.state == ContainerState::Terminated && each.exit_code == 0;
  });
  const auto holds = std::ranges::find_if(
      pod.containers, [](const Container& each) { return !each.init && each.state == ContainerState::Running; });
  if (!has_finished || holds == pod.containers.end()) return std::nullopt;
  return Finding{.cause = Cause::GpuHeld,
                 .object = ref("Pod", pod.meta),
                 .found = fmt::format("container {} has finished, and container {} runs", trainer->second, holds->name),
                 .to_do = {"let container " + holds->name +
                               " end when the trainer does, or make it an init container with restartPolicy Always",
                           log_of(pod, *holds)}};
}

}  // namespace reprise::plugin::why
