#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kStartingPod = "Pod vision/finetune-1-1";
const std::string kCreating = waiting_container("ContainerCreating", "");

Row kubelet(std::string sentence, std::vector<std::string> objects, Cause cause, std::string found, std::string to_do) {
  return {std::move(sentence), std::move(objects), cause, kStartingPod, std::move(found), std::move(to_do), {}};
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one row per cause
std::vector<Row> rows_about_pods() {
  return {
      kubelet("an image is not there", {pod(waiting_container("ImagePullBackOff", "Back-off pulling image \"x:1\""))},
              Cause::ImagePullFailed, "container trainer: ImagePullBackOff: Back-off pulling image \"x:1\"",
              "imagePullSecrets"),
      kubelet("the first pull has failed", {pod(waiting_container("ErrImagePull", "401 Unauthorized"))},
              Cause::ImagePullFailed, "401 Unauthorized", "kubectl get events -n vision"),
      kubelet("a secret is missing",
              {pod(waiting_container("CreateContainerConfigError", "secret \"wandb\" not found"))},
              Cause::ConfigMissing, "secret \"wandb\" not found", "kubectl get configmaps,secrets -n vision"),
      kubelet("a mounted config map is missing",
              {pod(kCreating), event("Pod", "finetune-1-1", "FailedMount",
                                     "MountVolume.SetUp failed for volume \"c\" : configmap \"c\" not found")},
              Cause::ConfigMissing, "configmap \"c\" not found", "kubectl get configmaps,secrets -n vision"),
      kubelet("the command is not in the image",
              {pod(ended_container("containerStatuses", "trainer", 128, "StartError"))}, Cause::ContainerNotCreated,
              "exit code 128 (StartError)", "kubectl logs finetune-1-1 -n vision -c trainer"),
      kubelet("the runtime cannot create a container",
              {pod(waiting_container("CreateContainerError", "failed to generate spec"))}, Cause::ContainerNotCreated,
              "failed to generate spec", "kubectl describe pod finetune-1-1 -n vision"),
      kubelet("the agent's init container failed",
              {pod(ended_container("initContainerStatuses", "reprise-agent-install", 1, "Error"))},
              Cause::AgentInstallFailed, "exit code 1", "-c reprise-agent-install"),
      kubelet("an init container of the template failed",
              {pod(ended_container("initContainerStatuses", "fetch-data", 3, "Error"))}, Cause::InitContainerFailed,
              "init container fetch-data ended with exit code 3", "-c fetch-data"),
      kubelet("the trainer ran out of memory", {pod(ended_container("containerStatuses", "trainer", 137, "OOMKilled"))},
              Cause::OutOfMemory, "OOMKilled", "resources.limits.memory of container trainer"),
      kubelet("the trainer failed", {pod(ended_container("containerStatuses", "trainer", 1, "Error"))},
              Cause::TrainerFailed, "container trainer ended with exit code 1", "kubectl logs finetune-1-1"),
      kubelet(
          "a kubelet does not admit the pod",
          {pod("phase: Failed, reason: UnexpectedAdmissionError, message: \"Allocate failed: no healthy devices\"")},
          Cause::PodRejected, "no healthy devices", "kubectl describe node gpu-1"),
      {"the last attempt's pods were not admitted",
       {job(condition("PodsReady", "False", "WaitForRecovery", "attempt 1 has ended"),
            "lastEnd: {reason: PodRejected, message: the kubelet of node gpu-1 did not admit pod finetune-1-0}")},
       Cause::PodRejected,
       "ResumableJob vision/finetune",
       "did not admit",
       "kubectl describe resumablejob",
       {"Pod"}},
      {"the last attempt's trainer hung",
       {job(condition("PodsReady", "False", "WaitForRecovery", "attempt 1 has ended"),
            "lastEnd: {reason: TrainerHung, message: no newer step and no newer checkpoint for 600 s}")},
       Cause::TrainerHung,
       "ResumableJob vision/finetune",
       "for 600 s",
       "kubectl describe resumablejob",
       {"Pod"}},
      kubelet("a node under pressure evicted the pod",
              {pod("phase: Failed, reason: Evicted, message: \"The node was low on resource: ephemeral-storage.\"")},
              Cause::Evicted, "ephemeral-storage", "request what the trainer needs"),
      kubelet(
          "a pod overfilled its own disk",
          {pod("phase: Failed, reason: Evicted, message: \"Usage of EmptyDir volume \\\"cache\\\" exceeds the limit "
               "\\\"1Gi\\\". \"")},
          Cause::Evicted, "EmptyDir volume", "raise that limit in spec.template"),
      kubelet("a proxy runs on beside a trainer that has finished",
              {pod("phase: Running, containerStatuses: [{name: trainer, state: {terminated: {exitCode: 0, reason: "
                   "Completed}}}, {name: proxy, ready: true, state: {running: {}}}]",
                   "nodeName: gpu-1", "annotations: {reprise.dev/trainer: trainer}")},
              Cause::GpuHeld, "container proxy runs", "kubectl logs finetune-1-1 -n vision -c proxy"),
      kubelet("a pod of higher priority took the node",
              {pod("phase: Failed, conditions: [" +
                   condition("DisruptionTarget", "True", "PreemptionByScheduler", "preempting to accommodate another") +
                   "]")},
              Cause::Preempted, "preempting", "kubectl describe node gpu-1"),
      kubelet(
          "the volume is attached to another node",
          {pod(kCreating), event("Pod", "finetune-1-1", "FailedAttachVolume",
                                 "Multi-Attach error for volume \"pvc-1\" Volume is already exclusively attached to "
                                 "one node and can't be attached to another",
                                 "attachdetach-controller")},
          Cause::VolumeAttachedElsewhere, "Multi-Attach", "kubectl get volumeattachments"),
      kubelet("a volume cannot be mounted",
              {pod(kCreating), event("Pod", "finetune-1-1", "FailedMount",
                                     "MountVolume.MountDevice failed for volume \"pvc-1\": rpc error")},
              Cause::VolumeNotMounted, "rpc error", "kubectl describe node gpu-1"),
      kubelet("the network plugin fails",
              {pod(kCreating), event("Pod", "finetune-1-1", "FailedCreatePodSandBox",
                                     "Failed to create pod sandbox: plugin type=\"calico\" failed")},
              Cause::SandboxNotCreated, "calico", "kubectl describe pod finetune-1-1"),
      {"the pod's node is not ready",
       {pod(kCreating), "{kind: Node, metadata: {name: gpu-1}, status: {conditions: [" +
                            condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting") + "]}}"},
       Cause::NodeNotReady,
       "Node gpu-1",
       "Kubelet stopped posting",
       "kubectl describe node gpu-1",
       {}},
      kubelet("a readiness probe fails",
              {pod("phase: Running, containerStatuses: [{name: trainer, state: {running: {}}}]"),
               event("Pod", "finetune-1-1", "Unhealthy", "Readiness probe failed: connection refused")},
              Cause::ReadinessProbeFails, "connection refused", "kubectl logs finetune-1-1 -n vision"),
      kubelet("images are being pulled",
              {pod(kCreating), event("Pod", "finetune-1-1", "Pulling", "Pulling image \"x:1\"")},
              Cause::ContainersStarting, "Pulling image", "kubectl describe pod"),
      kubelet("a pod is long past its grace",
              {pod("phase: Running", "nodeName: gpu-1", "deletionTimestamp: \"2026-11-23T11:30:00Z\"")},
              Cause::PodNotEnding, "should have ended at 2026-11-23T11:30:00Z", "kubectl describe node gpu-1"),
      kubelet("a pod saves and ends",
              {pod("phase: Running", "nodeName: gpu-1", "deletionTimestamp: \"2026-11-23T12:01:00Z\"")},
              Cause::Recovering, "until 2026-11-23T12:01:00Z", "kubectl describe pod"),
      {"pods are about to be made",
       {waiting("WaitForStart", "the checkpoint claim is being made")},
       Cause::PodsNotMade,
       "ResumableJob vision/finetune",
       "is being made",
       "kubectl describe resumablejob",
       {"Pod"}},
  };
}

TEST(PodPhase, names_what_the_kubelet_says) {
  expect_all(rows_about_pods());
}

TEST(PodPhase, pods_of_other_attempts_and_other_jobs_are_not_looked_at) {
  const Explanation explanation = explain_at_noon(world(
      {running(),
       "{kind: Pod, metadata: {name: finetune-0-1, labels: {reprise.dev/job-uid: job-1, reprise.dev/attempt: \"0\"}}, "
       "status: {phase: Failed}}",
       "{kind: Pod, metadata: {name: other-1-0, labels: {reprise.dev/job-uid: job-2, reprise.dev/attempt: \"1\"}}, "
       "status: {phase: Failed}}"}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(PodPhase, an_old_event_is_no_news) {
  const Explanation explanation = explain_at_noon(world(
      {pod(kCreating), event("Pod", "finetune-1-1", "FailedMount", "rpc error", "kubelet", "2026-11-23T11:40:00Z")}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::ContainersStarting);
}

}  // namespace reprise::plugin::why::testing
