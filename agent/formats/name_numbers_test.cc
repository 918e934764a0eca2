#include "agent/formats/name_numbers.h"

#include <gmock/gmock.h>
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

TEST(name_numbers, numbers_of_directories_above_a_save_tell_parts_apart_and_are_no_step) {
  const auto part = [](std::string_view path) { return read_save_name(path).part; };
  for (const std::string above : {"ep", "stage_", "round-", "trainer-", "lr_0.", "node", "worker_", "tp0_pp", "10.0.0.",
                                  "fold_", "actor", "gpu", "cuda:", "x/y-"}) {
    const std::string first = above + "1/step_100", second = above + "2/step_100";
    EXPECT_EQ(step(first), 100) << first;
    EXPECT_EQ(read_save_name(first).order, 100) << first;
    EXPECT_NE(part(first), part(second)) << first;
    EXPECT_EQ(part(first), part(above + "1/step_200"));
  }
  for (const char* path :
       {"trainer-1/checkpoint-500", "lr_0.1/checkpoint-500", "10.0.0.1/checkpoint-500", "tp0_pp1/checkpoint-500",
        "seed_3/out/checkpoint-500", "version_2/checkpoints/checkpoint-500"})
    EXPECT_EQ(step(path), 500) << path;
  EXPECT_EQ(part("epoch_3/step_100"), part("epoch_4/step_200")) << "an epoch is no part";
}

TEST(name_numbers, shares_of_one_save_are_told_apart_by_ranks_and_words_and_not_by_programs_or_attempts) {
  const auto read = [](std::string_view path) { return read_save_name(path); };
  for (const auto& [one, other] :
       {std::pair("rank0/step_10", "rank1/step_10"), std::pair("step_10_rank0", "step_10_rank1"),
        std::pair("checkpoint_step10_0.pt", "checkpoint_step10_1.pt"),
        std::pair("10.0.0.1/step_10", "10.0.0.2/step_10"), std::pair("tp0_pp1/step_10", "tp0_pp0/step_10"),
        std::pair("ckpt-10-00001-of-00002.pt", "ckpt-10-00000-of-00002.pt")}) {
    EXPECT_NE(read(one).share, read(other).share) << one;
    EXPECT_EQ(read(one).family, read(other).family) << one;
  }
  for (const auto& [one, other] :
       {std::pair("0/step_10", "1/step_10"), std::pair("trainer-0/step_10", "trainer-1/step_10"),
        std::pair("ep0/step_10", "ep1/step_10"), std::pair("model/step_10", "optimizer/step_10"),
        std::pair("epoch.001.pt", "epoch.001.opt.pt")}) {
    EXPECT_NE(read(one).share, read(other).share) << one;
    EXPECT_NE(read(one).family, read(other).family) << one;
  }
  for (const auto& [one, other] :
       {std::pair("run-1/step_10", "run-2/step_10"), std::pair("version_0/step_10", "version_1/step_10"),
        std::pair("lr_0.1/step_10", "lr_0.01/step_10"), std::pair("2026-11-27/step_10", "2026-11-28/step_10")})
    EXPECT_EQ(read(one).share, read(other).share) << one;
}

TEST(name_numbers, words_and_numbers_may_be_set_apart_in_any_way) {
  for (const char* path : {"step_30.1", "step:30@rank:1", "step[30]-rank[1].pt", "rank1_30", "1of4_step30",
                           "ckpt-30-1of4", "ckpt-30-1_of_4.pt", "STEP=30,RANK=1", "Rank1.Step30"}) {
    EXPECT_EQ(step(path), 30) << path;
    EXPECT_EQ(read_save_name(path).order, 30) << path;
    EXPECT_THAT(read_save_name(path).share, testing::HasSubstr("1")) << path;
    EXPECT_THAT(read_save_name(path).family, testing::Not(testing::HasSubstr("1"))) << path;
  }
}

TEST(name_numbers, rounds_and_phases_above_another_number_leave_the_step_unclear) {
  for (const char* path : {"round_3/ckpt_0.pt", "phase-1/ckpt_0.pt", "ep3/ckpt_0.pt", "stage2/checkpoint-1.pt"})
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
