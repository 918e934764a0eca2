#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kOldLease =
    "{kind: Lease, metadata: {name: reprise-operator, namespace: reprise-system}, spec: {holderIdentity: one, "
    "leaseDurationSeconds: 15, renewTime: \"2026-11-23T11:40:00.000000Z\"}}";
const std::string kNoReadyPod =
    "{kind: Deployment, metadata: {name: reprise, namespace: reprise-system}, spec: {replicas: 2}, status: {}}";

}  // namespace

std::vector<Row> rows_about_operator() {
  return {
      {"nothing of the operator is there",
       {},
       Cause::OperatorNotInstalled,
       "Deployment reprise",
       "no Deployment with the label",
       "helm install",
       {"Deployment", "Lease"}},
      {"the Deployment has no ready pod and the lease is old",
       {kOldLease, kNoReadyPod},
       Cause::OperatorNotReady,
       "Deployment reprise-system/reprise",
       "0 of 2 pods are ready",
       "kubectl describe pods",
       {}},
      {"pods are ready and none renews the lease",
       {kOldLease},
       Cause::OperatorNotLeading,
       "Deployment reprise-system/reprise",
       "last renewed at 2026-11-23T11:40:00Z",
       "kubectl logs deployment/reprise -n reprise-system",
       {}},
      {"a job of an hour has no status",
       {"{kind: ResumableJob, metadata: {name: finetune, namespace: vision, generation: 1, creationTimestamp: "
        "\"2026-11-23T11:00:00Z\"}, status: {observedGeneration: -1}}"},
       Cause::NotReconciled,
       "ResumableJob vision/finetune",
       "no status yet",
       "kubectl logs",
       {}},
      {"the job was changed a moment ago",
       {"{kind: ResumableJob, metadata: {name: finetune, namespace: vision, uid: job-1, generation: 3, "
        "creationTimestamp: \"2026-11-23T11:00:00Z\"}, spec: {poolName: t4, parallelism: 2}, status: "
        "{observedGeneration: 2, attempt: 1, conditions: [" +
        condition("PodsReady", "True", "Started", "attempt 1 runs") + "]}}"},
       Cause::StatusBehind,
       "ResumableJob vision/finetune",
       "status.observedGeneration is 2, metadata.generation 3",
       "",
       {}},
  };
}

TEST(OperatorPhase, names_what_keeps_the_operator_from_acting) {
  expect_all(rows_about_operator());
}

TEST(OperatorPhase, a_fresh_lease_is_proof_enough_wherever_the_operator_runs) {
  const Explanation explanation = explain_at_noon(world({running()}, {"Deployment"}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(OperatorPhase, a_lease_of_any_length_is_looked_at) {
  for (const char* length : {"15", "9223372036854775807"}) {
    const std::string lease =
        "{kind: Lease, metadata: {name: reprise-operator, namespace: reprise-system}, spec: {holderIdentity: one, "
        "leaseDurationSeconds: " +
        std::string(length) + ", renewTime: \"2026-11-23T11:59:55.000000Z\"}}";
    EXPECT_FALSE(explain_at_noon(world({running(), lease}, {"Deployment"})).finding.has_value()) << length;
  }
}

TEST(OperatorPhase, what_may_not_be_read_is_said_and_does_not_block) {
  Objects objects = world({running()}, {"Deployment", "Lease"});
  objects.unseen = {{"Deployment", "forbidden"}, {"Lease", "forbidden"}};
  const Explanation explanation = explain_at_noon(objects);
  EXPECT_FALSE(explanation.finding.has_value());
  ASSERT_FALSE(explanation.chain.empty());
  EXPECT_EQ(explanation.chain.front().mark, Mark::Unseen);
}

TEST(OperatorPhase, what_has_finished_needs_no_operator) {
  const Explanation explanation =
      explain_at_noon(world({job(condition("Complete", "True", "Completed", "done"))}, {"Deployment", "Lease"}));
  EXPECT_FALSE(explanation.finding.has_value());
}

}  // namespace reprise::plugin::why::testing
