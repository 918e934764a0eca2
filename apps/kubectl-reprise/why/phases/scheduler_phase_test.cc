#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/reading/karpenter_message.h"
#include "apps/kubectl-reprise/why/reading/scheduler_message.h"
#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kWaitingPod = "Pod vision/finetune-1-1";
const std::string kPendingClaim = "PersistentVolumeClaim vision/finetune-checkpoints";
const std::string kUnbound =
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found. preemption: 0/3 nodes are "
    "available: 3 Preemption is not helpful for scheduling.";
const std::string kNoFreeGpu =
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu. no new claims to "
    "deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption "
    "victims found for incoming pod.";
const std::string kOwnNodes =
    "{kind: ResumableJob, metadata: {name: finetune, namespace: vision, uid: job-1, generation: 1}, spec: "
    "{parallelism: "
    "2}, status: {observedGeneration: 1, attempt: 1, conditions: [" +
    condition("PodsReady", "False", "WaitForStart", "1 of 2 pods are not ready") + "]}}";

const std::string kTaintedNodePool =
    "{kind: NodePool, metadata: {name: t4-spot}, spec: {template: {spec: {taints: [{key: example.com/team, value: "
    "other, "
    "effect: NoSchedule}]}}}, status: {conditions: [" +
    condition("Ready", "True", "Ready", "") + "]}}";

std::string karpenter_says(const std::string& why) {
  return event("Pod", "finetune-1-1", "FailedScheduling", "Failed to schedule pod, " + why, "karpenter");
}

// A job without a pool: the nodes that exist are all there will be.
Row own_nodes(std::string sentence, const std::string& message, Cause cause, std::string to_do) {
  return {std::move(sentence), {kOwnNodes, unscheduled(message)}, cause, kWaitingPod, message, std::move(to_do),
          {"GpuPool"}};
}

Row refused(std::string sentence, const std::string& why, Cause cause, std::string to_do) {
  return {std::move(sentence),
          {unscheduled(kNoFreeGpu), karpenter_says(why)},
          cause,
          kWaitingPod,
          why,
          std::move(to_do),
          {}};
}

Row pending(std::string sentence, std::string claim, std::vector<std::string> more, Cause cause, std::string found,
            std::vector<std::string> without = {}) {
  more.push_back(std::move(claim));
  more.push_back(unscheduled(kUnbound));
  return {std::move(sentence),    std::move(more),   cause, kPendingClaim, std::move(found),
          "kubectl describe pvc", std::move(without)};
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one row per cause
std::vector<Row> rows_about_scheduling() {
  return {
      {"the claim is not there",
       {unscheduled("0/3 nodes are available: persistentvolumeclaim \"finetune-checkpoints\" "
                    "not found.")},
       Cause::ClaimMissing,
       kPendingClaim,
       "does not exist",
       "kubectl get pvc -n vision",
       {"PersistentVolumeClaim"}},
      pending("the claim is being deleted",
              claim("storageClassName: standard", "Bound", "deletionTimestamp: \"2026-11-23T11:30:00Z\""), {},
              Cause::ClaimBeingDeleted, "is being deleted"),
      pending("the volume is gone", claim("storageClassName: standard, volumeName: pv-1", "Lost"), {},
              Cause::VolumeGone, "pv-1 is gone"),
      pending("no class is named and none is the default", claim("volumeMode: Filesystem", "Pending"),
              {event("PersistentVolumeClaim", "finetune-checkpoints", "FailedBinding",
                     "no persistent volumes available for this claim and no storage class is set",
                     "persistentvolume-controller")},
              Cause::NoStorageClass, "no persistent volumes available"),
      pending("the class is not there", claim("storageClassName: fast", "Pending"),
              {event("PersistentVolumeClaim", "finetune-checkpoints", "ProvisioningFailed",
                     "storageclass.storage.k8s.io \"fast\" not found", "persistentvolume-controller")},
              Cause::StorageClassMissing, "there is no StorageClass fast"),
      pending("the driver cannot make the volume", claim("storageClassName: standard", "Pending"),
              {event("PersistentVolumeClaim", "finetune-checkpoints", "ProvisioningFailed",
                     "rpc error: code = ResourceExhausted desc = volume quota", "ebs.csi.aws.com")},
              Cause::ProvisioningFailed, "volume quota"),
      pending("the driver says nothing", claim("storageClassName: standard", "Pending"), {}, Cause::ClaimPending,
              "not bound"),
      {"no scheduler looks at the pod",
       {pod("phase: Pending", "schedulerName: volcano", "creationTimestamp: \"2026-11-23T11:50:00Z\"")},
       Cause::SchedulerSilent,
       kWaitingPod,
       "schedulerName is volcano",
       "kubectl get pods -n kube-system",
       {}},
      {"the pod is gated",
       {pod("phase: Pending, conditions: [" +
                condition("PodScheduled", "False", "SchedulingGated", "Scheduling is blocked due to non-empty gates") +
                "]",
            "schedulerName: default-scheduler")},
       Cause::SchedulingGated,
       kWaitingPod,
       "non-empty",
       "kubectl describe pod",
       {}},
      {"another pod uses the claim alone",
       {unscheduled("0/3 nodes are available: 3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
                    "access mode already in-use by another pod.")},
       Cause::ClaimHeldByPod,
       kWaitingPod,
       "ReadWriteOncePod",
       "end the other pod",
       {}},
      {"the volume lies in another zone, in the scheduler's words",
       {unscheduled("0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had volume node affinity "
                    "conflict.")},
       Cause::VolumeInAnotherZone,
       kWaitingPod,
       "volume node affinity conflict",
       "kubectl get pv",
       {}},
      refused("the volume lies in another zone, in Karpenter's words", "incompatible volume requirements, key x",
              Cause::VolumeInAnotherZone, "kubectl get pv"),
      {"Karpenter looked before the claim was bound, and has not spoken since",
       {unscheduled(kNoFreeGpu, "2026-11-23T11:59:30Z"),
        karpenter_says("failed to validate pvc, pvc with immediate volume binding mode must be bound "
                       "(PersistentVolumeClaim=vision/finetune-checkpoints, StorageClass=standard)")},
       Cause::WaitsForNode,
       kWaitingPod,
       "Insufficient nvidia.com/gpu",
       "kubectl describe pod",
       {}},
      refused("Karpenter can rent no node with such labels",
              "incompatible requirements, key example.com/rack, example.com/rack In [r7] not in ",
              Cause::NodeSelectorMatchesNone, "spec.requirements of the pool"),
      {"the pool's nodes have a taint that the pod does not tolerate",
       {unscheduled(kNoFreeGpu), kTaintedNodePool,
        karpenter_says("did not tolerate taint (taint=example.com/team=other:NoSchedule)")},
       Cause::TaintNotTolerated,
       kWaitingPod,
       "example.com/team=other",
       "spec.template.spec.tolerations",
       {}},
      refused("a spread cannot be met", "unsatisfiable topology constraint for topology spread, key=zone",
              Cause::AffinityNotMet, "topologySpreadConstraints"),
      own_nodes("no own node has such labels",
                "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes "
                "are available: 3 Preemption is not helpful for scheduling.",
                Cause::NodeSelectorMatchesNone, "kubectl get nodes --show-labels"),
      own_nodes("own nodes are tainted", "0/3 nodes are available: 3 node(s) had untolerated taint(s).",
                Cause::TaintNotTolerated, "tolerations"),
      own_nodes("own nodes are cordoned", "0/3 nodes are available: 3 node(s) were unschedulable.",
                Cause::NodesCordoned, "kubectl uncordon"),
      own_nodes("own nodes are full", kNoFreeGpu, Cause::NoRoom, "name a GpuPool"),
      own_nodes("own nodes have too many volumes", "0/3 nodes are available: 3 node(s) exceed max volume count.",
                Cause::TooManyVolumes, "larger nodes"),
      own_nodes("anti-affinity keeps it from every own node",
                "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", Cause::AffinityNotMet,
                "loosen affinity"),
      {"a node of the pool is asked for",
       {unscheduled(kNoFreeGpu, "2026-11-23T11:59:30Z")},
       Cause::WaitsForNode,
       kWaitingPod,
       "Insufficient nvidia.com/gpu",
       "kubectl describe pod",
       {}},
  };
}

TEST(SchedulerPhase, names_what_scheduler_and_karpenter_say) {
  expect_all(rows_about_scheduling());
}

TEST(SchedulerPhase, a_claim_that_waits_for_its_pod_does_not_block) {
  const Explanation explanation = explain_at_noon(
      world({unscheduled(kNoFreeGpu, "2026-11-23T11:59:30Z"), claim("storageClassName: standard", "Pending")}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::WaitsForNode);
}

TEST(SchedulerMessage, what_it_says_of_preemption_is_no_complaint) {
  EXPECT_EQ(read_complaints(kNoFreeGpu), (std::vector{Complaint::Taint, Complaint::Insufficient}));
  EXPECT_EQ(read_complaints(kUnbound), std::vector{Complaint::ClaimUnbound});
}

TEST(KarpenterMessage, the_reason_of_an_own_node_pool_goes_before_those_of_others) {
  const std::string message =
      "Failed to schedule pod, did not tolerate taint (taint=team=web:NoSchedule); all available instance types exceed "
      "limits for nodepool (NodePool=t4-spot); incompatible requirements, key karpenter.sh/capacity-type";
  const auto of = [](std::string_view own_name) {
    return OwnNodePools{.has_name = [own_name](std::string_view name) { return name == own_name; },
                        .bears = [](std::string_view) { return false; },
                        .has_taint = [](std::string_view) { return true; }};
  };
  const Refusal own = read_refusal(message, of("t4-spot"));
  EXPECT_EQ(own.why, RefusedFor::Limit);
  EXPECT_EQ(own.node_pool, "t4-spot");
  EXPECT_EQ(own.message, "all available instance types exceed limits for nodepool (NodePool=t4-spot)");
  const Refusal of_others = read_refusal(message, of(""));
  EXPECT_EQ(of_others.why, RefusedFor::Requirements);
}

}  // namespace reprise::plugin::why::testing
