// A pool that lets no machine come for now: its own conditions come before the limits of its NodePools, which it has
// lowered.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kNextTime = "2026-11-23T12:09:00Z";
const std::string kWaitingForNode = unscheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
const std::string kReadyPool = condition("Ready", "True", "Ready", "1 of 1 NodePools are ready");
const std::string kInPause =
    condition("CapacityAvailable", "False", "InitializationDeadlineExceeded",
              "NodePool t4-spot: 1 machine in 1 try never became useful; no further machine is rented before " +
                  std::string(kNextTime));
const std::string kAllIsWell = condition("CapacityAvailable", "True", "NoShortageSeen", "no NodeClaim is overdue");
const std::string kCostReached =
    condition("CapacityAvailable", "False", "MaxCostReached", "the pool costs 0.90 per hour, of at most 1.00");

std::string tried_in_vain(std::string_view node_pool) {
  return fmt::format(
      "startup: {{backOff: [{{nodePool: {}, tries: 1, machines: 1, nextTime: \"{}\", spent: \"1.20\", reason: "
      "StartupTaintsExist, message: \"NodeClaim t4-spot-x: StartupTaint example.com/late still exists\"}}]}}, ",
      node_pool, kNextTime);
}

std::string pool_with(const std::string& conditions, const std::string& status = "",
                      const std::string& capacity = "[{type: Spot, maxGpus: 8}]", const std::string& spec = "") {
  return fmt::format(
      "{{kind: GpuPool, metadata: {{name: t4, generation: 1, creationTimestamp: \"2026-11-23T10:00:00Z\"}}, spec: "
      "{{nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}, gpu: {{models: [t4], "
      "countsPerNode: [1]}}, {}capacity: {}}}, status: {{observedGeneration: 1, resourceName: nvidia.com/gpu, {}"
      "nodePools: [{{name: t4-spot, ready: true}}{}], conditions: [{}, {}]}}}}",
      spec, capacity, status,
      capacity.find("OnDemand") == std::string::npos ? "" : ", {name: t4-on-demand, ready: true}", kReadyPool,
      conditions);
}

std::string source_with(std::string_view limits, std::string_view used = "nodes: \"0\"",
                        std::string_view name = "t4-spot") {
  return fmt::format(
      "{{kind: NodePool, metadata: {{name: {}}}, spec: {{limits: {{{}}}, template: {{spec: {{nodeClassRef: {{kind: "
      "EC2NodeClass, name: default}}}}}}}}, status: {{resources: {{{}}}, conditions: [{}]}}}}",
      name, limits, used, condition("Ready", "True", "Ready", ""));
}

const std::string kNothingMore = source_with("nvidia.com/gpu: \"0\", nodes: \"0\"");

std::string refuses(const std::string& why) {
  return event("Pod", "finetune-1-1", "FailedScheduling", "Failed to schedule pod, " + why, "karpenter");
}

const std::vector<std::string> kWordsOfKarpenter = {
    "",
    refuses("all available instance types exceed limits for nodepool (NodePool=t4-spot)"),
    refuses("node limits have been exhausted for nodepool (NodePool=t4-spot)"),
    refuses("incompatible requirements, label \"reprise.dev/pool\" does not have known values"),
};

Finding found_for_job(std::vector<std::string> objects) {
  objects.push_back(kWaitingForNode);
  std::erase(objects, "");
  const Explanation said = explain_at_noon(world(objects));
  EXPECT_TRUE(said.finding);
  return said.finding.value_or(Finding{});
}

std::string name_of(const Finding& finding) {
  return std::string(text_of(finding.cause).name);
}

void expect_pause(const Finding& finding) {
  EXPECT_EQ(name_of(finding), "InitializationDeadlineExceeded");
  EXPECT_EQ(finding.object.text(), "GpuPool t4");
  EXPECT_THAT(finding.to_do, Contains(HasSubstr(std::string(kNextTime))));
  EXPECT_THAT(finding.to_do, Contains(HasSubstr("StartupTaint example.com/late still exists")));
  EXPECT_THAT(finding.to_do, Contains(HasSubstr("kubectl annotate gpupool t4 --overwrite reprise.dev/retry=")));
  EXPECT_THAT(finding.to_do, Each(Not(HasSubstr("kubectl edit")))) << "an edit ends the pause";
  EXPECT_THAT(finding.to_do, Each(Not(HasSubstr("raise"))));
}

TEST(HeldBack, a_pool_s_pause_comes_before_all_that_karpenter_says) {
  for (const std::string& words : kWordsOfKarpenter) {
    SCOPED_TRACE(words);
    expect_pause(found_for_job({pool_with(kInPause, tried_in_vain("t4-spot")), kNothingMore, words}));
  }
}

TEST(HeldBack, limits_that_a_pause_has_lowered_are_known_before_the_condition_says_so) {
  for (const std::string& words : {kWordsOfKarpenter[0], kWordsOfKarpenter[1], kWordsOfKarpenter[2]}) {
    SCOPED_TRACE(words);
    expect_pause(found_for_job({pool_with(kAllIsWell, tried_in_vain("t4-spot")), kNothingMore, words}));
  }
}

TEST(HeldBack, a_pool_asked_about_says_when_the_next_machine_is_tried) {
  const Explanation said =
      explain_at_noon(world_of_pool({pool_with(kInPause, tried_in_vain("t4-spot")), kNothingMore}));
  ASSERT_TRUE(said.finding);
  expect_pause(*said.finding);
}

TEST(HeldBack, a_pause_of_a_pool_that_cannot_be_read_whole_is_named_all_the_same) {
  const Finding finding = found_for_job({pool(kInPause), kNothingMore, kWordsOfKarpenter[1]});
  EXPECT_EQ(name_of(finding), "InitializationDeadlineExceeded");
  EXPECT_THAT(finding.to_do, Contains(HasSubstr("reprise.dev/retry=")));
}

TEST(HeldBack, a_limit_of_zero_is_never_the_pool_s_maxGpus) {
  for (const std::string& words : {kWordsOfKarpenter[0], kWordsOfKarpenter[1], kWordsOfKarpenter[2]}) {
    SCOPED_TRACE(words);
    for (const std::string& of : {pool_with(kAllIsWell), pool(kReadyPool)}) {
      const Finding finding = found_for_job({of, kNothingMore, words});
      EXPECT_EQ(name_of(finding), "PoolNotReady") << "the operator is about to write another one";
      EXPECT_THAT(finding.to_do, Each(Not(HasSubstr("raise"))));
    }
  }
}

TEST(HeldBack, what_the_money_allows_no_more_is_no_limit_on_gpus) {
  const std::string costly = pool_with(kCostReached, "", "[{type: Spot, maxGpus: 8}]", "maxCostPerHour: \"1.00\", ");
  for (const std::string& limit : {kNothingMore, source_with("nvidia.com/gpu: \"1\"", "nvidia.com/gpu: \"1\"")})
    for (const std::string& words : kWordsOfKarpenter) {
      SCOPED_TRACE(words);
      const Finding finding = found_for_job({costly, limit, words});
      EXPECT_EQ(name_of(finding), "PoolMaxCostReached");
      EXPECT_THAT(finding.found, HasSubstr("of at most 1.00"));
      EXPECT_THAT(finding.to_do, Contains(HasSubstr("raise spec.maxCostPerHour")));
      EXPECT_THAT(finding.to_do, Each(Not(HasSubstr("maxGpus"))));
    }
  const Explanation of_pool = explain_at_noon(world_of_pool({costly, kNothingMore}));
  ASSERT_TRUE(of_pool.finding);
  EXPECT_EQ(name_of(*of_pool.finding), "PoolMaxCostReached");
}

TEST(HeldBack, the_money_is_named_where_the_pool_could_pay_another_type_alone) {
  const std::string costly = pool_with(kAllIsWell, "", "[{type: Spot, maxGpus: 8}, {type: OnDemand, maxGpus: 8}]",
                                       "maxCostPerHour: \"1.00\", ");
  const std::string used = "nvidia.com/gpu: \"1\"";
  const Finding finding = found_for_job(
      {costly, source_with(used, used, "t4-spot"), source_with(used, used, "t4-on-demand"), kWordsOfKarpenter[1]});
  EXPECT_EQ(name_of(finding), "PoolMaxCostReached");
  EXPECT_THAT(finding.found, HasSubstr("t4-spot"));
}

TEST(HeldBack, a_machine_that_comes_says_more_than_its_pool) {
  const std::string launched = condition("Launched", "True", "Launched", "");
  for (const std::string& of : {pool_with(kInPause, tried_in_vain("t4-spot")), pool_with(kCostReached)}) {
    const Finding finding =
        found_for_job({of, kNothingMore, kWordsOfKarpenter[1], node_claim("2026-11-23T11:58:00Z", launched)});
    EXPECT_EQ(name_of(finding), "NodeStarting");
  }
}

TEST(HeldBack, a_pause_of_a_capacity_type_that_the_job_does_not_take_holds_it_up_by_nothing) {
  const std::string both = "[{type: Spot, maxGpus: 8}, {type: OnDemand, maxGpus: 1}]";
  const std::string choosy =
      "{kind: ResumableJob, metadata: {name: finetune, namespace: vision, uid: job-1, generation: 1, "
      "creationTimestamp: \"2026-11-23T10:00:00Z\"}, spec: {poolName: t4, placement: {capacity: OnDemandOnly}, "
      "template: {spec: {containers: [{name: trainer, resources: {limits: {reprise.dev/gpu: 1}}}]}}}, status: "
      "{observedGeneration: 1, attempt: 1, conditions: [" +
      condition("PodsReady", "False", "WaitForStart", "0 of 1 pods are ready") + "]}}";
  const std::string full = source_with("nvidia.com/gpu: \"1\"", "nvidia.com/gpu: \"1\"", "t4-on-demand");
  const std::string of_both =
      "node limits have been exhausted for nodepool (NodePool=t4-spot); all available instance "
      "types exceed limits for nodepool (NodePool=t4-on-demand)";
  for (const std::string& words : {std::string(), refuses(of_both)}) {
    SCOPED_TRACE(words);
    const std::string paused = pool_with(kInPause, tried_in_vain("t4-spot"), both);
    const Finding finding = found_for_job({paused, kNothingMore, full, choosy, words});
    EXPECT_EQ(name_of(finding), "NodePoolLimitReached");
    EXPECT_EQ(finding.object.text(), "NodePool t4-on-demand");
    EXPECT_THAT(finding.to_do, Contains(HasSubstr("it ends the pause of NodePool t4-spot as well")));
    // For a job that takes both NodePools the pause is the first of two findings.
    expect_pause(found_for_job({paused, kNothingMore, full, words}));
  }
}

TEST(HeldBack, a_reason_of_a_later_release_needs_a_person_too) {
  for (const std::string& said :
       {condition("Stalled", "True", "OfALaterRelease", "in the operator's words"),
        condition("CapacityAvailable", "False", "OfALaterRelease", "in the operator's words")}) {
    const Finding finding = found_for_job({pool_with(said), kNothingMore, kWordsOfKarpenter[1]});
    EXPECT_EQ(name_of(finding), "PoolStalled");
    EXPECT_EQ(finding.found, "OfALaterRelease: in the operator's words");
  }
}

TEST(HeldBack, who_waits_for_the_last_attempt_s_end_is_not_told_of_money) {
  const Explanation said =
      explain_at_noon(world({waiting("WaitForRecovery", "attempt 2 begins later"), pool_with(kCostReached)}, {"Pod"}));
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(name_of(*said.finding), "Recovering");
}

}  // namespace
}  // namespace reprise::plugin::why::testing
