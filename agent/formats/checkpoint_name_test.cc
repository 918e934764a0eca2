#include "agent/formats/checkpoint_name.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

TEST(checkpoint_name, the_number_after_the_word_step_is_the_step_whatever_follows) {
  EXPECT_EQ(step_of("step-1000-v2"), 1000);
  EXPECT_EQ(step_of("epoch=2-step=900-v1"), 900);
  EXPECT_EQ(step_of("Step_40_of_100"), 40);
  EXPECT_EQ(step_of("steps-7-rank-3"), 7);
  EXPECT_EQ(step_of("footstep-v2"), 2);
}

TEST(checkpoint_name, of_one_kind_differ_in_their_numbers_alone) {
  EXPECT_EQ(naming_of("model-7"), naming_of("model-120"));
  EXPECT_NE(naming_of("model-7"), naming_of("imagenet-2012"));
}

TEST(checkpoint_name, the_step_is_else_the_last_whole_number) {
  EXPECT_EQ(step_of("step-120"), 120);
  EXPECT_EQ(step_of("checkpoint-500"), 500);
  EXPECT_EQ(step_of("epoch_3"), 3);
  EXPECT_EQ(step_of("epoch=2-step=900"), 900);
  EXPECT_EQ(step_of("iter_0000100"), 100);
  EXPECT_EQ(step_of("step-7-ema"), 7);
  EXPECT_EQ(step_of("42"), 42);
  EXPECT_EQ(step_of("final"), std::nullopt);
  EXPECT_EQ(step_of(".step-3"), std::nullopt);
  EXPECT_EQ(step_of(""), std::nullopt);
  EXPECT_EQ(step_of("step-99999999999999999999"), std::nullopt);
}

TEST(checkpoint_name, a_date_with_a_time_of_day_is_the_step_and_not_its_fraction) {
  EXPECT_EQ(step_of("checkpoint_2026-11-28_11-33-50.888078"), 2026112811335088);
  EXPECT_EQ(step_of("checkpoint_2026-11-28_11-33-51.279130"), 2026112811335127);
  EXPECT_EQ(step_of("ckpt-20261128-113350"), 2026112811335000);
  EXPECT_EQ(step_of("20261128T113350"), 2026112811335000);
  EXPECT_EQ(step_of("step_100_2026-11-28_11-33-50"), 100);
  EXPECT_EQ(step_of("2026-11-28_11-33-50_step_100"), 100);
  EXPECT_EQ(step_of("checkpoint-20269999-123456"), 20269999) << "no month has that number";
}

TEST(checkpoint_name, a_date_without_seconds_grows_with_time_where_no_other_number_may_be_the_step) {
  EXPECT_EQ(step_of("ckpt-2026-02-01"), 2026020100000000);
  EXPECT_LT(step_of("ckpt-2026-11-30"), step_of("ckpt-2026-12-01"));
  EXPECT_LT(step_of("ckpt_2026_11_30_09_59"), step_of("ckpt_2026_11_30_10_00"));
  EXPECT_LT(step_of("2026-11-30"), step_of("2026-11-30_00-00-01"));
  EXPECT_EQ(step_of("ckpt-2026-11-30-rank3"), step_of("ckpt-2026-11-30-v2"));
  EXPECT_EQ(step_of("step_100_2026-11-28"), 100);
  EXPECT_EQ(step_of("2026-11-28_ckpt-5000"), 5000);
  EXPECT_EQ(step_of("checkpoint-20261128"), 20261128) << "a step perhaps";
}

TEST(checkpoint_name, of_several_numbers_that_may_be_the_step_the_highest_orders_saves) {
  EXPECT_EQ(step_of("checkpoint_20_1.pt"), 20);
  EXPECT_EQ(step_of("checkpoint_2_3000.pt"), 3000);
  EXPECT_EQ(step_of("epoch_3_0.pt"), 3);
  EXPECT_EQ(step_of("epoch_3_of_10"), 3);
  EXPECT_EQ(step_of("checkpoint-500-v2"), 500);
  EXPECT_EQ(step_of("epoch=3-v1"), 3);
  EXPECT_EQ(step_of("ckpt-5-seed42"), 5);
  EXPECT_EQ(step_of("epoch=3-val_loss=0.25"), 3);
  EXPECT_EQ(step_of("iter_5_step_10"), 10);
  EXPECT_EQ(step_of("model-7"), 7) << "where nothing else may be it";
  EXPECT_EQ(step_of("checkpoint-300.3"), 300);
}

TEST(checkpoint_name, only_telling_names_are_taken_for_torn_checkpoints) {
  for (const char* name :
       {"ep0-ba100-rank1", "step-1", "Checkpoint-5", "ckpt_9", "epoch=1", "iter_02", "global_step10", "12"}) {
    EXPECT_TRUE(names_checkpoint(name)) << name;
  }
  for (const char* name : {"logs-2024", "run1", "hparams-v2", "step", ".step-1"}) {
    EXPECT_FALSE(names_checkpoint(name)) << name;
  }
}

}  // namespace
}  // namespace reprise::agent
