// Whole saves whose directories, days and signs look like something else: what is resumed from, moved and deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_support::lightning_file;
using testing_support::put_text;

constexpr const char* kRuns[]{"batch_32",    "timesteps_1000", "max_steps_1000", "iter0-ckpt",     "warmup_steps_5",
                              "iters_20000", "epochs_10",      "total_steps_50", "ckpt-7b",        "llama-3-8b",
                              "gpt2-124M",   "step1_sft",      "20261128",       "batch_32/lr_0.1"};

class NamesOnVolumes : public testing_support::LayoutFormatTest {
 protected:
  void empty_volume() const {
    for (const auto& each : fs::directory_iterator(root())) fs::remove_all(each.path());
  }
  void put_marked(const std::string& name) const { put_text(root() / name / "_COMPLETE", ""); }
};

TEST_F(NamesOnVolumes, saves_below_what_a_run_was_set_to_are_each_one_of_their_own) {
  for (const std::string run : kRuns) {
    SCOPED_TRACE(run);
    save(100, run);
    save(200, run);
    EXPECT_THAT(scanned(), ElementsAre(run + "/checkpoint-200 HuggingFace", run + "/checkpoint-100 HuggingFace"));
    EXPECT_EQ(volume_->scan()->front().step, 200);
    const Restored restored = this->restored();
    EXPECT_EQ(restored.point.path, run + "/checkpoint-200");
    EXPECT_EQ(restored.point.step, 200);
    EXPECT_TRUE(exists(run + "/checkpoint-100/model.safetensors"));
    ++self_.attempt;
    empty_volume();
  }
}

TEST_F(NamesOnVolumes, of_a_torn_save_there_that_alone_is_moved) {
  for (const std::string run : kRuns) {
    SCOPED_TRACE(run);
    self_.attempt = 2;
    save(100, run);
    auto watching = watch();
    save(200, run);
    watching.look();
    save(300, run);
    tear(run + "/checkpoint-300");
    watching.look();
    ++self_.attempt;
    EXPECT_EQ(restored().point.path, run + "/checkpoint-200");
    EXPECT_FALSE(exists(run + "/checkpoint-300"));
    EXPECT_TRUE(exists(run + "/checkpoint-100/model.safetensors"));
    empty_volume();
  }
}

TEST_F(NamesOnVolumes, the_directory_of_a_run_is_not_moved_for_a_torn_save_in_it) {
  for (const char* format : {"Auto", "Marker"}) {
    for (const std::string run : {"max_steps_1000", "timesteps_1000", "iter0-ckpt", "ckpt-7b", "batch_32"}) {
      SCOPED_TRACE(run);
      use(format);
      self_.attempt = 2;
      began();
      put_text(root() / run / "config.json", "{}");
      auto watching = watch();
      put_text(root() / run / "step_10/weights", "torn");
      watching.look();
      ++self_.attempt;
      EXPECT_EQ(restored().point.path, "");
      EXPECT_TRUE(exists(run + "/config.json")) << format;
      empty_volume();
    }
  }
}

TEST_F(NamesOnVolumes, keep_deletes_older_saves_of_the_same_setting_alone) {
  for (const char* setting : {"batch_", "max_steps_", "timesteps_", "epochs_", "lr_0.", "seed_"}) {
    SCOPED_TRACE(setting);
    self_.attempt = 2;
    const std::string first = std::string(setting) + "16", second = std::string(setting) + "32";
    {
      auto watching = watch(1);
      for (const int step : {100, 200}) {
        save(step, first);
        watching.look();
      }
      EXPECT_FALSE(exists(first + "/checkpoint-100")) << "an older one";
    }
    ++self_.attempt;
    auto watching = watch(1);
    for (const int step : {300, 400, 500}) {
      save(step, second);
      watching.look();
    }
    EXPECT_TRUE(exists(first + "/checkpoint-200/trainer_state.json")) << "the last one of its setting";
    EXPECT_FALSE(exists(second + "/checkpoint-300"));
    EXPECT_TRUE(exists(second + "/checkpoint-500/trainer_state.json"));
    empty_volume();
  }
}

TEST_F(NamesOnVolumes, keep_deletes_nothing_where_two_numbers_may_be_the_step) {
  auto watching = watch(1);
  for (const int step : {100, 200, 300}) {
    save(step, "iter0-ckpt");
    watching.look();
  }
  EXPECT_TRUE(exists("iter0-ckpt/checkpoint-100/trainer_state.json"));
  EXPECT_THAT(watching.seen().left_alone, testing::Contains(HasSubstr("which number in the path is the step")));
}

TEST_F(NamesOnVolumes, the_last_save_of_a_run_bears_the_number_that_it_was_set_to) {
  save(1000, "max_steps_1000");
  put_marked("total_steps_2000/step_2000");
  EXPECT_THAT(scanned(),
              ElementsAre("total_steps_2000/step_2000 Marker", "max_steps_1000/checkpoint-1000 HuggingFace"));
}

TEST_F(NamesOnVolumes, ranks_of_a_gang_save_below_a_setting) {
  self_.gang = {.ranks = 2};
  auto watching = watch(1);
  for (const int step : {10, 20}) {
    for (const char* rank : {"rank0", "rank1"}) {
      put_marked("batch_32/" + std::string(rank) + "/step_" + std::to_string(step));
      watching.look();
    }
  }
  EXPECT_FALSE(exists("batch_32/rank0/step_10"));
  EXPECT_TRUE(exists("batch_32/rank1/step_20/_COMPLETE"));
  put_marked("batch_32/rank0/step_30");
  watching.look();
  ++self_.attempt;
  EXPECT_THAT(restored().point.path, StartsWith("batch_32/rank")) << "of step 20";
  EXPECT_EQ(restored().point.step, 20);
}

TEST_F(NamesOnVolumes, eight_digits_are_a_day_of_data_only_where_the_calendar_has_it) {
  for (const char* step : {"20500000", "20001000", "20261301", "20260231", "20250000"}) {
    for (const char* format : {"Auto", "Marker"}) {
      use(format);
      put_marked("out/" + std::string(step));
      EXPECT_THAT(scanned(), ElementsAre("out/" + std::string(step) + " Marker")) << format;
      EXPECT_EQ(restored().point.path, "out/" + std::string(step));
      ++self_.attempt;
      empty_volume();
    }
  }
  put_marked("out/20261124");
  EXPECT_THAT(scanned(), IsEmpty());
  put_marked("checkpoints/20261124");
  EXPECT_THAT(scanned(), ElementsAre("checkpoints/20261124 Marker"));
}

TEST_F(NamesOnVolumes, beside_the_sign_of_an_unfinished_save_nothing_is_complete) {
  const auto put = [&](const std::string& name) {
    name.ends_with(".ckpt") ? put_text(root() / name, lightning_file(20)) : put_marked(name);
  };
  struct Row {
    const char *save, *sign;
  };
  for (const auto& [save, sign] :
       {Row{"out/epoch=1-step=20.ckpt", "out/epoch=1-step=20-unfinished"},
        Row{"out/epoch=1-step=20-EMA.ckpt", "out/epoch=1-step=20-unfinished"},
        Row{"out/step_20", "out/step_20-unfinished"}, Row{"out/step_20", "out/step_20.unfinished"},
        Row{"out/mp_rank_00/epoch=1-step=20.ckpt", "out/epoch=1-step=20-unfinished"},
        Row{"out/tp_rank_00_pp_rank_001/epoch=1-step=20.ckpt", "out/epoch=1-step=20-unfinished"},
        Row{"out/epoch=1-step=20.ckpt", "out/epoch=1-step=20.ckpt.unfinished"}}) {
    SCOPED_TRACE(save);
    put(save);
    EXPECT_THAT(scanned(),
                ElementsAre(std::string(save) + (std::string(save).ends_with(".ckpt") ? " Lightning" : " Marker")));
    put_text(root() / sign, "");
    EXPECT_THAT(scanned(), Each(StartsWith("!"))) << "as of the look before";
    use("Auto");
    EXPECT_THAT(scanned(), Each(StartsWith("!")));
    EXPECT_EQ(restored().point.path, "");
    const auto alone = volume_->format->completed(volume_->files, root() / save);
    EXPECT_TRUE(!alone || !*alone) << "looked at by itself";
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("is the sign of a save that did not end"));
    ++self_.attempt;
    fs::remove(root() / sign);
    if (fs::exists(root() / save)) {
      EXPECT_THAT(scanned(), Each(StartsWith("out/"))) << "the save has ended";
    }
    empty_volume();
  }
}

TEST_F(NamesOnVolumes, an_older_save_counts_and_the_unfinished_one_is_put_aside) {
  auto watching = watch(1);
  for (const char* step : {"10", "20"}) {
    put_text(root() / ("out/epoch=0-step=" + std::string(step) + ".ckpt"), lightning_file(std::stoi(step)));
    put_text(root() / ("out/epoch=0-step=" + std::string(step) + "-unfinished"), "");
    watching.look();
    if (step == std::string("10")) fs::remove(root() / "out/epoch=0-step=10-unfinished");
    watching.look();
  }
  EXPECT_TRUE(exists("out/epoch=0-step=10.ckpt")) << "nothing newer is complete";
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "out/epoch=0-step=10.ckpt");
  EXPECT_FALSE(exists("out/epoch=0-step=20.ckpt"));
}

TEST_F(NamesOnVolumes, a_sign_alone_is_no_checkpoint_and_one_of_something_else_says_nothing) {
  for (const char* sign : {"out/epoch=1-step=20-unfinished", "out/step_20.unfinished", "checkpoint_500-unfinished"})
    put_text(root() / sign, "");
  for (const char* format : {"Auto", "Marker", "Plain", "Lightning"}) {
    use(format);
    EXPECT_THAT(scanned(), IsEmpty()) << format;
    EXPECT_EQ(restored().point.path, "") << format;
    EXPECT_TRUE(exists("out/step_20.unfinished"));
    ++self_.attempt;
  }
  use("Auto");
  put_marked("out/step_30");
  put_text(root() / "out.unfinished", "");              // sign of a run
  put_text(root() / "out/step_30.unfinished", "half");  // a file that was to become one
  fs::create_directories(root() / "out/step_30-unfinished");
  EXPECT_THAT(scanned(), testing::Contains("out/step_30 Marker"));
  EXPECT_EQ(restored().point.path, "out/step_30");
}

}  // namespace
}  // namespace reprise::agent
