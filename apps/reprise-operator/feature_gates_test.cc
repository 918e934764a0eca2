#include "apps/reprise-operator/feature_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::apps {
namespace {

using ::testing::HasSubstr;

TEST(FeatureGates, are_off_unless_they_are_asked_for) {
  EXPECT_FALSE(parse_feature_gates("")->kueue);
  EXPECT_TRUE(parse_feature_gates("Kueue=true")->kueue);
  EXPECT_FALSE(parse_feature_gates("Kueue=false")->kueue);
}

TEST(FeatureGates, say_what_is_wrong_and_what_there_is) {
  EXPECT_THAT(parse_feature_gates("Keueu=true").error(), HasSubstr("there is Kueue"));
  EXPECT_THAT(parse_feature_gates("Kueue=yes").error(), HasSubstr("true or false"));
  EXPECT_THAT(parse_feature_gates("Kueue").error(), HasSubstr("given no value"));
  EXPECT_THAT(parse_feature_gates("Kueue=true,Kueue=false").error(), HasSubstr("twice"));
}

TEST(FeatureGates, that_need_another_one_are_not_on_without_it) {
  EXPECT_TRUE(parse_feature_gates("KueuePriorityBoost=true,Kueue=true")->kueue_priority_boost);
  EXPECT_FALSE(parse_feature_gates("Kueue=true")->kueue_priority_boost);
  for (const char* alone : {"KueuePriorityBoost=true", "KueuePriorityBoost=true,Kueue=false"})
    EXPECT_THAT(parse_feature_gates(alone).error(), HasSubstr("needs Kueue=true"));
}

TEST(FeatureGates, are_written_as_they_would_be_given) {
  EXPECT_EQ(to_text({.kueue = true}), "Kueue=true,KueuePriorityBoost=false");
  for (const bool on : {true, false}) EXPECT_EQ(parse_feature_gates(to_text({.kueue = on}))->kueue, on);
}

}  // namespace
}  // namespace reprise::apps
