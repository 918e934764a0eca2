#include "agent/formats/names/step_directory.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

TEST(step_directory, what_lies_in_one_is_a_part_of_that_step) {
  struct Row {
    const char* path;
    const char* step;
  };
  for (const Row& row :
       {Row{"step_20/rank_0", "step_20"}, Row{"20/0", "20"}, Row{"step_20/trainer/checkpoint-20.pt", "step_20"},
        Row{"run/step_40/model_0", "run/step_40"}, Row{"step_20/trainer_step_20", "step_20"},
        Row{"checkpoint_40/pytorch_model_fsdp_0", "checkpoint_40"}, Row{"epoch-10/model_1", "epoch-10"},
        Row{"epoch_0_step_20/model_0", "epoch_0_step_20"}, Row{"llama-step-20/rank_0", "llama-step-20"},
        Row{"iter_0000100/mp_rank_00", "iter_0000100"}, Row{"global_step20/actor/rank_3", "global_step20"},
        Row{"005000/training_state_1", "005000"}, Row{"step_20-tmp/rank_0", "step_20-tmp"},
        Row{"step_20.tmp-3f2a/rank_0", "step_20.tmp-3f2a"}, Row{"step_20/step_21", "step_20"},
        Row{"20/trainer/checkpoint-20.pt", "20"}, Row{"epoch_3/checkpoint_1.pt", "epoch_3"},
        Row{"20/model_epoch_1", "20"}, Row{"epoch_3/optimizer_step_900", "epoch_3"}})
    EXPECT_EQ(step_around(row.path), row.step) << row.path;
}

TEST(step_directory, a_run_is_none_although_it_has_a_number) {
  for (const char* path :
       {"checkpoint-20", "run-3/checkpoint-20", "checkpoints-llama3/checkpoint-10", "version_0/checkpoints/last.ckpt",
        "multirun/2026-11-25/09-00-00/0/lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt",
        "0/checkpoints/epoch=2-val_loss=0.75.ckpt", "0/checkpoints/last.ckpt", "4567890/checkpoint-500",
        "3/checkpoint-2", "42/checkpoints/100", "epoch_3/step_100", "epoch_3/checkpoint-100",
        "stage1-checkpoint-3/checkpoint-500", "experiment_step2_lr3/checkpoint-100", "rank0/step-100",
        "trial_7/0.5/epoch_3.pt", "v0-20261128/checkpoint-100", ".step_3/step_100", "fold-2/model-7/step_9"})
    EXPECT_EQ(step_around(path), "") << path;
}

}  // namespace
}  // namespace reprise::agent
