#include "agent/core/stop/telling/second_lives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr pid_t kParent = 1;
const Process kLoop{.pid = 2, .parent = kParent, .name = "sh", .command = 10, .started = 1};
const Process kRank{.pid = 3, .parent = 2, .command = 20, .started = 2};

Process again(pid_t parent) {
  return {.pid = 9, .parent = parent, .command = 20, .started = 50};
}

TEST(second_lives, are_ranks_that_are_started_again) {
  SecondLives lives({3}, {kLoop, kRank});
  EXPECT_THAT(lives.look({kLoop, kRank}, kParent).lives, IsEmpty());
  const auto found = lives.look({kLoop, again(2)}, kParent);
  EXPECT_THAT(found.lives, ElementsAre(9));
  EXPECT_THAT(found.starters, ElementsAre(2));
  // A life is one until it has ended.
  EXPECT_THAT(lives.look({kLoop, again(2)}, kParent).lives, ElementsAre(9));
  Process ended = again(2);
  ended.ended = true;
  EXPECT_THAT(lives.look({kLoop, ended}, kParent).lives, IsEmpty());
}

TEST(second_lives, have_the_pid_of_a_rank_that_has_ended_too) {
  SecondLives lives({3}, {kLoop, kRank});
  Process same_pid = again(2);
  same_pid.pid = 3;
  EXPECT_THAT(lives.look({kLoop, same_pid}, kParent).lives, ElementsAre(3));
}

TEST(second_lives, are_none_of_the_forks_by_which_a_rank_saves) {
  SecondLives lives({3}, {kLoop, kRank});
  EXPECT_THAT(lives.look({kLoop, kRank, again(3)}, kParent).lives, IsEmpty());
  // The rank has ended, its fork goes on saving.
  Process saves = again(kParent);
  saves.pid = 10;
  EXPECT_THAT(lives.look({kLoop, saves}, kParent).lives, IsEmpty());
}

TEST(second_lives, are_no_other_commands) {
  SecondLives lives({3}, {kLoop, kRank});
  EXPECT_THAT(lives.look({kLoop, {.pid = 9, .parent = 2, .command = 30, .started = 50}}, kParent).lives, IsEmpty());
  EXPECT_THAT(lives.look({kLoop, {.pid = 9, .parent = 2, .command = 0, .started = 50}}, kParent).lives, IsEmpty());
}

TEST(second_lives, begin_by_a_command_that_the_starters_child_becomes) {
  SecondLives lives({3}, {kLoop, kRank});
  EXPECT_THAT(lives.look({kLoop, {.pid = 9, .parent = 2, .command = 10, .started = 50}}, kParent).lives, IsEmpty());
  EXPECT_THAT(lives.look({kLoop, again(2)}, kParent).lives, ElementsAre(9));
}

}  // namespace
}  // namespace reprise::agent
