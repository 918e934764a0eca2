#include "rehearsal/verdict/resumption.h"

#include <gtest/gtest.h>

namespace reprise::rehearsal {
namespace {

using std::chrono::seconds;

// A step a second; the second attempt was given step 40.
JobFacts job_with(const RankFacts& rank, std::vector<CheckpointFacts> checkpoints) {
  AttemptFacts first{.number = 1};
  first.ranks = {{.began = seconds(0), .asked = seconds(40), .ended = seconds(41)}};
  first.checkpoints = {{.step = 20, .at = seconds(20)}, {.step = 40, .at = seconds(40)}};
  AttemptFacts second{.number = 2, .resumed_from = 40};
  second.ranks = {rank};
  second.ranks[0].began = seconds(100);
  second.checkpoints = std::move(checkpoints);
  return {.attempts = {first, second}};
}
Resumption resumption(const RankFacts& rank, std::vector<CheckpointFacts> checkpoints) {
  return resumption_of(job_with(rank, std::move(checkpoints)), 1);
}

TEST(Resumption, is_of_what_was_given) {
  EXPECT_EQ(resumption_of(job_with({}, {}), 0), Resumption::NothingGiven);
}

TEST(Resumption, is_not_shown_by_silence) {
  EXPECT_EQ(resumption({}, {}), Resumption::NotShown);
  EXPECT_EQ(resumption({}, {{.step = 120, .at = seconds(220)}}), Resumption::NotShown) << "from zero it takes as long";
}

TEST(Resumption, is_shown_by_the_first_step_that_is_printed) {
  EXPECT_EQ(resumption({.first_printed = 40, .last_printed = 40}, {}), Resumption::NotShown) << "what it was given";
  EXPECT_EQ(resumption({.first_printed = 40, .last_printed = 20}, {}), Resumption::NotShown) << "and then another";
  EXPECT_EQ(resumption({.first_printed = 40, .last_printed = 60}, {}), Resumption::Shown);
  EXPECT_EQ(resumption({.first_printed = 50, .last_printed = 150, .counts_from = 50, .counts_by = 50}, {}),
            Resumption::NotShown)
      << "who prints every fiftieth step begins so from zero, too";
}

TEST(Resumption, is_shown_by_a_checkpoint_that_comes_sooner_than_from_zero) {
  const CheckpointFacts soon{.step = 80, .at = seconds(135)};
  EXPECT_EQ(resumption({}, {soon}), Resumption::Shown);
  EXPECT_EQ(resumption({}, {{.step = 80, .at = seconds(145)}}), Resumption::NotShown)
      << "it may have come from step 20, which was on the volume too";
  JobFacts job = job_with({}, {soon});
  job.attempts[0].checkpoints.erase(job.attempts[0].checkpoints.begin());
  EXPECT_EQ(resumption_of(job, 1), Resumption::NotShown) << "the first attempt may have been slow to start";
}

TEST(Resumption, a_printed_number_alone_is_no_new_start) {
  const CheckpointFacts later{.step = 65, .at = seconds(150), .printed = 15};
  EXPECT_NE(resumption({.first_printed = 10, .last_printed = 60}, {}), Resumption::StartedOver) << "eval every step 10";
  EXPECT_NE(resumption({.first_printed = 15, .last_printed = 15}, {later}), Resumption::StartedOver)
      << "epoch 1 step 15";
  EXPECT_NE(resumption({.first_printed = 1, .last_printed = 20, .counts_from = 1, .counts_by = 1}, {}),
            Resumption::StartedOver)
      << "an epoch may begin where it went on";
}

TEST(Resumption, steps_of_its_own_counting_show_that_its_checkpoints_go_on) {
  EXPECT_EQ(resumption({.first_printed = 1, .last_printed = 30, .counts_from = 1, .counts_by = 1},
                       {{.step = 60, .at = seconds(170), .printed = 20}}),
            Resumption::Shown);
}

TEST(Resumption, a_new_start_is_seen_by_steps_and_checkpoints_together) {
  EXPECT_EQ(resumption({.first_printed = 1, .last_printed = 60, .counts_from = 1, .counts_by = 1},
                       {{.step = 60, .at = seconds(160), .printed = 60}}),
            Resumption::StartedOver);
}

TEST(Resumption, a_new_start_is_seen_by_an_earlier_checkpoint) {
  EXPECT_EQ(resumption({}, {{.step = 20, .at = seconds(120)}}), Resumption::StartedOver);
}

TEST(Resumption, a_checkpoint_that_a_correct_script_may_write_as_well_is_no_new_start) {
  EXPECT_EQ(resumption({}, {{.step = 40, .at = seconds(120)}, {.step = 40, .at = seconds(130)}}), Resumption::NotShown)
      << "the one it was given is written again where they are named by epochs";
  EXPECT_EQ(resumption({}, {{.step = 0, .at = seconds(101)}}), Resumption::NotShown) << "saved before it loads";
  EXPECT_EQ(resumption({}, {{.step = 20, .at = seconds(20), .older = true}}), Resumption::NotShown)
      << "an old one was given another name";
}

// Saves every 50 steps and on a notice; was given step 89, and may have taken step 50.
JobFacts given_89(const RankFacts& rank, std::vector<CheckpointFacts> checkpoints) {
  JobFacts job = job_with(rank, std::move(checkpoints));
  job.attempts[0].checkpoints = {{.step = 50, .at = seconds(20), .printed = 50},
                                 {.step = 89, .at = seconds(40), .printed = 89}};
  job.attempts[1].resumed_from = 89;
  return job;
}

// On a busy machine output comes later than the checkpoint of that step.
TEST(Resumption, from_an_earlier_checkpoint_is_not_from_zero_where_printed_steps_lag_behind_saves) {
  const RankFacts back{.first_printed = 51, .last_printed = 84, .counts_from = 51, .counts_by = 1};
  EXPECT_EQ(resumption_of(given_89(back, {{.step = 84, .at = seconds(110), .printed = 70}}), 1), Resumption::WentBack);
  const RankFacts anew{.first_printed = 1, .last_printed = 84, .counts_from = 1, .counts_by = 1};
  EXPECT_EQ(resumption_of(given_89(anew, {{.step = 84, .at = seconds(110), .printed = 70}}), 1),
            Resumption::StartedOver);
}

// A trainer that saves when it is told to and again before it ends leaves two close to each other.
TEST(Resumption, from_the_last_checkpoint_but_two_is_not_from_zero_either) {
  const RankFacts back{.first_printed = 51, .last_printed = 84, .counts_from = 51, .counts_by = 1};
  JobFacts job = given_89(back, {{.step = 84, .at = seconds(110), .printed = 70}});
  job.attempts[0].checkpoints.push_back({.step = 88, .at = seconds(39), .printed = 80});
  EXPECT_EQ(resumption_of(job, 1), Resumption::WentBack);
}

TEST(Resumption, from_an_earlier_checkpoint_than_the_one_given_is_no_resume_of_it) {
  const RankFacts back{.first_printed = 51, .last_printed = 120, .counts_from = 51, .counts_by = 1};
  const CheckpointFacts later{.step = 100, .at = seconds(110), .printed = 100};
  const JobFacts job = given_89(back, {later});
  EXPECT_EQ(resumption_of(job, 1), Resumption::WentBack);
  EXPECT_EQ(began_at(job, 1), 50);
  EXPECT_EQ(resumption_of(given_89(back, {}), 1), Resumption::WentBack) << "the first attempt printed what it saved";
  RankFacts said = back;
  said.first_printed = 89;
  EXPECT_EQ(resumption_of(given_89(said, {later}), 1), Resumption::WentBack) << "it named the step that it was given";
  JobFacts silent = given_89({}, {{.step = 100, .at = seconds(125)}});
  EXPECT_EQ(resumption_of(silent, 1), Resumption::NotShown) << "too far for zero, and not for step 50";
}

TEST(Resumption, of_the_step_given_is_told_from_one_of_an_earlier_checkpoint_by_the_first_step) {
  const auto how = [](std::int64_t from, std::int64_t by) {
    return resumption_of(
        given_89({.first_printed = from, .last_printed = from + 4 * by, .counts_from = from, .counts_by = by}, {}), 1);
  };
  for (const std::int64_t from : {89, 90}) EXPECT_EQ(how(from, 1), Resumption::Shown) << from;
  EXPECT_EQ(how(88, 1), Resumption::NotShown) << "numbers from 0 on";
  EXPECT_EQ(how(90, 10), Resumption::Shown);
  EXPECT_EQ(how(100, 50), Resumption::NotShown) << "from step 50 it would print the same";
}

TEST(Resumption, a_trainer_that_counts_something_else_than_its_checkpoints_is_not_said_to_have_gone_back) {
  // Epochs of a hundred steps: epoch-7 was given.
  const RankFacts epoch{.first_printed = 1, .last_printed = 100, .counts_from = 1, .counts_by = 1};
  JobFacts job = job_with(epoch, {{.step = 8, .at = seconds(150), .printed = 100}});
  job.attempts[0].checkpoints = {{.step = 6, .at = seconds(20), .printed = 100},
                                 {.step = 7, .at = seconds(40), .printed = 100}};
  job.attempts[1].resumed_from = 7;
  EXPECT_EQ(resumption_of(job, 1), Resumption::NotShown);
  // Epochs of eight steps, of which the first attempt has seen several.
  job.attempts[0].ranks[0].counts_again = true;
  job.attempts[1].checkpoints[0].printed = 8;
  EXPECT_EQ(resumption_of(job, 1), Resumption::NotShown);
}

}  // namespace
}  // namespace reprise::rehearsal
