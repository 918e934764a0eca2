#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/reprise/simulate_command.h"

namespace reprise::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Simulate, a_seed_gives_the_same_output_each_time) {
  std::ostringstream first, second, err;
  ASSERT_EQ(run_simulate({"--seed", "3"}, first, err), 0);
  ASSERT_EQ(run_simulate({"--seed", "3"}, second, err), 0);
  EXPECT_EQ(first.str(), second.str());
  EXPECT_THAT(first.str(), HasSubstr("1 scenarios, "));
  EXPECT_THAT(first.str(), Not(HasSubstr("a minute of one core")));
  EXPECT_THAT(err.str(), HasSubstr("a minute of one core"));
}

}  // namespace
}  // namespace reprise::apps
