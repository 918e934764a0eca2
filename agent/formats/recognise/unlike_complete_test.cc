#include "agent/formats/recognise/unlike_complete.h"

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

TEST(unlike_complete, a_torn_program_of_a_save_stays_beside_another_one_that_is_whole) {
  const auto saved = [](const std::string& name, bool complete) {
    return Checkpoint{.name = name, .complete = complete, .format = "DeepSpeed"};
  };
  const std::string whole = "ckpt/_actor/global_step1", torn = "ckpt/_critic/global_step1";
  for (const bool below_root : {false, true}) {
    const auto left = [&](const std::string& other) {
      Checkpoints found{saved(whole, true), saved(other, false)};
      return below_root ? without_unlike_below_root(std::move(found)) : without_unlike_complete(std::move(found));
    };
    EXPECT_THAT(left(torn), testing::SizeIs(2));
    EXPECT_THAT(left("ckpt/_critic/global_step2"), testing::SizeIs(1)) << "of another save, as far as it shows";
    EXPECT_THAT(left("other/_critic/global_step1"), testing::SizeIs(1)) << "of another training";
    EXPECT_THAT(left("ckpt/eval/global_step1"), testing::SizeIs(1));
  }
}

}  // namespace
}  // namespace reprise::agent
