#include "agent/formats/name_numbers.h"

#include <gtest/gtest.h>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

std::optional<std::int64_t> step(std::string_view path) {
  return read_save_name(path).step;
}

TEST(name_numbers, the_number_of_a_shard_rank_part_or_epoch_is_never_the_step) {
  EXPECT_EQ(step("checkpoint_step6000_3.pt"), 6000);
  EXPECT_EQ(step("step_10_rank3"), 10);
  EXPECT_EQ(step("rank_2_step_10"), 10);
  EXPECT_EQ(step("rank2/step_10"), 10);
  EXPECT_EQ(step("step_10/rank3"), 10);
  EXPECT_EQ(step("step_10/3"), 10);
  EXPECT_EQ(step("step_10/ckpt_3.pt"), 10);
  EXPECT_EQ(step("ep0-ba100-rank1.pt"), 100);
  EXPECT_EQ(step("epoch=3-step=900-val_loss=0.25.ckpt"), 900);
  EXPECT_EQ(step("ckpt-20-00001-of-00002.pt"), 20);
  EXPECT_EQ(step("100/rank1"), 100);
  EXPECT_EQ(step("epoch_7_rank_2"), 7) << "where nothing else counts an epoch does";
  EXPECT_EQ(step("epoch.003.opt.pt"), 3);
  EXPECT_EQ(step("2026-11-28/checkpoint-500"), 500);
  for (const char* path : {"model_rank_3.pt", "model-00001-of-00004", "rank0", "last.ckpt", "part-7"})
    EXPECT_EQ(step(path), std::nullopt) << path;
}

TEST(name_numbers, what_may_be_one_number_or_another_or_is_counted_by_an_unknown_word_is_no_step) {
  for (const char* path :
       {"checkpoint_20_1.pt", "checkpoint_2_3000-model_part-0-shard1.pt", "ckpt-2026-02-01", "model-7", "epoch_3_0.pt",
        "epoch_3/checkpoint_0.pt", "100/0", "100/ckpt_0", "iter_5_step_10", "step-99999999999999999999"})
    EXPECT_EQ(step(path), std::nullopt) << path;
}

TEST(name_numbers, parts_of_one_save_differ_and_the_same_part_of_two_saves_does_not) {
  const auto part = [](std::string_view path) { return read_save_name(path).part; };
  EXPECT_EQ(part("checkpoint_step3_3.pt"), part("checkpoint_step20_3.pt"));
  EXPECT_NE(part("checkpoint_step3_3.pt"), part("checkpoint_step3_2.pt"));
  EXPECT_EQ(part("rank0/step_10"), part("rank0/step_20"));
  EXPECT_NE(part("rank0/step_10"), part("rank1/step_10"));
  EXPECT_NE(part("0/step_10"), part("1/step_10"));
  EXPECT_EQ(part("step_10/ckpt_3.pt"), part("step_20/ckpt_3.pt"));
  EXPECT_EQ(part("epoch=1-step=10-val_loss=0.25.ckpt"), part("epoch=2-step=20-val_loss=0.5.ckpt"));
  EXPECT_EQ(part("step-10-v2"), part("step-20-v3"));
  EXPECT_NE(part("epoch.1.pt"), part("epoch.1.opt.pt"));
  EXPECT_NE(part("version_0/step_10"), part("version_1/step_10"));
  EXPECT_EQ(part("ckpt-2026-02-01"), part("ckpt-2026-01-31"));
}

TEST(name_numbers, directories_of_two_attempts_are_of_one_kind_and_those_of_two_ranks_are_not) {
  const auto kind = [](std::string_view path) { return read_save_name(path).kind; };
  EXPECT_EQ(kind("version_0/step_10"), kind("version_1/step_20"));
  EXPECT_EQ(kind("2026-11-27/10-00/step_10"), kind("2026-11-28/09-30/step_20"));
  EXPECT_NE(kind("rank0/step_10"), kind("rank1/step_10"));
}

TEST(name_numbers, what_lies_beside_a_checkpoint_may_be_of_its_step) {
  EXPECT_TRUE(may_be_of_step("optim/step_100.bin", 100, false));
  EXPECT_TRUE(may_be_of_step("optim/step_100/state.bin", 100, false));
  EXPECT_FALSE(may_be_of_step("optim/step_100.bin", 10, true));
  EXPECT_TRUE(may_be_of_step("checkpoint-2-100.pt", 100, true));
  EXPECT_FALSE(may_be_of_step("data/100.pt", 100, false));
  EXPECT_FALSE(may_be_of_step("resnet-50.pt", 50, true));
}

TEST(checkpoint_name, the_number_of_a_part_is_no_step_of_a_checkpoint) {
  EXPECT_EQ(step_of("epoch_10_rank_3"), 10);
  EXPECT_EQ(step_of("ep0-ba100-rank0"), 100);
  EXPECT_EQ(step_of("ckpt-20-00001-of-00002"), 20);
  for (const char* name : {"ckpt-rank0", "model_rank_3", "checkpoint-00001-of-00004"}) {
    EXPECT_EQ(step_of(name), std::nullopt) << name;
    EXPECT_FALSE(names_checkpoint(name)) << name;
  }
}

}  // namespace
}  // namespace reprise::agent
