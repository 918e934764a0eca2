#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNoGpu = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
const std::string kWaits = unscheduled(kNoGpu);
const std::string kOld = "2026-11-23T11:40:00Z", kNew = "2026-11-23T11:58:00Z";
const std::string kLaunched = condition("Launched", "True", "Launched", "");
const std::string kRegistered = kLaunched + ", " + condition("Registered", "True", "Registered", "");

std::string karpenter(const std::string& why) {
  return event("Pod", "finetune-1-1", "FailedScheduling", "Failed to schedule pod, " + why, "karpenter");
}

Row machine(std::string sentence, std::string claim, Cause cause, std::string found, std::string to_do) {
  return {std::move(sentence), {kWaits, std::move(claim)}, cause, "NodeClaim t4-spot-x7k2",
          std::move(found),    std::move(to_do),           {}};
}

Row initializing(std::string sentence, std::string_view reason, std::string_view message, Cause cause,
                 std::string to_do) {
  return machine(std::move(sentence),
                 node_claim(kOld, kRegistered + ", " + condition("Initialized", "Unknown", reason, message)), cause,
                 std::string(message), std::move(to_do));
}

Row source(std::string sentence, std::string node_pool, Cause cause, std::string found, std::string to_do) {
  return {std::move(sentence),
          {kWaits, std::move(node_pool)},
          cause,
          "NodePool t4-spot",
          std::move(found),
          std::move(to_do),
          {}};
}

std::string not_ready(std::string_view type, std::string_view reason, std::string_view message) {
  return node_pool(condition("Ready", "False", "UnhealthyDependents", "it is not") + ", " +
                   condition(type, "False", reason, message));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one row per cause
std::vector<Row> rows_about_machines() {
  return {
      machine(
          "the provider is out of such machines",
          node_claim(kNew, condition("Launched", "Unknown", "InsufficientCapacity", "no g4dn.xlarge in eu-west-1a")),
          Cause::InsufficientCapacity, "no g4dn.xlarge", "kubectl edit gpupool t4"),
      machine("the NodeClaim is gone again, its Event stays",
              event("NodeClaim", "t4-spot-x7k2", "InsufficientCapacityError",
                    "NodeClaim t4-spot-x7k2 event: all requested instance types were unavailable", "karpenter"),
              Cause::InsufficientCapacity, "were unavailable", "wait"),
      {"Karpenter remembers that the provider is out of them",
       {kWaits, karpenter("no instance type has the required offering, requirements=x, resources=y")},
       Cause::InsufficientCapacity,
       "GpuPool t4",
       "required offering",
       "kubectl edit gpupool t4",
       {}},
      machine("the provider does not start the machine",
              node_claim(kNew, condition("Launched", "Unknown", "LaunchFailed", "UnauthorizedOperation")),
              Cause::LaunchFailed, "UnauthorizedOperation", "kubectl describe nodeclaim t4-spot-x7k2"),
      machine(
          "the kubelet does not join",
          node_claim(kOld, kLaunched + ", " +
                               condition("Registered", "Unknown", "NodeNotFound", "Node not registered with cluster")),
          Cause::NodeNotRegistered, "Node not registered", "console"),
      initializing("the device plugin offers nothing", "ResourceNotRegistered",
                   "Resource \"nvidia.com/gpu\" was requested but not registered", Cause::GpuNotRegistered,
                   "kubectl describe node gpu-2"),
      initializing("a startup taint stays", "StartupTaintsExist", "StartupTaint \"cilium:NoSchedule\" still exists",
                   Cause::StartupTaintKept, "kubectl describe node gpu-2"),
      initializing("the new node does not become ready", "NodeNotReady", "Node status is NotReady",
                   Cause::NodeNotInitialized, "kubectl describe node gpu-2"),
      machine(
          "a machine is being started",
          node_claim(kNew, kLaunched + ", " +
                               condition("Registered", "Unknown", "NodeNotFound", "Node not registered with cluster")),
          Cause::NodeStarting, "NodeNotFound", "kubectl describe nodeclaim"),
      {"a NodePool is not there",
       {kWaits},
       Cause::NodePoolMissing,
       "NodePool t4-spot",
       "does not exist",
       "kubectl describe gpupool t4",
       {"NodePool"}},
      source("the node class is not there",
             not_ready("NodeClassReady", "NodeClassNotFound", "NodeClass not found on cluster"),
             Cause::NodeClassNotReady, "EC2NodeClass default: NodeClassNotFound",
             "kubectl describe EC2NodeClass default"),
      source("Karpenter does not take the NodePool",
             not_ready("ValidationSucceeded", "NodePoolValidationFailed", "invalid value: x in requirements"),
             Cause::NodePoolInvalid, "invalid value: x", "kubectl describe nodepool t4-spot"),
      source("Karpenter calls the NodePool not ready, for something else",
             node_pool(condition("Ready", "False", "Other", "of a later release")), Cause::NodePoolNotReady,
             "of a later release", "kubectl describe nodepool t4-spot"),
      {"Karpenter says that the limit is reached",
       {kWaits, node_pool(condition("Ready", "True", "Ready", ""), "4"),
        karpenter("all available instance types exceed limits for nodepool (NodePool=t4-spot)")},
       Cause::NodePoolLimitReached,
       "NodePool t4-spot",
       "nvidia.com/gpu: 4 of 4 are used; all available instance types",
       "raise spec.capacity[].maxGpus",
       {}},
      source("each NodePool is full, and Karpenter has not said so yet",
             node_pool(condition("Ready", "True", "Ready", ""), "4"), Cause::NodePoolLimitReached,
             "nvidia.com/gpu: 4 of 4 are used", "raise spec.capacity[].maxGpus"),
      {"each NodePool is full, and Karpenter speaks of a claim that was not bound yet",
       {kWaits, node_pool(condition("Ready", "True", "Ready", ""), "4"),
        karpenter("persistentvolumeclaim \"c\" must be bound")},
       Cause::NodePoolLimitReached,
       "NodePool t4-spot",
       "nvidia.com/gpu: 4 of 4 are used",
       "raise spec.capacity[].maxGpus",
       {}},
      {"no instance type has room, and another pool is full",
       {kWaits, karpenter("all available instance types exceed limits for nodepool (NodePool=small-spot); no instance "
                          "type has enough resources, requirements=karpenter.sh/nodepool In [t4-spot], "
                          "reprise.dev/pool In [t4], resources={\"cpu\":\"4k\"}")},
       Cause::NoInstanceTypeFits,
       "GpuPool t4",
       "enough resources",
       "kubectl edit gpupool t4",
       {}},
      {"the pool is of nodes that are there",
       {kWaits, pool(condition("NodePoolsSynced", "True", "NotNeeded", ""))},
       Cause::ExistingNodesFull,
       "Pod vision/finetune-1-1",
       "nodes that are there already",
       "kubectl get nodes -l reprise.dev/pool=t4",
       {}},
      {"Karpenter says nothing for ten minutes",
       {kWaits},
       Cause::KarpenterSilent,
       "Pod vision/finetune-1-1",
       "no Event of Karpenter",
       "app.kubernetes.io/name=karpenter",
       {}},
  };
}

TEST(Machines, names_what_keeps_a_machine_from_coming) {
  expect_all(rows_about_machines());
}

TEST(Machines, what_does_not_come_holds_up_no_job_that_has_its_nodes) {
  const Explanation explanation = explain_at_noon(
      world({node_claim(kOld, condition("Launched", "Unknown", "LaunchFailed", "UnauthorizedOperation"))}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(Machines, who_may_not_read_the_pool_is_told_what_karpenter_says_of_the_pod) {
  Objects objects = world({kWaits, karpenter("all available instance types exceed limits for nodepool "
                                             "(NodePool=t4-spot)")},
                          {"GpuPool", "NodePool"});
  objects.unseen = {{"GpuPool", "forbidden"}};
  const Explanation explanation = explain_at_noon(objects);
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::NodePoolLimitReached);
  EXPECT_EQ(explanation.finding->object.text(), "NodePool t4-spot");
  EXPECT_THAT(explanation.finding->to_do, Each(Not(HasSubstr("kubectl edit")))) << "it may end a pause";
  EXPECT_THAT(explanation.finding->to_do, Contains(HasSubstr("kubectl reprise why gpupool/t4")));
}

TEST(Machines, of_a_pool_asked_about_the_machine_that_does_not_come_is_named) {
  const Explanation explanation = explain_at_noon(
      world_of_pool({node_claim(kOld, condition("Launched", "Unknown", "LaunchFailed", "UnauthorizedOperation"))}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::LaunchFailed);
}

TEST(Machines, a_full_pool_is_not_blocked) {
  const Explanation explanation =
      explain_at_noon(world_of_pool({node_pool(condition("Ready", "True", "Ready", ""), "4")}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(Machines, a_pod_that_came_a_moment_ago_does_not_call_karpenter_silent) {
  const Explanation explanation = explain_at_noon(world({unscheduled(kNoGpu, kNew)}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::WaitsForNode);
}

}  // namespace reprise::plugin::why::testing
