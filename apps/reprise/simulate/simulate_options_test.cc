#include "apps/reprise/simulate/simulate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::apps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string rejection(const std::vector<std::string>& arguments) {
  const auto options = parse_simulate_options(arguments);
  return options || !options.error().error ? "" : options.error().text;
}

TEST(SimulateOptions, a_single_seed_shows_its_timeline) {
  const auto one = parse_simulate_options({"--seed", "18446744073709551615"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->first_seed, 18446744073709551615U);
  EXPECT_EQ(one->last_seed, one->first_seed);
  EXPECT_TRUE(one->timeline && one->faults);
  const auto many = parse_simulate_options({"--seeds=0..20", "--no-faults", "--operator-log", "info"});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->first_seed, 0U);
  EXPECT_EQ(many->last_seed, 20U);
  EXPECT_FALSE(many->timeline || many->faults);
  EXPECT_EQ(many->operator_log, "info");
}

TEST(SimulateOptions, a_rejection_names_the_flag_what_was_found_and_what_is_allowed) {
  EXPECT_THAT(rejection({"--seed", "-1"}), HasSubstr("'-1'"));
  EXPECT_THAT(rejection({"--seeds", "9..2"}), HasSubstr("--seeds: found '9..2', must be FIRST..LAST"));
  EXPECT_THAT(rejection({"--seed", "1", "--operator-log", "loud"}),
              HasSubstr("--operator-log: found 'loud', must be off, debug, info, warning or error"));
  EXPECT_THAT(rejection({}), AllOf(HasSubstr("--seed or --seeds is needed"), HasSubstr("reprise simulate --help")));
  EXPECT_THAT(rejection({"--seed", "1", "--seeds", "1..2"}), HasSubstr("exclude each other"));
  EXPECT_THAT(rejection({"--seed", "1", "--seed", "2"}), HasSubstr("--seed"));
  EXPECT_THAT(rejection({"--seed", "1", "--time"}), HasSubstr("--time"));
  EXPECT_THAT(rejection({"--seed", "1", "more"}), HasSubstr("'more'"));
}

TEST(SimulateOptions, help_is_no_error_and_names_every_flag) {
  const auto options = parse_simulate_options({"--help"});
  ASSERT_FALSE(options);
  EXPECT_FALSE(options.error().error);
  for (const char* flag : {"--seed ", "--seeds ", "--no-faults", "--timeline", "--replay", "--keep-going",
                           "--until-broken", "--operator-log", "--version", "Exit codes: 0"})
    EXPECT_THAT(options.error().text, HasSubstr(flag));
}

}  // namespace
}  // namespace reprise::apps
