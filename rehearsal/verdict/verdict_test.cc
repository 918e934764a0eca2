#include "rehearsal/verdict/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "rehearsal/verdict/testing/sample_jobs.h"

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;
using testing::begin_anew;
using testing::fail_at_load;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::stopped;
using testing::survivor;
using testing::without_checkpoints;
using testing::without_save;

struct Row {
  std::string sentence;
  std::function<void(JobFacts&)> change;
  Reason want;
};

TEST(Verdict, a_script_that_saves_and_resumes_survives) {
  const Verdict verdict = judge(survivor());
  EXPECT_TRUE(verdict.survived()) << verdict.findings[0].what;
  EXPECT_THAT(verdict.advice, IsEmpty());
}

// NOLINTNEXTLINE(readability-function-size): a table, one row per end
TEST(Verdict, each_way_to_die_has_its_reason) {
  const std::vector<Row> rows{
      {"SIGTERM ends it at once", [](JobFacts& job) { without_save(job), stopped(job).on_term = Disposition::Default; },
       Reason::NoHandler},
      {"it ignores SIGTERM",
       [](JobFacts& job) {
         without_save(job), stopped(job).on_term = Disposition::Ignored, stopped(job).killed = true;
       },
       Reason::IgnoresSigterm},
      {"its save does not end in time", [](JobFacts& job) { without_save(job), stopped(job).killed = true; },
       Reason::SaveTooSlow},
      {"it catches SIGTERM and only exits", [](JobFacts& job) { without_save(job), stopped(job).exit_code = 0; },
       Reason::NoCheckpointAfterNotice},
      {"it leaves half a checkpoint",
       [](JobFacts& job) {
         without_save(job);
         job.attempts[0].checkpoints.push_back({.step = 40, .at = seconds(32), .complete = false});
       },
       Reason::TornCheckpoint},
      {"it has no marker anywhere",
       [](JobFacts& job) {
         without_checkpoints(job);
         job.attempts[0].checkpoints.push_back({.step = 40, .at = seconds(32), .complete = false});
       },
       Reason::NoMarker},
      {"it never saves", without_checkpoints, Reason::NeverCheckpoints},
      {"it saves elsewhere", [](JobFacts& job) { without_checkpoints(job), job.elsewhere = {"out/model.pt"}; },
       Reason::OutputElsewhere},
      {"it prints steps from the start again", [](JobFacts& job) { begin_anew(job.attempts[1]); },
       Reason::ResumedFromZero},
      {"it takes an earlier checkpoint than the one it is given",
       [](JobFacts& job) {
         begin_anew(job.attempts[1]);
         job.attempts[1].ranks[0].counts_from = job.attempts[1].ranks[0].first_printed = 21;
       },
       Reason::ResumedFromEarlier},
      {"the disk of this machine is full",
       [](JobFacts& job) { without_save(job), stopped(job).exit_code = 1, job.disk_full = "No space left on device"; },
       Reason::DiskFull},
      {"it writes checkpoints from the start again",
       [](JobFacts& job) {
         job.attempts[1].ranks[0].first_printed.reset();
         job.attempts[1].checkpoints = {{.step = 20, .at = seconds(70)}};
       },
       Reason::ResumedFromZero},
      {"it cannot load what it saved",
       [](JobFacts& job) {
         job.outcome = JobFacts::Outcome::Failed;
         fail_at_load(job.attempts[1]);
       },
       Reason::FailedAfterResume},
      {"it deletes its checkpoints",
       [](JobFacts& job) {
         job.outcome = JobFacts::Outcome::Stalled;
         job.attempts[1].resumed_from.reset();
         job.attempts[1].ranks[0].exit_code = 86;
       },
       Reason::CheckpointLost},
      {"it fills the volume", [](JobFacts& job) { job.bytes_used = 2000; }, Reason::VolumeFull},
      {"it ends with 0 before anything was saved",
       [](JobFacts& job) {
         job.attempts.pop_back();
         job.attempts[0].checkpoints.clear();
         stopped(job).asked.reset();
         stopped(job).exit_code = 0;
       },
       Reason::EndedTooEarly},
      {"it finishes before anything happens",
       [](JobFacts& job) { job.attempts.pop_back(), stopped(job).asked.reset(), stopped(job).exit_code = 0; },
       Reason::NothingRehearsed},
      {"no node came", [](JobFacts& job) { job.attempts.clear(), job.outcome = JobFacts::Outcome::Running; },
       Reason::NothingRehearsed},
      {"its command is not there", [](JobFacts& job) { stopped(job).reason = "CannotStart"; }, Reason::CannotStart},
      {"it fails before anything happens",
       [](JobFacts& job) {
         job.outcome = JobFacts::Outcome::Failed;
         job.attempts.pop_back();
         stopped(job).asked.reset();
         stopped(job).exit_code = 1;
       },
       Reason::TrainerFailed},
      {"it is never run again",
       [](JobFacts& job) { job.attempts.pop_back(), job.outcome = JobFacts::Outcome::Running; }, Reason::NotResumed}};
  for (const Row& row : rows) {
    JobFacts job = survivor();
    row.change(job);
    const Verdict verdict = judge(job);
    ASSERT_FALSE(verdict.survived()) << row.sentence;
    EXPECT_EQ(verdict.findings[0].reason, row.want) << row.sentence << ": " << name(verdict.findings[0].reason);
    EXPECT_FALSE(verdict.findings[0].what.empty()) << row.sentence;
    EXPECT_FALSE(verdict.findings[0].advice.empty()) << row.sentence;
    EXPECT_EQ(verdict.lost.empty(), interruptions_of(job).empty()) << row.sentence;
  }
}

TEST(Verdict, what_is_on_the_volume_and_no_checkpoint_is_reported_with_its_reason) {
  JobFacts job = survivor();
  without_checkpoints(job);
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("nothing was written to /checkpoints"));
  job.not_laid_out = {"last has no step in its name", "model.pt is a file"};
  EXPECT_EQ(judge(job).findings.at(0).reason, Reason::NeverCheckpoints);
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("last has no step in its name, model.pt is a file"));
}

TEST(Verdict, checkpoints_elsewhere_are_reported_whatever_else_is_on_the_volume) {
  JobFacts job = survivor();
  without_checkpoints(job);
  job.elsewhere = {"output/checkpoint-40"};
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("nothing was saved in /checkpoints, but"));
  job.not_laid_out = {"args.json is a file"};
  const Finding found = judge(job).findings.at(0);
  EXPECT_EQ(found.reason, Reason::OutputElsewhere);
  EXPECT_THAT(found.what, HasSubstr("output/checkpoint-40"));
  EXPECT_THAT(found.what, HasSubstr("args.json is a file")) << "it may be the checkpoint, wrongly laid out";
  EXPECT_THAT(found.advice, HasSubstr("_COMPLETE"));
}

TEST(Verdict, a_full_volume_is_reported_with_how_many_checkpoints_it_must_hold) {
  JobFacts job = survivor();
  job.bytes_used = 2000;
  EXPECT_THAT(judge(job).findings.at(0).advice,
              HasSubstr("one checkpoint more than spec.checkpoint.keep, two where ranks share a volume"));
}

TEST(Verdict, without_any_checkpoint_the_way_with_the_signal_is_shown_too) {
  JobFacts job = survivor();
  without_checkpoints(job);
  stopped(job).on_term = Disposition::Default;
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[1].reason, Reason::NoHandler);
}

TEST(Verdict, a_notice_that_finds_nothing_to_save_is_forgiven_to_a_script_that_saves) {
  JobFacts job = survivor();
  AttemptFacts early{.number = 2, .resumed_from = 40};
  early.ranks = {{.rank = 0, .began = seconds(50), .asked = seconds(51), .ended = seconds(52), .exit_code = 143}};
  job.attempts.insert(job.attempts.begin() + 1, early);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Verdict, a_script_that_has_to_be_killed_after_its_save_survives_with_advice) {
  JobFacts job = survivor();
  stopped(job).killed = true;
  const Verdict verdict = judge(job);
  EXPECT_TRUE(verdict.survived());
  EXPECT_THAT(verdict.advice, ::testing::ElementsAre(HasSubstr("rank 0 does not end on SIGTERM")));
}

TEST(Verdict, a_notice_during_the_start_of_a_trainer_is_not_held_against_it) {
  JobFacts job = survivor();
  AttemptFacts early{.number = 2, .resumed_from = 40, .starting = true};
  early.ranks = {{.rank = 0,
                  .began = seconds(50),
                  .asked = seconds(51),
                  .ended = seconds(52),
                  .exit_code = 143,
                  .on_term = Disposition::Default}};
  early.checkpoints = {};
  job.attempts.insert(job.attempts.begin() + 1, early);
  EXPECT_TRUE(judge(job).survived());
  job.attempts = {early};
  job.outcome = JobFacts::Outcome::Running;
  ASSERT_EQ(judge(job).findings.size(), 1U);
  EXPECT_EQ(judge(job).findings[0].reason, Reason::NothingRehearsed);
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("before the trainer showed that it trains"));
}

TEST(Verdict, a_periodic_save_is_no_answer_of_a_script_that_ignores_sigterm) {
  JobFacts job = survivor();
  stopped(job).killed = true;
  stopped(job).on_term = Disposition::Ignored;
  stopped(job).ended = seconds(140);
  EXPECT_FALSE(interruptions_of(job)[0].save_took) << "it would have come anyway";
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::IgnoresSigterm);
  job.notice_by_request = true;
  EXPECT_TRUE(judge(job).survived()) << "it may have heeded the other signal, or the file";
}

TEST(Verdict, one_rank_that_heeds_sigterm_saves_for_those_that_ignore_it) {
  JobFacts job = survivor();
  RankFacts peer = stopped(job);
  peer.rank = 1;
  peer.killed = true;
  peer.on_term = Disposition::Ignored;
  job.attempts[0].ranks.push_back(peer);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Verdict, a_save_that_never_ends_in_its_grace_is_too_slow_and_lacks_no_marker) {
  JobFacts job = survivor();
  without_checkpoints(job);
  stopped(job).killed = true;
  job.attempts[0].checkpoints.push_back({.step = 40, .at = seconds(32), .complete = false});
  ASSERT_FALSE(judge(job).survived());
  EXPECT_EQ(judge(job).findings[0].reason, Reason::SaveTooSlow);
  job.attempts[0].checkpoints.insert(job.attempts[0].checkpoints.begin(),
                                     {.step = 20, .at = seconds(20), .complete = false});
  EXPECT_EQ(judge(job).findings[0].reason, Reason::NoMarker) << "the earlier one had time enough";
}

TEST(Verdict, processes_that_hold_the_node_after_the_save_are_reported) {
  JobFacts job = survivor();
  stopped(job).ended = seconds(139);
  const Verdict verdict = judge(job);
  EXPECT_TRUE(verdict.survived());
  EXPECT_THAT(verdict.advice, ::testing::ElementsAre(HasSubstr("every process it has started")));
}

TEST(Verdict, what_kept_a_job_from_training_is_named_and_is_not_its_script) {
  JobFacts job = survivor();
  job.attempts.clear();
  job.message = "the cause";
  const auto finding = [&](JobFacts::Outcome outcome) {
    job.outcome = outcome;
    return judge(job).findings.at(0);
  };
  for (const auto outcome : {JobFacts::Outcome::Running, JobFacts::Outcome::Failed, JobFacts::Outcome::Stalled,
                             JobFacts::Outcome::Suspended}) {
    EXPECT_EQ(finding(outcome).reason, Reason::NothingRehearsed);
    EXPECT_THAT(finding(outcome).what, HasSubstr("the cause"));
    EXPECT_THAT(finding(outcome).advice, ::testing::Not(HasSubstr("train longer")));
  }
  EXPECT_THAT(finding(JobFacts::Outcome::Suspended).advice, HasSubstr("spec.suspend"));
}

TEST(Verdict, an_initcontainer_that_keeps_the_trainer_from_its_start_is_named) {
  const InitContainerFacts failed{.name = "fetch",
                                  .attempt = 4,
                                  .rank = 1,
                                  .exit_code = 7,
                                  .last_output = "no such bucket",
                                  .output = "p/fetch.log"};
  JobFacts job = survivor();
  job.attempts.clear();
  job.outcome = JobFacts::Outcome::Failed;
  job.init_containers = {failed};
  ASSERT_EQ(judge(job).findings.size(), 1U);
  EXPECT_EQ(judge(job).findings[0].reason, Reason::InitContainerFailed);
  for (const char* part : {"initContainer fetch of rank 1 in attempt 4 ended with 7", "no such bucket"})
    EXPECT_THAT(judge(job).findings[0].what, HasSubstr(part));
  EXPECT_THAT(judge(job).findings[0].advice, HasSubstr("p/fetch.log"));
  job.outcome = JobFacts::Outcome::Running;
  job.init_containers[0].exit_code.reset();
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("had not ended"));

  job = survivor();
  job.init_containers = {failed};
  job.init_containers[0].attempt = 1;
  EXPECT_TRUE(judge(job).survived()) << "it was run again and ended well";
  job.attempts.pop_back();
  job.init_containers[0].attempt = 2;
  for (const auto outcome : {JobFacts::Outcome::Failed, JobFacts::Outcome::Running}) {
    job.outcome = outcome;
    EXPECT_EQ(judge(job).findings.at(0).reason, Reason::InitContainerFailed) << "it does not run a second time";
  }
}

TEST(Verdict, a_command_that_cannot_start_is_named) {
  JobFacts job = survivor();
  stopped(job).reason = "CannotStart";
  stopped(job).message = "/no/such/cmd: No such file";
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("/no/such/cmd: No such file"));
}

TEST(Verdict, where_nothing_showed_a_resume_that_is_said) {
  JobFacts job = survivor();
  job.attempts[1].ranks[0].first_printed.reset();
  job.attempts[1].ranks[0].last_printed.reset();
  job.attempts[1].checkpoints = {{.step = 60, .at = seconds(110)}};
  const Verdict verdict = judge(job);
  EXPECT_TRUE(verdict.survived());
  EXPECT_THAT(verdict.advice, ::testing::ElementsAre(HasSubstr("nothing showed")));
}

TEST(Verdict, a_crash_that_was_not_asked_for_is_named_with_its_last_words) {
  JobFacts job = survivor();
  job.outcome = JobFacts::Outcome::Failed;
  fail_at_load(job.attempts[1]);
  job.attempts[1].ranks[0].last_output = "cannot load step-40";
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("cannot load step-40"));
}

TEST(Verdict, a_crash_of_a_trainer_that_went_on_is_no_fault_of_its_resume) {
  JobFacts job = survivor();
  AttemptFacts again = job.attempts[1];
  job.attempts[1].ranks[0].exit_code = 1;
  job.attempts[1].ranks[0].finished = false;
  job.attempts[1].ranks[0].last_output = "loss is nan";
  again.number = 3;
  again.resumed_from = 60;
  again.ranks[0].began = seconds(100);
  again.ranks[0].first_printed = 61;
  again.checkpoints.clear();
  job.attempts.push_back(again);
  EXPECT_TRUE(judge(job).survived()) << "it was run again and finished";
  EXPECT_THAT(judge(job).advice, ::testing::ElementsAre(HasSubstr("loss is nan")));
  job.attempts.pop_back();
  job.outcome = JobFacts::Outcome::Failed;
  ASSERT_EQ(judge(job).findings.size(), 1U);
  EXPECT_EQ(judge(job).findings[0].reason, Reason::TrainerFailed);
  EXPECT_THAT(judge(job).lost, IsEmpty()) << "the interruption itself was survived";
}

TEST(Verdict, a_crash_at_the_same_step_again_and_again_is_no_lack_of_progress) {
  JobFacts job = survivor();
  job.outcome = JobFacts::Outcome::Stalled;
  job.attempts[1].ranks[0].exit_code = 1;
  job.attempts[1].ranks[0].finished = false;
  job.attempts[1].ranks[0].last_output = "device-side assert";
  job.attempts[1].checkpoints.clear();
  for (const int number : {3, 4}) {
    AttemptFacts again = job.attempts[1];
    again.number = number;
    again.ranks[0].began = seconds(number * 100);
    again.ranks[0].ended = seconds(number * 100 + 30);
    job.attempts.push_back(again);
  }
  ASSERT_EQ(judge(job).findings.size(), 1U);
  EXPECT_EQ(judge(job).findings[0].reason, Reason::TrainerFailed);
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("device-side assert"));
  EXPECT_THAT(judge(job).lost, IsEmpty()) << "the interruption itself was survived";
}

TEST(Verdict, what_is_left_without_a_new_checkpoint_is_the_one_that_was_given) {
  JobFacts job = survivor();
  job.attempts[0].resumed_from = 10;
  job.attempts[0].checkpoints.clear();
  job.attempts[1].resumed_from = 10;
  job.attempts[1].ranks[0].first_printed = 11;
  stopped(job).exit_code = 1;
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("left step 10 as the newest"));
  job.attempts[0].resumed_from.reset();
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("left no checkpoint"));
}

}  // namespace
}  // namespace reprise::rehearsal
