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
                           "step_20.uncommitted",
                           "step_20.temporary",
                           "step_20.pending",
                           "step_20-pending",
                           "pending_step_20",
                           "step_20.wip",
                           "wip-step-20",
                           "step_20.uploading",
                           "step_20.copying",
                           "step_20_deleting",
                           "step_20.deleted",
                           "deleting-checkpoint-20",
                           "step_20.partial_0",
                           "step_20.writing_rank0",
                           "step_20-writing-rank-3",
                           "saving-step_23",
                           "writing_epoch_3.pt",
                           "step_20.saving.pt",
                           "STEP_20.TMP",
                           "Step_20.Temporary",
                           "trash-step_20",
                           "step_20.trash",
                           "step_20.new",
                           "step_20.corrupted",
                           "step_20.gstmp",
                           "step_20.aborted",
                           "failed-step-20",
                           "step_20-in-flight",
                           "_temporary",
                           "checkpoint-20.pt.uploading",
                           "epoch=0-step=6.ckpt.pending",
                           "model_20.safetensors.copying-3f2a",
                           "step_20.staging-4711"})
    EXPECT_TRUE(names_unfinished_save(name)) << name;
}

TEST(unfinished_name, is_not_that_of_a_whole_one) {
  for (const char* name : {"step_20",
                           "checkpoint-20",
                           "model_part-0-shard1_step_20",
                           "ckpt-temp-0.7-step-100",
                           "temp_0.7-step-100",
                           "creative-writing-step-5",
                           "partition-7",
                           "template-step-3",
                           "attempt-3",
                           "part-00001",
                           "step_20_partial_fc_1",
                           "epoch=3-step=900.ckpt",
                           "progress-20",
                           "20",
                           "temperature-5",
                           "temp-20",
                           "part",
                           "copying-task-step-5",
                           "moving-mnist-step-5",
                           "attempt_3_step_20",
                           "training-step-20",
                           "step_20-finetuning",
                           "word-embedding-step-3",
                           "qwen2.5-writing-step-5",
                           "deleted-genes-v2",
                           "trash-classifier-step-3",
                           "wip-llama-step-20",
                           "corrupted-cifar-step-5",
                           "new-step-20",
                           "model_new_step_20",
                           "step_20_new",
                           "contemporary-step-5",
                           "temporal-step-5",
                           "step_20_saving_private_ryan",
                           "wiping-step-3",
                           "trasher-3",
                           "stepwise-20",
                           "uploading",
                           "part-0-step_20",
                           "partially-frozen-step-3",
                           "update-100",
                           "writing",
                           "spending-step-3"})
    EXPECT_FALSE(names_unfinished_save(name)) << name;
}

TEST(unfinished_name, tells_the_directories_in_which_such_saves_lie) {
  for (const char* path : {"tmp", "run/tmp", "run-1/_temporary/0", "trash", "Trash", "temp", "run/tmpk3x9ab_c",
                           "deleting", "incomplete", "staging", "run/staging_3", "staged"})
    EXPECT_TRUE(is_place_of_unfinished(path)) << path;
  for (const char* path : {"", "run-1", "template", "tmp_exp", "tmp2", "labels-partial", "attempt-3", "attempts/3",
                           "writing", "temperature-5", "partial", "pending", "wip", "new", "update", "contemporary"})
    EXPECT_FALSE(is_place_of_unfinished(path)) << path;
}

TEST(unfinished_name, tells_the_name_that_follows) {
  EXPECT_EQ(name_when_finished("step_20.tmp-3f2a"), "step_20");
  EXPECT_EQ(name_when_finished("step_20-in-progress"), "step_20");
  EXPECT_EQ(name_when_finished("tmp-checkpoint-20"), "checkpoint-20");
  EXPECT_EQ(name_when_finished("checkpoint-20"), "checkpoint-20");
  EXPECT_EQ(name_when_finished("step_20-in-flight"), "step_20");
  EXPECT_EQ(name_when_finished("tmp"), "tmp");
  EXPECT_EQ(name_when_finished("step_20.writing_rank0"), "step_20");
  EXPECT_EQ(name_when_finished("saving-step_23"), "step_23");
}

}  // namespace
}  // namespace reprise::agent
