#include "agent/core/generations/epoch_and_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "agent/core/generations/side_files.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::plain_file;
using testing_support::put_text;

std::vector<std::optional<std::int64_t>> steps(const std::vector<std::string>& names) {
  std::vector<std::optional<std::int64_t>> steps;
  const auto told = told_by_all(names);
  for (const std::string& each : names) {
    const auto found = told.find(each);
    steps.push_back(found == told.end() ? std::nullopt : found->second.step);
  }
  return steps;
}

TEST(epoch_and_step, the_number_that_rises_faster_from_save_to_save_is_the_step) {
  EXPECT_THAT(steps({"checkpoint_1_100.pt", "checkpoint_1_200.pt", "checkpoint_2_300.pt"}),
              testing::ElementsAre(100, 200, 300));
  EXPECT_THAT(steps({"checkpoint_1_100.pt", "checkpoint_2_200.pt", "checkpoint_3_300.pt"}),
              testing::ElementsAre(100, 200, 300));
  EXPECT_THAT(steps({"out/checkpoint_0_50.pt", "out/checkpoint_0_100.pt", "out/checkpoint_0_150.pt"}),
              testing::ElementsAre(50, 100, 150));
  EXPECT_THAT(steps({"checkpoint_100_0.pt", "checkpoint_200_0.pt", "checkpoint_300_0.pt"}),
              testing::ElementsAre(100, 200, 300));
  EXPECT_THAT(steps({"checkpoint_1_100-model_part-0-shard0.pt", "checkpoint_1_100-model_part-0-shard1.pt",
                     "checkpoint_1_200-model_part-0-shard0.pt", "checkpoint_1_300-model_part-0-shard1.pt"}),
              testing::ElementsAre(100, 100, 200, 300));
}

TEST(epoch_and_step, nothing_is_told_where_one_of_them_may_be_a_rank_or_too_few_are_there) {
  const std::vector<std::vector<std::string>> cases{
      {"checkpoint_1_100.pt", "checkpoint_1_200.pt"},
      {"checkpoint_100_0.pt", "checkpoint_100_1.pt", "checkpoint_200_0.pt", "checkpoint_200_1.pt"},
      {"checkpoint_100_0.pt", "checkpoint_200_1.pt", "checkpoint_300_2.pt"},
      {"checkpoint_0_100.pt", "checkpoint_1_100.pt", "checkpoint_0_200.pt", "checkpoint_1_200.pt"},
      {"checkpoint_1_1.pt", "checkpoint_1_2.pt", "checkpoint_1_3.pt"},
      {"checkpoint_1_5.pt", "checkpoint_2_5.pt", "checkpoint_3_5.pt"},
      {"checkpoint_0_1.pt", "checkpoint_0_2.pt", "checkpoint_0_3.pt", "checkpoint_1_1.pt"},
      {"checkpoint_1_100.pt", "checkpoint_2_300.pt", "checkpoint_3_200.pt"},
      {"a/checkpoint_1_100.pt", "b/checkpoint_1_200.pt", "c/checkpoint_1_300.pt"},
      {"model-1-100.pt", "model-1-200.pt", "model-1-300.pt"}};
  for (const auto& names : cases) EXPECT_THAT(told_by_all(names), testing::IsEmpty()) << names.front();
}

class EpochAndStep : public testing_support::LayoutFormatTest {
 protected:
  EpochAndStep() { use("Plain"); }
  void save_file(const std::string& name) const { put_text(root() / name, plain_file()); }
};

TEST_F(EpochAndStep, fairseq_s_saves_go_behind_so_many_newer_ones) {
  auto watching = watch(1);
  for (const char* name : {"checkpoint_1_100.pt", "checkpoint_1_200.pt"}) {
    save_file(name);
    watching.look();
  }
  EXPECT_TRUE(exists("checkpoint_1_100.pt")) << "two of them show nothing yet";
  save_file("checkpoint_2_300.pt");
  watching.look();
  EXPECT_FALSE(exists("checkpoint_1_100.pt"));
  EXPECT_FALSE(exists("checkpoint_1_200.pt"));
  EXPECT_TRUE(exists("checkpoint_2_300.pt"));
}

TEST_F(EpochAndStep, a_step_of_shards_goes_whole_and_stays_where_a_newer_one_lacks_one) {
  auto watching = watch(1);
  const auto save = [&](const std::string& step, int shards) {
    for (int shard = 0; shard < shards; ++shard)
      save_file("checkpoint_" + step + "-model_part-0-shard" + std::to_string(shard) + ".pt");
    watching.look();
  };
  save("1_100", 2);
  save("1_200", 2);
  save("2_300", 1);
  EXPECT_TRUE(exists("checkpoint_1_200-model_part-0-shard1.pt"));
  save("2_300", 2);
  for (int shard = 0; shard < 2; ++shard) {
    const std::string end = "-model_part-0-shard" + std::to_string(shard) + ".pt";
    EXPECT_FALSE(exists("checkpoint_1_200" + end)) << shard;
    EXPECT_TRUE(exists("checkpoint_2_300" + end)) << shard;
  }
}

TEST(side_files, are_called_as_a_checkpoint_but_for_their_ending) {
  for (const char* file : {"out/step_1.json", "out/step_1.pt.sha256", "out/step_1.yaml"})
    EXPECT_TRUE(is_called_as_side_of(file, "out/step_1.pt")) << file;
  for (const char* file :
       {"out/step_10.json", "step_1.json", "out/step_1_eval.json", "out/step_1.log", "out/step_1.pt", "out/step_1.png"})
    EXPECT_FALSE(is_called_as_side_of(file, "out/step_1.pt")) << file;
}

TEST_F(EpochAndStep, what_was_written_beside_a_checkpoint_goes_with_it_and_what_came_later_stays) {
  auto watching = watch(1);
  const auto save = [&](int step) {
    const std::string name = "step_" + std::to_string(step);
    put_text(root() / (name + ".json"), "{}");
    save_file(name + ".pt");
    put_text(root() / (name + ".txt"), "evaluated");
    put_text(root() / (name + ".log"), "a log");
    const auto time = fs::last_write_time(root() / (name + ".pt"));
    fs::last_write_time(root() / (name + ".txt"), time + std::chrono::minutes(10));
    watching.look();
  };
  save(1);
  EXPECT_TRUE(exists("step_1.json"));
  save(2);
  EXPECT_FALSE(exists("step_1.pt"));
  EXPECT_FALSE(exists("step_1.json"));
  EXPECT_TRUE(exists("step_1.txt"));
  EXPECT_TRUE(exists("step_1.log"));
  EXPECT_TRUE(exists("step_2.json"));
}

}  // namespace
}  // namespace reprise::agent
