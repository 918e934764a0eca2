#include "agent/formats/names/unfinished_name.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

TEST(unfinished_name, is_that_of_a_save_which_has_not_ended) {
  for (const char* name : {"step_20-tmp",
                           "step_20.tmp",
                           "step_20_tmp",
                           "step_20.tmp-3f2a",
                           ".tmp-checkpoint-20-812",
                           "tmp-checkpoint-20",
                           "tmp_step_20",
                           "step_20.part",
                           "checkpoint-20.pt.part",
                           "checkpoint-20.tmp.pt",
                           "step_20.partial",
                           "step_20.incomplete",
                           "step-20-incomplete",
                           "incomplete_step_20",
                           "step_20.temp-81",
                           "step_20.temp",
                           "temp_step_20",
                           "step_20.in_progress",
                           "step-20-in-progress",
                           "step_20.inprogress",
                           "step_20.tmpk3x9",
                           "epoch=0-step=6.tmp.ckpt",
                           "step_20.writing",
                           "100.orbax-checkpoint-tmp-17",
                           "step_20.uncommitted"})
    EXPECT_TRUE(names_unfinished_save(name)) << name;
}

TEST(unfinished_name, is_not_that_of_a_whole_one) {
  for (const char* name :
       {"step_20", "checkpoint-20", "model_part-0-shard1_step_20", "ckpt-temp-0.7-step-100", "temp_0.7-step-100",
        "creative-writing-step-5", "partition-7", "template-step-3", "attempt-3", "part-00001", "step_20_partial_fc_1",
        "epoch=3-step=900.ckpt", "progress-20", "20", "temperature-5", "temp-20", "part"})
    EXPECT_FALSE(names_unfinished_save(name)) << name;
}

TEST(unfinished_name, tells_the_name_that_follows) {
  EXPECT_EQ(name_when_finished("step_20.tmp-3f2a"), "step_20");
  EXPECT_EQ(name_when_finished("step_20-in-progress"), "step_20");
  EXPECT_EQ(name_when_finished("tmp-checkpoint-20"), "checkpoint-20");
  EXPECT_EQ(name_when_finished("checkpoint-20"), "checkpoint-20");
  EXPECT_EQ(name_when_finished("tmp"), "tmp");
}

}  // namespace
}  // namespace reprise::agent
