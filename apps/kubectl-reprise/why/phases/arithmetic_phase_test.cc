// Beside other pools, whose NodePools Karpenter speaks of: the numbers of this one come first.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOtherPool =
    "Failed to schedule pod, incompatible requirements, key reprise.dev/pool, reprise.dev/pool In [t4] not in "
    "reprise.dev/pool In [other]";

std::string pool_of(const std::string& spec, const std::string& status = "",
                    const std::string& group = "karpenter.k8s.aws") {
  return "{kind: GpuPool, metadata: {name: t4, generation: 1, creationTimestamp: \"2026-11-23T10:00:00Z\"}, spec: "
         "{nodeClassRef: {group: " +
         group + ", kind: NodeClass, name: default}, " + spec +
         "}, status: {observedGeneration: 1, resourceName: nvidia.com/gpu, " + status +
         "nodePools: [{name: t4-spot, ready: true}], conditions: [" +
         condition("Ready", "True", "Ready", "1 of 1 NodePools are ready") + "]}}";
}

std::string job_of(int ranks, const std::string& pod_spec = "") {
  return fmt::format(
      "{{kind: ResumableJob, metadata: {{name: finetune, namespace: vision, uid: job-1, generation: 1, "
      "creationTimestamp: \"2026-11-23T10:00:00Z\"}}, spec: {{poolName: t4, parallelism: {}, template: {{spec: {{{}"
      "containers: [{{name: trainer, resources: {{limits: {{reprise.dev/gpu: 1}}}}}}]}}}}}}, status: "
      "{{observedGeneration: 1, attempt: 1, conditions: [{}]}}}}",
      ranks, pod_spec, condition("PodsReady", "False", "WaitForStart", "0 of 2 pods are ready"));
}

std::string refused(const std::string& message) {
  return event("Pod", "finetune-1-1", "FailedScheduling", message, "karpenter");
}

const std::string kNoNode = unscheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");

Explanation explained(const std::vector<std::string>& objects) {
  std::vector<std::string> all{kNoNode};
  all.insert(all.end(), objects.begin(), objects.end());
  return explain_at_noon(world(all));
}

TEST(Arithmetic, a_pool_that_fits_no_type_is_named_beside_another_pool) {
  const Explanation said =
      explained({pool_of("gpu: {models: [a100]}, instanceTypes: [g4dn.xlarge], capacity: [{type: Spot, maxGpus: 8}]"),
                 job_of(2), refused(kOtherPool)});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NoInstanceType);
  EXPECT_EQ(said.finding->object.text(), "GpuPool t4");
  EXPECT_THAT(said.finding->found, HasSubstr("spec.instanceTypes: found [g4dn.xlarge]"));
  EXPECT_THAT(said.finding->found, HasSubstr("spec.gpu.models [a100]"));
}

TEST(Arithmetic, the_pool_s_own_condition_comes_before_what_karpenter_says_of_others) {
  const Explanation said =
      explained({pool(condition("Stalled", "True", "NoInstanceType", "in the operator's words")), refused(kOtherPool)});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NoInstanceType);
  EXPECT_THAT(said.finding->found, HasSubstr("in the operator's words"));
}

TEST(Arithmetic, where_nobody_knows_the_types_what_karpenter_leaves_out_tells) {
  const Explanation said = explained({refused(kOtherPool)});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NoInstanceTypeFits);
  EXPECT_THAT(said.finding->found, Not(HasSubstr("[other]")));
}

TEST(Arithmetic, what_is_said_of_the_pool_s_own_beside_another_is_heard) {
  const Explanation said =
      explained({refused(kOtherPool + "; incompatible requirements, key topology.kubernetes.io/zone, "
                                      "topology.kubernetes.io/zone In [a] not in topology.kubernetes.io/zone In [b]")});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NodeSelectorMatchesNone);
}

TEST(Arithmetic, a_gang_that_never_fits_waits_for_no_job_s_end) {
  const Explanation said =
      explained({pool_of("gpu: {models: [t4], countsPerNode: [4]}, capacity: [{type: Spot, maxGpus: 6}]"), job_of(6),
                 refused("all available instance types exceed limits for nodepool (NodePool=t4-spot)")});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NeverFits);
  EXPECT_THAT(said.finding->found, HasSubstr("room for 4 ranks"));
  EXPECT_THAT(said.finding->to_do, Each(Not(HasSubstr("wait for"))));
}

TEST(Arithmetic, a_limit_below_a_machine_is_no_limit_that_is_reached) {
  const std::string below = pool_of("gpu: {models: [t4], countsPerNode: [4]}, capacity: [{type: Spot, maxGpus: 3}]");
  const std::string words = "all available instance types exceed limits for nodepool (NodePool=t4-spot)";
  const Explanation said = explained({below, job_of(1), refused(words)});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::LimitBelowOneNode);
  EXPECT_THAT(said.finding->to_do, Each(Not(HasSubstr("wait for"))));
  // Also by Karpenter's words alone, with nothing rented.
  const Explanation by_words = explained({refused(words)});
  ASSERT_TRUE(by_words.finding);
  EXPECT_EQ(by_words.finding->cause, Cause::LimitBelowOneNode);
  const Explanation of_pool = explain_at_noon(world_of_pool({below}));
  ASSERT_TRUE(of_pool.finding);
  EXPECT_EQ(of_pool.finding->cause, Cause::LimitBelowOneNode);
}

TEST(Arithmetic, what_is_left_of_a_limit_is_counted_in_whole_machines) {
  const auto said_with = [](const std::string& jobs) {
    return explained({pool_of("gpu: {models: [t4], countsPerNode: [3]}, capacity: [{type: Spot, maxGpus: 4}]", jobs,
                              "karpenter.azure.com"),
                      job_of(2), node_pool(condition("Ready", "True", "Ready", ""), "3")});
  };
  const Explanation alone = said_with("jobs: 1, ");
  ASSERT_TRUE(alone.finding);
  EXPECT_EQ(alone.finding->cause, Cause::NodePoolLimitReached);
  EXPECT_THAT(alone.finding->found, HasSubstr("3 of 4 are used, and no further machine is within the limit"));
  EXPECT_THAT(alone.finding->to_do, Each(Not(HasSubstr("wait for"))));
  EXPECT_THAT(said_with("jobs: 2, ").finding->to_do, ::testing::Contains(HasSubstr("wait for another job")));
}

TEST(Arithmetic, a_selector_on_a_label_that_comes_later_is_named_at_once) {
  const std::string a10g = pool_of("gpu: {models: [a10g]}, capacity: [{type: Spot, maxGpus: 8}]");
  const std::string picky = job_of(2, "nodeSelector: {nvidia.com/gpu.product: NVIDIA-A10G}, ");
  const Explanation said = explained({a10g, picky});
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NodeSelectorMatchesNone);
  EXPECT_THAT(said.finding->found, HasSubstr("NVIDIA's feature discovery writes that label"));
  const std::string bears =
      "{kind: Node, metadata: {name: gpu-9, labels: {reprise.dev/pool: t4, nvidia.com/gpu.product: NVIDIA-A10G}}}";
  const Explanation other = explained({a10g, picky, bears});
  ASSERT_TRUE(other.finding);
  EXPECT_NE(other.finding->cause, Cause::NodeSelectorMatchesNone) << "a node that is there has it";
}

}  // namespace
}  // namespace reprise::plugin::why::testing
