// The ranks of a gang wait for these before their trainers are told to stop, and for how long.
#include "agent/core/stop/telling/told_together.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(told_together, waits_for_ranks_that_train_and_were_not_told) {
  EXPECT_THAT(not_told_yet({"0.alive", "0.told", "1.alive", "2.alive", "resume.json"}), ElementsAre(1, 2));
  EXPECT_THAT(not_told_yet({"0.alive", "0.told", "1.alive", "1.told"}), IsEmpty());
}

TEST(told_together, waits_for_nobody_who_has_ended_or_never_began) {
  EXPECT_THAT(not_told_yet({"0.alive", "0.told", "1.alive", "1.json"}), IsEmpty());
  EXPECT_THAT(not_told_yet({"0.alive", "0.told", "1.room"}), IsEmpty());
}

TEST(told_together, takes_no_other_file_for_a_ranks) {
  EXPECT_THAT(not_told_yet({"0.alive", ".0.told.pod-1.tmp", "torn.json", "0x.told", "10.alive", "10.told"}),
              ElementsAre(0));
}

TEST(told_together, takes_no_more_than_a_tenth_of_the_grace_and_three_seconds) {
  EXPECT_EQ(longest_gathering(20s), 2s);
  EXPECT_EQ(longest_gathering(120s), 3s);
}

}  // namespace
}  // namespace reprise::agent
