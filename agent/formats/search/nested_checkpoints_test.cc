// A checkpoint is one whole unit: what lies in one, in a directory that names a step, or among data is none of its own.
#include "agent/formats/search/nested_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::dcp_metadata;
using testing_support::LayoutFormatTest;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class Nested : public LayoutFormatTest {
 protected:
  void put_dcp(const std::string& directory) const {
    const std::string shard = torch_file();
    put_text(root() / directory / "__0_0.distcp", shard);
    put_text(root() / directory / ".metadata", dcp_metadata({{"__0_0.distcp", shard.size()}}));
  }
  [[nodiscard]] std::string resumed_from() const { return restored().point.path; }
};

TEST_F(Nested, half_of_a_step_is_never_complete_under_any_format) {
  for (const char* half : {"step_20/rank_0", "20/0", "epoch-10/model_1", "checkpoint_40/pytorch_model_fsdp_0",
                           "step_40/model_0", "step_20/trainer_step_20", "20/model_epoch_1"}) {
    for (const char* format : {"Auto", "PyTorchDCP", "Plain", "Marker"}) {
      put_dcp(half);
      use(format);
      for (const std::string& line : scanned()) EXPECT_TRUE(line.starts_with('!')) << format << ": " << line;
      EXPECT_EQ(resumed_from(), "") << format << ": " << half;
      const bool takes_the_step_for_torn = std::string_view(format) == "Marker";
      EXPECT_TRUE(takes_the_step_for_torn || exists(half)) << format;
      ++self_.attempt;
    }
    fs::remove_all(root() / fs::path(half).begin()->string());
  }
}

TEST_F(Nested, a_file_in_the_directory_of_its_step_is_a_part) {
  for (const char* format : {"Auto", "Plain"}) {
    use(format);
    put_text(root() / "step_20/trainer/checkpoint-20.pt", plain_file());
    EXPECT_EQ(resumed_from(), "") << format;
    ++self_.attempt;
  }
}

TEST_F(Nested, where_nothing_is_taken_people_are_told_of_what_is_like_one) {
  put_dcp("step_20/checkpoint_0");
  use("PyTorchDCP");
  EXPECT_THAT(
      restored().notes,
      ElementsAre(
          "no checkpoint is complete; like one, and not taken: step_20/checkpoint_0 (part of the step in whose "
          "directory it lies); step_20 (NotRecognised: named like one, and not laid out as the format wants it)"));
  put_dcp("step_10");
  ++self_.attempt;
  EXPECT_EQ(resumed_from(), "step_10");
  EXPECT_EQ(volume_->format->not_taken(), "");
}

TEST_F(Nested, files_that_are_named_like_one_are_told_of_at_each_look) {
  put_text(root() / "out/step_20_model.pt", torch_file());
  put_text(root() / "out/step_20.log", "no state");
  for (int look = 0; look < 5; ++look) {
    EXPECT_THAT(scanned(), IsEmpty());
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("taken: out/step_20_model.pt (NotRecognised: named like one"));
  }
}

TEST_F(Nested, where_nothing_is_complete_people_are_told_what_the_newest_one_lacks) {
  save(10);
  save(20);
  for (const char* step : {"out/checkpoint-10", "out/checkpoint-20"}) fs::remove(root() / step / "rng_state.pth");
  for (const char* format : {"Auto", "HuggingFace"}) {
    use(format);
    static_cast<void>(scanned());
    EXPECT_EQ(volume_->format->not_taken(),
              "out/checkpoint-20 is not complete by HuggingFace: rng_state.pth: is not there");
  }
  save(30);
  static_cast<void>(scanned());
  EXPECT_EQ(volume_->format->not_taken(), "");
}

TEST_F(Nested, by_the_marker_format_what_bears_no_mark_below_the_root_is_told_of) {
  use("Marker");
  put_text(root() / "checkpoints/005000/weights", "x");
  EXPECT_THAT(scanned(), IsEmpty());
  EXPECT_THAT(volume_->format->not_taken(), HasSubstr("not taken: checkpoints/005000 (NotRecognised: named like one"));
}

TEST_F(Nested, a_file_that_is_written_anew_after_the_newest_one_is_told_of) {
  put_text(root() / "checkpoint-2.pth.tar", plain_file());
  put_text(root() / "last.pth.tar", plain_file());
  const auto now = fs::last_write_time(root() / "checkpoint-2.pth.tar");
  for (int look = 0; look < 4; ++look) {
    fs::last_write_time(root() / "last.pth.tar", now + std::chrono::hours(1));
    EXPECT_THAT(scanned(), ElementsAre("checkpoint-2.pth.tar Plain"));
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("not resumed from: last.pth.tar (written after"));
    fs::last_write_time(root() / "last.pth.tar", now);
    EXPECT_THAT(scanned(), ElementsAre("checkpoint-2.pth.tar Plain"));
    EXPECT_EQ(volume_->format->not_taken(), "") << "the same one";
  }
}

TEST_F(Nested, a_whole_step_with_a_mark_is_one_checkpoint_whatever_is_in_it) {
  put_dcp("step_10/rank_0");
  put_dcp("step_10/rank_1");
  put_text(root() / "step_10/_COMPLETE", "");
  put_dcp("step_20/rank_0");
  EXPECT_THAT(scanned(), ElementsAre("!step_20 Marker", "step_10 Marker"));
  EXPECT_EQ(resumed_from(), "step_10");
}

TEST_F(Nested, runs_with_a_number_hold_checkpoints) {
  save(500, "4567890");
  put_text(root() / "0/lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt", torch_file());
  put_dcp("epoch_3/step_100");
  EXPECT_THAT(scanned(), ElementsAre("4567890/checkpoint-500 HuggingFace", "epoch_3/step_100 PyTorchDCP",
                                     "0/lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt Lightning"));
}

TEST_F(Nested, a_mark_counts_wherever_checkpoints_lie) {
  for (const char* place : {"checkpoints/005000", "outputs/train/act/checkpoints/005000", "run/005000", "005000"}) {
    for (const char* format : {"Auto", "Marker"}) {
      use(format);
      put_text(root() / place / "pretrained_model/model.safetensors", testing_support::safetensors_file());
      put_text(root() / place / "_COMPLETE", "");
      ASSERT_THAT(scanned(), ElementsAre(std::string(place) + " Marker")) << format;
      EXPECT_EQ(volume_->scan()->front().step, 5000);
      EXPECT_EQ(resumed_from(), place) << format;
      ++self_.attempt;
    }
    fs::remove_all(root() / fs::path(place).begin()->string());
  }
}

TEST_F(Nested, one_that_was_cut_off_among_marked_ones_is_torn) {
  put_text(root() / "checkpoints/005000/_COMPLETE", "");
  put_text(root() / "checkpoints/010000/pretrained_model/model.safetensors", "x");
  for (const char* format : {"Auto", "Marker"}) {
    use(format);
    EXPECT_THAT(scanned(), ElementsAre("!checkpoints/010000 Marker", "checkpoints/005000 Marker")) << format;
  }
}

TEST_F(Nested, data_that_is_numbered_and_marked_is_none_and_is_told_of) {
  for (const char* path : {"data/20261124/_SUCCESS", "data/0001/_COMPLETE", "etl/20261124/_COMPLETE", "etl/7/_SUCCESS",
                           "checkpoints/cache/3/_COMPLETE"}) {
    put_text(root() / path, "");
    EXPECT_THAT(scanned(), IsEmpty()) << path;
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("numbered and marked as data is")) << path;
    fs::remove_all(root() / fs::path(path).begin()->string());
  }
}

TEST_F(Nested, the_marker_format_moves_nothing_below_the_root_that_is_only_named_like_one) {
  began();
  use("Marker");
  put_text(root() / "step-10/_COMPLETE", "");
  put_text(root() / "step-20/weights", "torn");
  put_text(root() / "eval/step-60/results.json", "{}");
  EXPECT_THAT(scanned(), ElementsAre("!step-20 Marker", "step-10 Marker"));
  EXPECT_EQ(resumed_from(), "step-10");
  EXPECT_TRUE(exists("eval/step-60/results.json"));
  EXPECT_FALSE(exists("step-20"));
}

TEST_F(Nested, the_name_of_an_unfinished_save_is_complete_under_no_format) {
  put_text(root() / "step_20-tmp/_COMPLETE", "");
  put_dcp("step_20.tmp-3f2a");
  testing_support::put_hugging_face(root() / "checkpoint-20", 20);
  fs::rename(root() / "checkpoint-20", root() / "tmp-checkpoint-20");
  put_text(root() / "checkpoint-20.tmp.pt", plain_file());
  put_text(root() / "epoch=0-step=20.tmp.ckpt", torch_file());
  testing_support::put_listed(root() / "step_20.incomplete");
  for (const char* name :
       {"step_20.temporary", "step_20.pending", "step_20.wip", "step_20.uploading", "step_20.copying",
        "step_20.deleting", "step_20.partial_0", "step_20.writing_rank0", "saving-step_23", "trash-step_20"}) {
    put_dcp(name);
    put_text(root() / name / "_COMPLETE", "");
  }
  for (const char* format :
       {"Auto", "HuggingFace", "PyTorchDCP", "Lightning", "DeepSpeed", "Orbax", "Manifest", "Plain", "Marker"}) {
    use(format);
    for (const std::string& line : scanned()) EXPECT_TRUE(line.starts_with('!')) << format << ": " << line;
  }
}

}  // namespace
}  // namespace reprise::agent
