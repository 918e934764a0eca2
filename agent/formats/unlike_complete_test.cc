#include "agent/formats/unlike_complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

std::vector<std::string> left_of(Checkpoints found) {
  std::vector<std::string> names;
  for (const Checkpoint& each : without_unlike_complete(std::move(found))) names.push_back(each.name);
  return names;
}

Checkpoint marked(const std::string& name, bool complete) {
  return {.name = name, .complete = complete, .format = std::string(kMarkerFormat)};
}

TEST(unlike_complete, another_word_behind_the_number_is_no_torn_save) {
  EXPECT_THAT(left_of({marked("step_20", true), marked("step_40", false), marked("step_40_eval", false)}),
              testing::ElementsAre("step_20", "step_40"));
}

TEST(unlike_complete, all_stay_where_nothing_is_complete) {
  EXPECT_THAT(left_of({marked("step_40", false), marked("step_40_eval", false)}), testing::SizeIs(2));
}

}  // namespace
}  // namespace reprise::agent
