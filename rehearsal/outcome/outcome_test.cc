#include "rehearsal/outcome/outcome.h"

#include <gtest/gtest.h>

namespace reprise::rehearsal {
namespace {

using Outcome = JobFacts::Outcome;

simulator::Value in_vain(std::int64_t attempts) {
  simulator::Value job;
  simulator::set(job, {"status", "attemptsWithoutProgress"}, simulator::Value(attempts));
  return job;
}

// Given step 40, it ended like that; the next attempt has begun.
JobFacts after(const RankFacts& rank) {
  JobFacts facts;
  facts.attempts.push_back({.number = 3, .resumed_from = 40, .ranks = {rank}});
  facts.attempts.push_back({.number = 4, .ranks = {RankFacts{}}});
  return facts;
}

RankFacts ended(int code, std::optional<std::int64_t> printed = {}) {
  return {.ended = Duration(1), .exit_code = code, .last_printed = printed};
}

TEST(Outcome, three_attempts_in_vain_are_enough_where_all_of_them_are_short) {
  EXPECT_EQ(state_of(in_vain(2), after(ended(143)), false).outcome, Outcome::Running);
  const JobState over = state_of(in_vain(3), after(ended(143)), false);
  EXPECT_EQ(over.outcome, Outcome::Stalled);
  EXPECT_EQ(over.message, "3 attempts in a row brought no newer checkpoint");
}

TEST(Outcome, a_trainer_that_may_have_had_nothing_left_to_do_goes_on) {
  EXPECT_EQ(state_of(in_vain(5), after(ended(0)), false).outcome, Outcome::Running);
  EXPECT_EQ(state_of(in_vain(5), after(ended(0, 40)), false).outcome, Outcome::Running);
  EXPECT_EQ(state_of(in_vain(5), after(ended(0, 41)), false).outcome, Outcome::Stalled) << "it had trained on";
  EXPECT_EQ(state_of(in_vain(5), JobFacts(), false).outcome, Outcome::Stalled) << "none was begun";
}

TEST(Outcome, whoever_was_killed_or_was_given_no_checkpoint_had_something_left) {
  RankFacts killed = ended(0);
  killed.killed = true;
  EXPECT_FALSE(had_nothing_left(after(killed)));
  JobFacts anew = after(ended(0));
  anew.attempts[0].resumed_from.reset();
  EXPECT_FALSE(had_nothing_left(anew));
}

}  // namespace
}  // namespace reprise::rehearsal
