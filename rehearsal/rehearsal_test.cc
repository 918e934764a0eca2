// A whole rehearsal: real processes, the real agent, the real operator, the embedded cluster; much faster than time.
#include "rehearsal/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/temporary_directory.h"
#include "rehearsal/plan/recorded_spot.h"
#include "rehearsal/processes/marked_processes.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;
using std::chrono::seconds;
using ::testing::HasSubstr;

// Steps forever; $save writes a checkpoint of the step.
constexpr const char* kSteps =
    "d=$REPRISE_CHECKPOINT_DIR; i=0; [ -n \"$REPRISE_RESUME_FROM\" ] && i=${REPRISE_RESUME_FROM##*-};"
    "save() { mkdir -p $d/step-$i; touch $d/step-$i/_COMPLETE; };"
    "steps() { while :; do i=$((i+1)); echo step $i; sleep 0.05; done; };";

class Rehearsal : public ::testing::Test {
 protected:
  std::string job(const std::string& script, const std::string& storage = "1Gi") const {
    put_text(directory_.path() / "train.sh", script);
    return "apiVersion: reprise.dev/v1alpha1\nkind: ResumableJob\nmetadata: {name: a, namespace: ml}\nspec:\n"
           "  checkpoint:\n    path: /no-such-checkpoints\n    volume: {access: Shared, claimTemplate: {spec: "
           "{accessModes: [ReadWriteMany], resources: {requests: {storage: " +
           storage +
           "}}}}}\n  template: {spec: {containers: [{name: trainer, image: example.org/t:1, command: [/bin/sh, " +
           (directory_.path() / "train.sh").string() + "], resources: {limits: {reprise.dev/gpu: 1}}}]}}\n";
  }

  // Plays until at most four interruptions have come.
  RunReport play(const std::string& yaml) {
    RehearsalPlan plan{.job_yamls = {yaml},
                       .spot = steady_spot_plan("zone-a", 0.5),
                       .notice = seconds(120),
                       .interrupt_every = seconds(40),
                       .node_boot = seconds(5),
                       .speed = 40,
                       .limit = seconds(90),
                       .on_demand_price_per_hour = 1.5,
                       .work_directory = directory_.path() / "run",
                       .agent = REPRISE_AGENT_BINARY};
    auto report = rehearse(
        plan, [](const RehearsalMoment& moment) { return moment.jobs.empty() || moment.jobs[0].interruptions < 3; });
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_TRUE(marked_processes("REPRISE_REHEARSAL=" + plan.work_directory.string()).empty());
    return report ? *std::move(report) : RunReport{};
  }
  void expect_reason(const std::string& script, const std::string& reason, const std::string& storage = "1Gi") {
    const RunReport report = play(job(script, storage));
    EXPECT_FALSE(report.survived);
    ASSERT_FALSE(report.reasons.empty());
    EXPECT_THAT(report.reasons[0], HasSubstr(reason));
    EXPECT_THAT(report.reasons[0], HasSubstr("What to do: "));
  }

  TemporaryDirectory directory_;
};

TEST_F(Rehearsal, a_good_trainer_survives_and_loses_nothing) {
  put_text(directory_.path() / "train.sh", "");
  std::string yaml = job("");
  const std::string shell = "/bin/sh, " + (directory_.path() / "train.sh").string();
  yaml.replace(yaml.find(shell), shell.size(),
               REPRISE_TRAINER_BINARY ", --data, " REPRISE_TRAINER_DATA
                                      ", --dir, $(REPRISE_CHECKPOINT_DIR), --steps, \"100\", --save-every, \"25\", "
                                      "--step-milliseconds, \"30\"");
  const RunReport report = play(yaml);
  EXPECT_TRUE(report.survived) << (report.reasons.empty() ? "" : report.reasons[0]);
  ASSERT_GE(report.interruptions.size(), 1U);
  for (const ReportInterruption& each : report.interruptions) {
    EXPECT_TRUE(each.saved);
    EXPECT_EQ(each.step_resumed, each.step_saved);
  }
  EXPECT_TRUE(report.cost);
}

TEST_F(Rehearsal, a_trainer_that_ignores_sigterm_is_killed_and_named) {
  expect_reason(std::string(kSteps) + "i=$((i+1)); save; trap '' TERM; steps", "IgnoresSigterm");
}

TEST_F(Rehearsal, a_trainer_without_a_handler_is_named_as_soon_as_it_is_seen) {
  const RunReport report = play(job(std::string(kSteps) + "i=$((i+1)); save; steps"));
  ASSERT_FALSE(report.reasons.empty());
  EXPECT_THAT(report.reasons[0], HasSubstr("NoHandler"));
  ASSERT_EQ(report.interruptions.size(), 1U) << "the verdict cannot change any more";
  EXPECT_THAT(report.interruptions[0].last_lines, ::testing::SizeIs(10));
  EXPECT_THAT(report.interruptions[0].last_lines.back(), HasSubstr("step "));
}

TEST_F(Rehearsal, a_save_has_its_grace_in_real_seconds_at_any_speed) {
  const RunReport report = play(job(std::string(kSteps) + "trap 'sleep 3; save; exit 143' TERM; steps"));
  EXPECT_TRUE(report.survived) << (report.reasons.empty() ? "" : report.reasons[0]);
  ASSERT_FALSE(report.interruptions.empty());
  EXPECT_GE(report.interruptions[0].save_took, runtime::Duration(seconds(3)));
  EXPECT_LT(report.interruptions[0].save_took, runtime::Duration(seconds(20)));
}

TEST_F(Rehearsal, a_trainer_that_leaves_half_a_checkpoint_is_named) {
  expect_reason(std::string(kSteps) + "i=$((i+1)); save; trap 'mkdir $d/step-$i; exit 0' TERM; steps",
                "TornCheckpoint");
}

TEST_F(Rehearsal, a_trainer_that_never_saves_is_named) {
  expect_reason(std::string(kSteps) + "trap 'exit 0' TERM; steps", "NeverCheckpoints");
}

TEST_F(Rehearsal, a_trainer_that_begins_anew_is_named) {
  expect_reason(std::string(kSteps) + "i=0; trap 'save; exit 143' TERM; steps", "ResumedFromZero");
}

TEST_F(Rehearsal, a_trainer_that_ends_too_early_is_named) {
  expect_reason("echo nothing to do", "EndedTooEarly");
}

TEST_F(Rehearsal, a_trainer_that_fills_the_volume_is_stopped_and_named) {
  expect_reason("while :; do i=$((i+1)); head -c 2000000 /dev/zero >$REPRISE_CHECKPOINT_DIR/$i.bin; sleep 0.05; done",
                "VolumeFull", "10Mi");
}

TEST_F(Rehearsal, what_a_trainer_prints_or_writes_beside_its_volume_may_be_larger_than_its_claim) {
  const RunReport report = play(
      job(std::string(kSteps) + "i=$((i+1)); save; trap 'save; exit 143' TERM; head -c 3000000 /dev/zero >$TMPDIR/x ||"
                                " exit 1; head -c 3000000 /dev/zero || exit 1; steps",
          "1Mi"));
  EXPECT_TRUE(report.survived) << (report.reasons.empty() ? "" : report.reasons[0]);
}

TEST_F(Rehearsal, checkpoints_that_are_not_laid_out_as_such_are_reported_with_what_is_there) {
  const RunReport report =
      play(job(std::string(kSteps) + "save() { echo x >$d/model.pt; }; trap 'save; exit 143' TERM; steps"));
  ASSERT_FALSE(report.reasons.empty());
  EXPECT_THAT(report.reasons[0], HasSubstr("NeverCheckpoints: nothing in /no-such-checkpoints"));
  EXPECT_THAT(report.reasons[0], HasSubstr("NotRecognised: model.pt: no checkpoint by the name"));
}

TEST_F(Rehearsal, children_that_flee_leave_with_the_trainer) {
  const RunReport report = play(job("(setsid sh -c 'trap : TERM HUP; while :; do sleep 1; done' &)\n" +
                                    std::string(kSteps) + "trap 'save; exit 143' TERM; steps"));
  EXPECT_TRUE(report.survived) << (report.reasons.empty() ? "" : report.reasons[0]);
}

TEST(RehearsalPlan, a_wrong_one_is_rejected_before_anything_runs) {
  const TemporaryDirectory directory;
  const auto rejected = [&](RehearsalPlan plan) {
    plan.agent = REPRISE_AGENT_BINARY;
    plan.work_directory = directory.path() / "run";
    const auto report = rehearse(plan);
    return report ? "nothing" : report.error().message;
  };
  const std::string job =
      "apiVersion: reprise.dev/v1alpha1\nkind: ResumableJob\nmetadata: {name: a}\nspec:\n  checkpoint: {path: /c}\n"
      "  template: {spec: {containers: [{name: t, image: i, command: [train]}]}}\n";
  EXPECT_THAT(rejected({}), HasSubstr("no ResumableJob"));
  EXPECT_THAT(rejected({.job_yamls = {job, job}}), HasSubstr("is there twice"));
  EXPECT_THAT(rejected({.pool_yaml = "kind: Pod", .job_yamls = {job}}), HasSubstr("must be a GpuPool"));
  EXPECT_THAT(rejected({.job_yamls = {job + "  parallelism: -1\n"}}), HasSubstr("parallelism"));
}

TEST(RehearsalPlan, an_agent_that_is_none_is_rejected) {
  const TemporaryDirectory directory;
  put_text(directory.path() / "text", "x");
  for (const std::filesystem::path& each : {std::filesystem::path("/bin/true"), directory.path() / "text"}) {
    const auto report = rehearse({.work_directory = directory.path() / "run", .agent = each});
    ASSERT_FALSE(report) << each;
    EXPECT_THAT(report.error().message, HasSubstr(each.string()));
    EXPECT_THAT(report.error().message, HasSubstr("must be reprise-agent"));
  }
}

}  // namespace
}  // namespace reprise::rehearsal
