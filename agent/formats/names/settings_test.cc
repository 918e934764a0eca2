// Numbers in names that are no step: what a run has been set to, how large its model is, and which day it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/date_in_name.h"
#include "agent/formats/names/step_directory.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;

std::optional<std::int64_t> step(std::string_view path) {
  return read_save_name(path).step;
}

constexpr const char* kSettings[]{"batch_32",
                                  "bs32",
                                  "max_steps_1000",
                                  "max-train-steps-1000",
                                  "maxsteps1000",
                                  "num_steps_500",
                                  "n_steps_2048",
                                  "total_steps_9000",
                                  "timesteps_1000",
                                  "total_timesteps_1000000",
                                  "warmup_500",
                                  "warmup_steps_5",
                                  "warmup-iters=200",
                                  "num_train_epochs_3",
                                  "max_epochs_10",
                                  "epochs_10",
                                  "iters_20000",
                                  "iterations_300",
                                  "save_steps_50",
                                  "eval_steps_50",
                                  "n_iter_10",
                                  "grad_accum_4",
                                  "accum_steps_4",
                                  "max_steps_1000_batch_32",
                                  "steps_per_epoch_100",
                                  "rounds_5",
                                  "train_steps_80",
                                  "llama_max_steps_100",
                                  "seed_3",
                                  "lr_0.1"};

TEST(settings, of_a_run_above_a_save_are_no_step_of_it) {
  for (const std::string above : kSettings) {
    for (const char* save : {"checkpoint-100", "step_100", "out/checkpoint-100", "epoch=1-step=100.ckpt"}) {
      const std::string path = above + "/" + save;
      EXPECT_EQ(step(path), 100) << path;
      EXPECT_EQ(read_save_name(path).order, 100) << path;
      EXPECT_EQ(step_around(path), "") << path;
    }
    EXPECT_NE(read_save_name(above + "/checkpoint-100").part, read_save_name(above + "1/checkpoint-100").part);
  }
}

TEST(settings, a_save_is_one_of_them_also_where_its_step_is_the_same_number) {
  for (const char* path :
       {"max_steps_1000/checkpoint-1000", "total_steps_1000/checkpoint-1000", "timesteps_1000/checkpoints/step_1000",
        "batch_32/checkpoint-32", "max_steps_1000/last.ckpt", "epochs_10/epoch_10", "warmup_steps_5/5"})
    EXPECT_EQ(step_around(path), "") << path;
  EXPECT_EQ(step("max_steps_1000/checkpoint-1000"), 1000);
  EXPECT_EQ(step_around("timesteps_1000/rank_0"), "timesteps_1000") << "where it is the name of a save";
  EXPECT_EQ(step("batch_32/checkpoint-32"), 32);
}

TEST(settings, beside_the_number_of_the_save_are_no_step_of_it) {
  for (const char* name : {"batch_32_step_100", "step_100_batch_32", "max_steps_1000_step_100",
                           "step-100-max-steps-1000", "checkpoint-100-max_steps_1000",
                           "max_steps_1000_checkpoint-100.pt", "bs32_step100", "warmup_iters_500_iter_100"}) {
    EXPECT_EQ(step(name), 100) << name;
    EXPECT_EQ(step_of(name), 100) << name;
  }
  EXPECT_EQ(step("epoch=3-max_steps=1000.ckpt"), 3);
  EXPECT_EQ(step("checkpoint-100-batch_32"), std::nullopt) << "it may be an epoch and its step";
  EXPECT_EQ(step_of("checkpoint-100-batch_32"), 100);
}

TEST(settings, words_by_which_saves_are_called_as_well_are_the_step_where_nothing_else_is) {
  for (const char* name :
       {"epoch_1_batch_100.pt", "batch_100.pt", "ep0-ba100", "timesteps_100.pt", "total_steps_100", "save_step_100",
        "save_step_100/rank_3", "step_100/rank_3", "train_step_100/3", "steps_100/rank_3", "update_100/rank_3"})
    EXPECT_EQ(step(name), 100) << name;
}

TEST(settings, what_is_numbered_below_a_name_of_saves_as_well_may_be_a_rank) {
  for (const char* path :
       {"batch_500/ckpt_3.pt", "batch_500/3", "iters_5000/checkpoint_2.pt", "timesteps_1000/7",
        "num_steps_1000/ckpt_3.pt", "20261128/ckpt_3.pt", "20261128/3", "out/updates_100/run-1/ckpt_3.pt"}) {
    EXPECT_EQ(step(path), std::nullopt) << path;
    EXPECT_EQ(read_save_name(path).likely, std::nullopt) << path;
  }
  for (const char* path : {"batch_500/rank_3", "iters_500/worker_1", "total_steps_500/run-1/rank_0"})
    EXPECT_EQ(step(path), 500) << path;
  EXPECT_EQ(read_save_name("batch_500/rank_3").series, read_save_name("batch_600/rank_3").series);
  EXPECT_EQ(step("max_steps_500/rank_3"), std::nullopt);
  EXPECT_TRUE(may_be_of_step("batch_500/optim.bin", 500, false));
  EXPECT_FALSE(may_be_of_step("max_steps_500/optim.bin", 500, false));
  EXPECT_EQ(step("max_steps_1000/ckpt_300.pt"), 300);
  EXPECT_EQ(step("batch_32/epoch_3.pt"), 3);
  EXPECT_EQ(step("batch_32/step_3.pt"), 3);
  EXPECT_EQ(step("checkpoint_3_batch_500.pt"), std::nullopt);
  EXPECT_EQ(step("ckpt_100_n_steps_5.pt"), std::nullopt);
}

TEST(settings, no_save_of_another_setting_stands_for_one) {
  const auto series = [](std::string_view path) { return read_save_name(path).series; };
  for (const std::string above : {"batch_", "max_steps_", "epochs_", "lr_0.", "seed_", "trial_"}) {
    EXPECT_NE(series(above + "1/checkpoint-100"), series(above + "2/checkpoint-200")) << above;
    EXPECT_EQ(series(above + "1/checkpoint-100"), series(above + "1/checkpoint-200")) << above;
  }
  EXPECT_EQ(series("version_0/checkpoint-100"), series("version_1/checkpoint-200"));
  EXPECT_EQ(series("run-1/checkpoint-100"), series("run-2/checkpoint-200"));
}

TEST(settings, a_checkpoint_of_a_step_far_beyond_that_of_its_directory_is_no_part_of_it) {
  for (const auto& [path, number] :
       {std::pair("iter0-ckpt/checkpoint-100", 100), std::pair("iter_1/checkpoint-500", 500),
        std::pair("step_2/checkpoint-500", 500), std::pair("iter1-ckpt/run-3/checkpoint-100", 100),
        std::pair("steps_1000/checkpoint-100", 100), std::pair("checkpoint2/step_500", 500),
        std::pair("iter1/step_100", 100), std::pair("save_1/step-100", 100)}) {
    EXPECT_EQ(step_around(path), "") << path;
    EXPECT_EQ(read_save_name(path).order, number) << path;
  }
  for (const char* path : {"step_77/checkpoint-6",
                           "iter_0000077/checkpoint-6",
                           "step_20/step_21",
                           "step_77-tmp/checkpoint-600",
                           "step_2/checkpoint_7.pt",
                           "iter_3/ckpt_8.pt",
                           "global_step20/actor/checkpoint-100",
                           "iter_100/global_step200",
                           "step_20/rank_3/checkpoint-100",
                           "step_2/epoch_7",
                           "step_2/model_step_100",
                           "iter_0/100",
                           "step_77/iter_0000100",
                           "iteration_3/epoch=1-step=500.ckpt",
                           "global_step2/checkpoint-100",
                           "steps_77/rank_0",
                           "steps_77/checkpoint-77",
                           "steps_77/checkpoint_3.pt",
                           "steps_77/actor/checkpoint-6",
                           "step_2/step_500",
                           "checkpoint-2/global_step500",
                           "checkpoint2/step_3",
                           "checkpoint2/critic/step_500",
                           "checkpoint2/step_500.pt",
                           "checkpoint2/model_step_500",
                           "checkpoint2/500",
                           "steps_77/step_500"})
    EXPECT_NE(step_around(path), "") << path;
}

// Jobs that number ranks so would lose them one by one.
TEST(settings, where_a_directory_says_one_step_and_the_checkpoint_in_it_another_nothing_is_deleted_by_either) {
  for (const char* path : {"iter0-ckpt/checkpoint-100", "step1_sft/checkpoint-500",
                           "experiment_step2_lr3/checkpoint-100", "stage_step_900/checkpoint-100"})
    EXPECT_EQ(step(path), std::nullopt) << path;
  EXPECT_EQ(step("run_step_100/checkpoint-100"), 100);
  EXPECT_EQ(step("checkpoint2/step_500"), 500) << "by its word";
  EXPECT_NE(read_save_name("checkpoint1/step_500").part, read_save_name("checkpoint2/step_500").part);
  EXPECT_EQ(step("run/global_step77/actor/checkpoint-6"), 77) << "a part of it";
}

TEST(size_of_model, in_a_name_is_never_the_step) {
  for (const std::string above :
       {"llama-7b", "llama-3-8b", "gpt2-124M", "model_1.3B", "opt-350m", "Qwen2.5-7B-Instruct", "pythia-1.4b-deduped",
        "7b", "ckpt-7b", "checkpoint_1.3B", "checkpoints-llama-3-8b", "mixtral-8x7b", "gpt2-124M-v2"}) {
    for (const char* save : {"checkpoint-100", "step_100", "out/checkpoint-100"}) {
      const std::string path = above + "/" + save;
      EXPECT_EQ(step(path), 100) << path;
      EXPECT_EQ(step_around(path), "") << path;
    }
  }
  for (const char* name : {"llama-2-7b-checkpoint-100", "gpt2-124M-ckpt-100.pt", "7B_ckpt_100.pt", "opt-350m_step_100",
                           "1.3B-step-100", "checkpoint-100-7b"}) {
    EXPECT_EQ(step(name), 100) << name;
    EXPECT_EQ(step_of(name), 100) << name;
  }
  for (const char* name :
       {"llama-7b", "llama-3-8b", "gpt2-124M", "model_1.3B", "checkpoint-7b", "7b", "checkpoint-llama-3-8b"}) {
    EXPECT_EQ(step_of(name), std::nullopt) << name;
    EXPECT_FALSE(names_checkpoint(name)) << name;
  }
}

TEST(size_of_model, millions_are_steps_where_a_word_for_a_checkpoint_or_nothing_else_says_so) {
  EXPECT_EQ(step("step_1M"), 1'000'000);
  EXPECT_EQ(step("checkpoint-2M"), 2'000'000);
  EXPECT_EQ(step("10M"), 10'000'000);
  EXPECT_EQ(step("step_1b"), 1'000'000'000);
  EXPECT_EQ(step("checkpoint-2M/rank_3"), 2'000'000);
  EXPECT_EQ(step_around("ckpt-350m/step_10"), "");
  EXPECT_EQ(step_around("ckpt-350m/rank_1"), "ckpt-350m");
}

TEST(day, is_one_of_the_calendar) {
  for (const char* day : {"20261124", "19991231", "20240229", "20991231"}) EXPECT_TRUE(is_day(day)) << day;
  for (const char* number : {"20500000", "20001000", "20261301", "20260231", "20230229", "20260100", "19890101",
                             "21000101", "2026112", "202611240", "2026112x", ""})
    EXPECT_FALSE(is_day(number)) << number;
  EXPECT_EQ(step_of("checkpoint-20500000-123456"), 20'500'000);
}

TEST(day, in_the_name_of_a_directory_is_no_step) {
  EXPECT_EQ(step("20261128/checkpoint-100"), 100);
  EXPECT_EQ(step("v0-20261128/checkpoint-100"), 100);
  EXPECT_EQ(step("20500000/checkpoint-100"), std::nullopt);
  EXPECT_THAT(read_save_name("20261128/checkpoint-100").part, HasSubstr("20261128"));
  EXPECT_EQ(step("20261128"), 20'261'128) << "a save may be called so";
}

TEST(epoch, orders_saves_and_is_told_apart_from_a_step) {
  for (const char* name : {"epoch_3", "epoch=3.ckpt", "out/epoch-3", "epoch_3/rank_1", "epoch_3_rank_2", "round_3"})
    EXPECT_TRUE(read_save_name(name).is_epoch) << name;
  for (const char* name : {"step_3", "epoch=3-step=900.ckpt", "checkpoint-3", "3", "epoch_3/step_100",
                           "epoch_1_batch_500.pt", "checkpoint_3_epoch_1", "ckpt-2026-11-28", "last.ckpt"})
    EXPECT_FALSE(read_save_name(name).is_epoch) << name;
}

}  // namespace
}  // namespace reprise::agent
