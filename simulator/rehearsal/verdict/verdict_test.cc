#include "simulator/rehearsal/verdict/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace reprise::simulator {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Trained to step 40, noticed at 30 s, saved step 40 two seconds later, resumed from it, finished.
JobFacts survivor() {
  AttemptFacts first{.number = 1};
  first.ranks = {{.rank = 0,
                  .began = seconds(10),
                  .asked = seconds(30),
                  .ended = seconds(33),
                  .exit_code = 143,
                  .on_term = Disposition::Handled,
                  .first_printed = 1,
                  .last_printed = 40}};
  first.checkpoints = {{.step = 20, .at = seconds(20), .bytes = 10}, {.step = 40, .at = seconds(32), .bytes = 10}};
  AttemptFacts second{.number = 2, .resumed_from = 40};
  second.ranks = {{.rank = 0,
                   .began = seconds(60),
                   .ended = seconds(90),
                   .exit_code = 0,
                   .finished = true,
                   .first_printed = 40,
                   .last_printed = 100}};
  second.checkpoints = {{.step = 60, .at = seconds(70), .bytes = 10}};
  return {.name = "a",
          .outcome = JobFacts::Outcome::Complete,
          .attempts = {first, second},
          .checkpoint_path = "/checkpoints",
          .bytes_used = 30,
          .bytes_there = 1000,
          .grace_seconds = 110};
}

// By its printed steps, and by checkpoints that bear their numbers.
void begin_anew(AttemptFacts& attempt) {
  attempt.ranks[0].first_printed = 1;
  attempt.ranks[0].counts_by = 1;
  for (CheckpointFacts& each : attempt.checkpoints) each.printed = each.step;
}

TEST(Interruptions, are_told_with_what_they_cost) {
  const auto all = interruptions_of(survivor());
  ASSERT_EQ(all.size(), 1U);
  const InterruptionFacts& seen = all[0];
  EXPECT_EQ(seen.at, Duration(seconds(30)));
  EXPECT_EQ(seen.save_took, Duration(seconds(2)));
  EXPECT_EQ(seen.step_at_notice, 20);
  EXPECT_EQ(seen.step_saved, 40);
  EXPECT_EQ(seen.step_resumed, 40);
  EXPECT_EQ(seen.resumed_after, Duration(seconds(30)));
  EXPECT_EQ(seen.steps_lost(), 0);
}

TEST(Interruptions, lose_what_was_printed_beyond_the_checkpoint_that_was_resumed) {
  JobFacts job = survivor();
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  job.attempts[1].ranks[0].first_printed = 21;
  EXPECT_EQ(interruptions_of(job)[0].steps_lost(), 20);
  begin_anew(job.attempts[1]);
  EXPECT_EQ(interruptions_of(job)[0].steps_lost(), 40) << "it was given step 20 and began anew";
}

TEST(Interruptions, without_a_notice_cannot_be_answered_by_a_save) {
  JobFacts job = survivor();
  RankFacts& rank = job.attempts[0].ranks[0];
  rank.asked.reset();
  rank.vanished = true;
  rank.ended = seconds(30);
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  const auto all = interruptions_of(job);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].noticed);
  EXPECT_EQ(all[0].steps_lost(), 20);
  EXPECT_TRUE(judge(job).survived());
}

TEST(Interruptions, come_from_outside_and_not_from_a_rank_that_crashes) {
  JobFacts job = survivor();
  RankFacts peer = job.attempts[0].ranks[0];
  peer.rank = 1;
  peer.asked.reset();
  peer.exit_code = 3;
  peer.last_words = "boom";
  peer.ended = seconds(29);
  job.attempts[0].ranks.push_back(peer);
  job.outcome = JobFacts::Outcome::Failed;
  job.attempts.pop_back();
  EXPECT_TRUE(interruptions_of(job).empty()) << "the other was asked because this one was gone";
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::TrainerFailed);
  EXPECT_THAT(verdict.findings[0].what, HasSubstr("boom"));
}

TEST(Interruptions, are_not_the_failure_of_a_rank_that_dies_of_a_peer_that_was_interrupted) {
  JobFacts job = survivor();
  AttemptFacts& again = job.attempts[1];
  again.ranks[0].asked = seconds(80);
  again.ranks[0].exit_code = 143;
  again.ranks.push_back({.rank = 1, .began = seconds(60), .ended = seconds(81), .exit_code = 1});
  again.checkpoints.push_back({.step = 70, .at = seconds(82)});
  AttemptFacts last{.number = 3, .resumed_from = 70};
  last.ranks = {{.rank = 0, .began = seconds(110), .ended = seconds(140), .finished = true, .first_printed = 71}};
  job.attempts.push_back(last);
  EXPECT_EQ(interruptions_of(job).size(), 2U);
  EXPECT_TRUE(judge(job).survived());
}

struct Row {
  std::string sentence;
  std::function<void(JobFacts&)> change;
  Reason want;
};

RankFacts& stopped(JobFacts& job) {
  return job.attempts[0].ranks[0];
}
void without_save(JobFacts& job) {
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  job.attempts[1].ranks[0].first_printed = 20;
}
void without_checkpoints(JobFacts& job) {
  for (AttemptFacts& each : job.attempts) each.checkpoints.clear();
  job.attempts[1].resumed_from.reset();
}

TEST(Verdict, a_script_that_saves_and_resumes_survives) {
  const Verdict verdict = judge(survivor());
  EXPECT_TRUE(verdict.survived()) << verdict.findings[0].what;
  EXPECT_THAT(verdict.advice, IsEmpty());
}

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
      {"it writes checkpoints from the start again",
       [](JobFacts& job) {
         job.attempts[1].ranks[0].first_printed.reset();
         job.attempts[1].checkpoints = {{.step = 20, .at = seconds(70)}};
       },
       Reason::ResumedFromZero},
      {"it cannot load what it saved",
       [](JobFacts& job) {
         job.outcome = JobFacts::Outcome::Failed;
         job.attempts[1].ranks[0].exit_code = 1;
         job.attempts[1].ranks[0].finished = false;
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
      {"no machine came", [](JobFacts& job) { job.attempts.clear(), job.outcome = JobFacts::Outcome::Running; },
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

// Notices at 30, 80 and 130 s; each time saved and resumed.
JobFacts three_times() {
  JobFacts job = survivor();
  for (const std::int64_t step : {60, 80}) {
    AttemptFacts& last = job.attempts.back();
    last.ranks[0].asked = last.ranks[0].began + seconds(20);
    last.ranks[0].ended = last.ranks[0].began + seconds(23);
    last.ranks[0].exit_code = 143;
    last.ranks[0].finished = false;
    last.ranks[0].last_printed = step;
    last.checkpoints = {{.step = step, .at = last.ranks[0].began + seconds(21)}};
    AttemptFacts next{.number = last.number + 1, .resumed_from = step};
    next.ranks = {{.began = last.ranks[0].began + seconds(50),
                   .ended = last.ranks[0].began + seconds(90),
                   .finished = true,
                   .first_printed = step,
                   .last_printed = 100}};
    job.attempts.push_back(std::move(next));
  }
  return job;
}

TEST(Verdict, an_interruption_is_lost_where_a_finding_is_about_it_and_no_other) {
  using ::testing::ElementsAre;
  EXPECT_TRUE(judge(three_times()).survived());
  EXPECT_THAT(judge(three_times()).lost, IsEmpty());
  JobFacts job = three_times();
  job.attempts[1].ranks[0].on_term = Disposition::Default;
  job.attempts[1].checkpoints = {{.step = 50, .at = seconds(70)}};
  job.attempts[2].resumed_from = 50;
  job.attempts[2].ranks[0].first_printed = 50;
  EXPECT_THAT(judge(job).lost, ElementsAre(1U)) << "it had saved nothing";
  job = three_times();
  job.attempts[2].checkpoints = {{.step = 30, .at = seconds(131)}};
  job.attempts[2].ranks[0].last_printed = 30;
  EXPECT_THAT(judge(job).lost, ElementsAre(1U)) << "the attempt after it began anew";
  job = three_times();
  job.attempts[3].ranks[0].finished = false;
  job.attempts[3].ranks[0].exit_code = 1;
  job.outcome = JobFacts::Outcome::Failed;
  EXPECT_THAT(judge(job).lost, ElementsAre(2U)) << "the attempt after it could not load";
  job = three_times();
  job.bytes_used = 2000;
  EXPECT_THAT(judge(job).lost, ElementsAre(0U, 1U, 2U)) << "a full volume is about all of them";
}

TEST(Verdict, attempts_that_show_nothing_are_lost_with_one_that_began_anew) {
  JobFacts job = three_times();
  for (AttemptFacts& each : job.attempts) each.ranks[0].first_printed.reset(), each.ranks[0].last_printed.reset();
  job.attempts[1].checkpoints[0].step = 30;
  job.attempts[2].resumed_from = job.attempts[3].resumed_from = 40;
  job.attempts[2].checkpoints.clear();
  EXPECT_EQ(judge(job).findings.at(0).reason, Reason::ResumedFromZero);
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("given step 40 and wrote a checkpoint of step 30"));
  EXPECT_EQ(judge(job).lost.size(), 3U);
}

TEST(Verdict, attempts_that_save_nothing_further_are_named_and_no_claim_is_made_how_they_began) {
  JobFacts job = three_times();
  for (AttemptFacts& each : job.attempts) {
    each.ranks[0].first_printed.reset(), each.ranks[0].last_printed.reset();
    for (CheckpointFacts& checkpoint : each.checkpoints) checkpoint.step = 40;
    if (each.resumed_from) each.resumed_from = 40;
  }
  job.attempts.pop_back();
  job.outcome = JobFacts::Outcome::Stalled;
  job.message = "3 attempts in a row brought no newer checkpoint";
  const Verdict verdict = judge(job);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].reason, Reason::NoProgress);
  EXPECT_THAT(verdict.findings[0].what, HasSubstr("attempts 2 to 3 were each given step 40"));
  EXPECT_THAT(verdict.lost, ::testing::ElementsAre(0U, 1U));
}

TEST(Verdict, what_is_on_the_volume_and_no_checkpoint_is_told_with_its_reason) {
  JobFacts job = survivor();
  without_checkpoints(job);
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("nothing was written to /checkpoints"));
  job.not_laid_out = {"last has no step in its name", "model.pt is a file"};
  job.elsewhere = {"out/model.pt"};
  EXPECT_EQ(judge(job).findings.at(0).reason, Reason::NeverCheckpoints) << "what is on the volume comes first";
  EXPECT_THAT(judge(job).findings.at(0).what, HasSubstr("last has no step in its name, model.pt is a file"));
}

TEST(Verdict, without_any_checkpoint_the_way_with_the_signal_is_told_too) {
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

TEST(Verdict, processes_that_hold_the_machine_after_the_save_are_told_of) {
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
                                  .last_words = "no such bucket",
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
  job.attempts[1].ranks[0].exit_code = 1;
  job.attempts[1].ranks[0].last_words = "cannot load step-40";
  EXPECT_THAT(judge(job).findings[0].what, HasSubstr("cannot load step-40"));
}

}  // namespace
}  // namespace reprise::simulator
