#include "runtime/kube/conditions.h"

#include <gtest/gtest.h>

namespace reprise::kube {
namespace {

using std::chrono::hours;

struct ConditionsTest : ::testing::Test {
  const Time early = Time{} + hours(1), late = Time{} + hours(2);
  std::vector<Condition> conditions;
};

TEST_F(ConditionsTest, the_transition_time_moves_only_when_the_status_does) {
  ConditionSetter(conditions, 1, early).set_false("Ready", "Starting", "Not yet");
  ConditionSetter(conditions, 2, late).set_false("Ready", "Waiting", "Still not");
  EXPECT_EQ(conditions.at(0).last_transition_time, early);
  EXPECT_EQ(conditions.at(0).reason, "Waiting");
  EXPECT_EQ(conditions.at(0).observed_generation, 2);
  ConditionSetter(conditions, 2, late).set_true("Ready", "Done", "Now");
  EXPECT_EQ(conditions.at(0).last_transition_time, late);
  EXPECT_EQ(conditions.size(), 1U);
}

TEST_F(ConditionsTest, setting_the_same_again_changes_nothing) {
  ConditionSetter(conditions, 1, early).set_true("Ready", "Done", "Now");
  const auto before = conditions;
  ConditionSetter(conditions, 1, late).set_true("Ready", "Done", "Now");
  EXPECT_EQ(conditions, before);
}

TEST_F(ConditionsTest, a_long_message_is_cut_between_characters) {
  ConditionSetter(conditions, 1, early).set_true("Ready", "Done", std::string(2047, 'a') + "\u00e4");
  EXPECT_EQ(conditions.at(0).message, std::string(2047, 'a'));
}

}  // namespace
}  // namespace reprise::kube
