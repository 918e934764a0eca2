#include <gtest/gtest.h>

#include <algorithm>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kJob = "ResumableJob vision/finetune";

Row failed(std::string_view reason, Cause cause, std::string to_do) {
  return {"the job has failed with " + std::string(reason),
          {job(condition("Failed", "True", reason, "so it ended") + ", " +
               condition("Stalled", "True", reason, "so it ended"))},
          cause,
          kJob,
          "so it ended",
          std::move(to_do),
          {}};
}

Row needs_person(std::string_view reason, Cause cause, std::string_view message, std::string to_do) {
  return {"Stalled says " + std::string(reason),
          {stalled(reason, message)},
          cause,
          kJob,
          std::string(message),
          std::move(to_do),
          {}};
}

std::string suspended(std::string_view reason, std::string_view message) {
  return job(condition("Suspended", "True", reason, message));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one row per cause
std::vector<Row> rows_about_jobs() {
  std::vector<Row> rows{
      failed("BackoffLimitExceeded", Cause::BackoffLimitExceeded, "kubectl logs -n vision -l reprise.dev/job=finetune"),
      failed("PodFailurePolicy", Cause::PodFailurePolicy, "kubectl logs"),
      failed("DeadlineExceeded", Cause::DeadlineExceeded, "kubectl edit resumablejob finetune -n vision"),
      {"a person has suspended the job",
       {suspended("Suspended", "spec.suspend is true")},
       Cause::Suspended,
       kJob,
       "spec.suspend is true",
       "kubectl patch resumablejob finetune -n vision --type=merge -p '{\"spec\":{\"suspend\":false}}'",
       {}},
      {"the limit of interruptions is reached",
       {suspended("InterruptionLimitReached", "3 interruptions reach it")},
       Cause::InterruptionLimitReached,
       kJob,
       "3 interruptions",
       "{\"interruption\":{\"limit\":null}}",
       {}},
      {"the job has cost what it may",
       {suspended("MaxCostReached", "the job has cost what spec.placement.maxCost allows")},
       Cause::MaxCostReached,
       kJob,
       "spec.placement.maxCost",
       "{\"placement\":{\"maxCost\":null}}",
       {}},
      {"a job that runs will be late",
       {job(condition("PodsReady", "True", "Started", "attempt 1 runs") + ", " +
            condition("OnSchedule", "False", "Late", "later than spec.placement.completeBy"))},
       Cause::Late,
       kJob,
       "later than",
       "kubectl edit resumablejob finetune",
       {}},
      {"a rank is not proven to have ended",
       {waiting("WriterNotFenced",
                "pod finetune-1-0 is not proven to have ended. If you know that the machine is off: "
                "kubectl annotate --overwrite resumablejob finetune -n vision "
                "reprise.dev/confirm-ended=1-0")},
       Cause::WriterNotFenced,
       kJob,
       "not proven",
       "kubectl annotate --overwrite resumablejob finetune -n vision",
       {}},
      {"another pod mounts the claim",
       {waiting("ClaimInUse", "pod debug mounts the checkpoint claim")},
       Cause::ClaimInUse,
       kJob,
       "pod debug mounts",
       "kubectl get pods -n vision",
       {}},
      {"the queue has no room",
       {waiting("WaitForQuota", "Workload w: Pending: insufficient unused quota")},
       Cause::WaitForQuota,
       kJob,
       "insufficient unused quota",
       "kubectl get workloads -n vision",
       {}},
      {"the next attempt follows",
       {waiting("WaitForRecovery", "attempt 1 has ended: NodeDeleted")},
       Cause::Recovering,
       kJob,
       "attempt 1 has ended",
       "kubectl events",
       {"Pod"}},
      {"no checkpoint came for an hour, though the agents report",
       {job(condition("PodsReady", "True", "Started", "attempt 1 runs") + ", " +
                condition("CheckpointReady", "False", "Overdue", "no newer checkpoint since 2026-11-23T11:10:00Z"),
            "progress: {activity: Training}")},
       Cause::CheckpointOverdue,
       kJob,
       "no newer checkpoint since 2026-11-23T11:10:00Z",
       "kubectl logs -n vision",
       {}},
      {"checkpoints contradict the order in which they were completed",
       {job(condition("PodsReady", "True", "Started", "attempt 1 runs") + ", " +
            condition("CheckpointReady", "True", "OutOfOrder", "step-9 was completed after step-10"))},
       Cause::CheckpointsOutOfOrder,
       kJob,
       "step-9",
       "last number",
       {}},
      {"the attempt that runs has put checkpoints aside",
       {running("unproven: {attempt: 1, checkpoints: 2, step: 40, resumedFromStep: 30, message: they lie aside}")},
       Cause::CheckpointUnproven,
       kJob,
       "they lie aside",
       "kubectl reprise checkpoints finetune -n vision",
       {}},
      {"the volume of the running job will soon be full",
       {job(condition("PodsReady", "True", "Started", "attempt 1 runs") + ", " +
                condition("VolumeNearlyFull", "True", "LittleRoom", "5.0 GiB are free, a save takes 4.0 GiB"),
            "progress: {activity: Training}")},
       Cause::VolumeNearlyFull,
       kJob,
       "5.0 GiB are free",
       "kubectl edit resumablejob finetune",
       {}},
      {"a node of the running job goes",
       {running(),
        "{kind: Node, metadata: {name: gpu-1}, spec: {taints: [{key: karpenter.sh/disrupted, effect: "
        "NoSchedule}]}}"},
       Cause::NodeBeingDrained,
       "Node gpu-1",
       "saves and moves",
       "kubectl describe node gpu-1",
       {}},
      {"the node agent has heard that a node of the running job goes",
       {running(),
        "{kind: Node, metadata: {name: gpu-1}, spec: {taints: [{key: reprise.dev/spot-interruption, effect: "
        "NoSchedule}]}}"},
       Cause::NodeBeingDrained,
       "Node gpu-1",
       "saves and moves",
       "kubectl describe node gpu-1",
       {}},
      needs_person("PoolNotFound", Cause::PoolNotFound, "spec.poolName: found \"t5\", no such GpuPool",
                   "kubectl get gpupools"),
      needs_person("NamespaceNotAllowed", Cause::NamespaceNotAllowed, "GpuPool t4 does not allow namespace vision",
                   "kubectl get namespace vision --show-labels"),
      needs_person("CheckpointLost", Cause::CheckpointLost,
                   "step 40 was there; kubectl annotate --overwrite resumablejob finetune -n vision "
                   "reprise.dev/accept-checkpoint=30/2; or accept the loss",
                   "reprise.dev/accept-checkpoint=30/2"),
      needs_person("VolumeFull", Cause::VolumeFull,
                   "a save takes 4.0 GiB; set spec.checkpoint.keep to 2, by which; kubectl reprise suspend finetune",
                   "{\"checkpoint\":{\"keep\":2}}"),
      needs_person("VolumeFull", Cause::VolumeFull, "no room; let the claim grow", "persistentvolumeclaims"),
      needs_person("NoProgress", Cause::NoProgress, "3 attempts in a row brought no newer checkpoint", "kubectl logs"),
      {"three attempts found no room in time",
       {job(condition("Stalled", "True", "NoProgress", "3 attempts in a row brought no newer checkpoint"),
            "lastEnd: {reason: PodsReadyTimeout, message: 4 of 6 pods became ready}")},
       Cause::PodsReadyTimeout,
       kJob,
       "the last one: 4 of 6 pods became ready",
       "kubectl reprise why gpupool/t4",
       {}},
      {"a kubelet rejects a pod of each attempt",
       {job(condition(
                "Stalled", "True", "NoProgress",
                "3 attempts in a row brought no newer checkpoint: pod x was rejected; kubectl describe node gpu-1"),
            "lastEnd: {reason: PodRejected, message: the kubelet rejected it}")},
       Cause::PodRejected,
       kJob,
       "the kubelet rejected it",
       "kubectl describe node gpu-1",
       {}},
      needs_person("NeverFits", Cause::NeverFits, "spec.parallelism: found 6", "kubectl edit gpupool t4"),
      needs_person("SomethingNew", Cause::Stalled, "of a later version", "kubectl edit"),
  };
  const std::pair<std::string_view, Cause> as_the_message_says[] = {
      {"PoolDeleting", Cause::PoolDeleting},
      {"PoolNameMissing", Cause::PoolNameMissing},
      {"InvalidPattern", Cause::InvalidPattern},
      {"InvalidUnits", Cause::InvalidUnits},
      {"WholeGpuRequested", Cause::WholeGpuRequested},
      {"CommandMissing", Cause::CommandMissing},
      {"ContainerNotFound", Cause::ContainerNotFound},
      {"RestartPolicy", Cause::RestartPolicy},
      {"CheckpointPathMounted", Cause::CheckpointPathMounted},
      {"ReservedKey", Cause::ReservedKey},
      {"ClaimNotFound", Cause::ClaimNotFound},
      {"ClaimExists", Cause::ClaimExists},
      {"ClaimDeleting", Cause::ClaimDeleting},
      {"AccessMode", Cause::AccessMode},
      {"NotSupported", Cause::NotSupported},
      {"KueueDisabled", Cause::KueueDisabled},
      {"KueueNotInstalled", Cause::KueueNotInstalled},
      {"FlavorConflict", Cause::FlavorConflict},
  };
  for (const auto& [reason, cause] : as_the_message_says) {
    rows.push_back(needs_person(reason, cause, "spec: write something else", "kubectl edit resumablejob finetune"));
  }
  return rows;
}

TEST(JobPhase, what_the_conditions_say_becomes_a_cause_with_its_command) {
  expect_all(rows_about_jobs());
}

TEST(JobPhase, a_command_in_the_operators_message_is_what_to_do_first) {
  const Explanation explanation =
      explain_at_noon(world({waiting("WriterNotFenced",
                                     "if you know that the machine is off: kubectl annotate x reprise.dev/a=b; or "
                                     "wait")}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->to_do.front(), "kubectl annotate x reprise.dev/a=b");
}

TEST(JobPhase, pods_on_standby_are_counted_while_the_last_attempt_ends) {
  const auto standby = [](const std::string& name, const std::string& spec) {
    return "{kind: Pod, metadata: {name: " + name +
           ", labels: {reprise.dev/job-uid: job-1, reprise.dev/standby: \"2\"}}, spec: {" + spec + "}}";
  };
  const Explanation explanation = explain_at_noon(
      world({waiting("WaitForRecovery", "attempt 1 has ended"), standby("finetune-2-0-standby", "nodeName: gpu-1"),
             standby("finetune-2-1-standby", "priority: -1")}));
  const auto step = std::ranges::find(explanation.chain, "Pods on standby", &Step::looked_at);
  ASSERT_NE(step, explanation.chain.end());
  EXPECT_EQ(step->said, "1 of 2 have a node for the next attempt");
}

TEST(JobPhase, a_complete_job_is_blocked_by_nothing) {
  const Explanation explanation = explain_at_noon(world({job(condition("Complete", "True", "Completed", "done"))}));
  EXPECT_FALSE(explanation.finding.has_value());
  EXPECT_EQ(explanation.summary, "nothing blocks ResumableJob vision/finetune");
}

TEST(JobPhase, a_complete_job_that_trained_nothing_is_told_apart) {
  const Explanation explanation = explain_at_noon(
      world({job(condition("Complete", "True", "NothingTrained", "none saved anything beyond step 200"))}));
  EXPECT_FALSE(explanation.finding.has_value());
  ASSERT_FALSE(explanation.chain.empty());
  EXPECT_EQ(explanation.chain.back().said, "complete, and NothingTrained: none saved anything beyond step 200");
}

TEST(JobPhase, without_live_reports_nobody_is_told_that_a_checkpoint_is_overdue) {
  const Explanation explanation = explain_at_noon(world({running("checkpoint: {time: \"2026-11-23T09:00:00Z\"}")}));
  EXPECT_FALSE(explanation.finding.has_value());
}

}  // namespace reprise::plugin::why::testing
