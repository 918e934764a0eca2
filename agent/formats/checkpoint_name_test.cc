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

TEST(checkpoint_name, only_telling_names_are_taken_for_torn_checkpoints) {
  for (const char* name : {"step-1", "Checkpoint-5", "ckpt_9", "epoch=1", "iter_02", "global_step10", "12"}) {
    EXPECT_TRUE(names_checkpoint(name)) << name;
  }
  for (const char* name : {"logs-2024", "run1", "hparams-v2", "step", ".step-1"}) {
    EXPECT_FALSE(names_checkpoint(name)) << name;
  }
}

}  // namespace
}  // namespace reprise::agent
