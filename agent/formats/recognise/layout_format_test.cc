// The formats of libraries as the agent watches, restores and prunes by them. What a library itself says of damaged
// files is in tests/formats.
#include "agent/formats/recognise/layout_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/retain/prune.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::LayoutFormatTest;
using testing_support::put_hugging_face;
using testing_support::put_text;
using testing_support::torch_file;

TEST_F(LayoutFormatTest, the_newest_torn_one_is_out_of_the_way_of_a_trainer_that_looks_for_itself) {
  began();
  save(10);
  save(20);
  tear("out/checkpoint-20");
  const Restored seen = restored();
  EXPECT_EQ(seen.point.path, "out/checkpoint-10");
  EXPECT_FALSE(exists("out/checkpoint-20"));
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-20.2"));
}

TEST_F(LayoutFormatTest, a_torn_checkpoint_of_this_job_goes_when_a_newer_one_is_durable) {
  auto next = watch_after_a_torn_save();
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-20.3"));
  save(30);
  next.look();
  EXPECT_EQ(next.seen().durable->name, "out/checkpoint-30");
  EXPECT_EQ(next.seen().durable->format, "HuggingFace");
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-20.3"));
}

TEST_F(LayoutFormatTest, a_torn_single_file_goes_the_same_way) {
  const std::string directory = "lightning_logs/version_0/checkpoints/";
  put_text(root() / (directory + "epoch=0-step=5.ckpt"), torch_file());
  auto first = watch();
  put_text(root() / (directory + "epoch=1-step=10.ckpt"), torch_file().substr(0, 40));
  first.look();
  self_.attempt = 3;
  auto next = watch();
  const auto aside = root() / ".reprise/torn/lightning_logs+version_0+checkpoints+epoch=1-step=10.ckpt.3";
  EXPECT_TRUE(fs::exists(aside));
  put_text(root() / (directory + "epoch=2-step=15.ckpt"), torch_file());
  next.look();
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_EQ(next.seen().size_bytes, static_cast<std::int64_t>(torch_file().size()));
}

TEST_F(LayoutFormatTest, libraries_delete_their_own_unless_the_user_says_how_many_stay) {
  for (const bool says : {false, true}) {
    auto watching = watch(says ? std::optional(1) : std::nullopt);
    const std::string run = says ? "said" : "unsaid";
    calls_->open = OpenFiles{.paths = {run + "/checkpoint-0/model.safetensors"}};  // the trainer's own
    for (const int step : {100, 200, 300}) {
      save(step + (says ? 1'000 : 0), run);
      watching.look();
    }
    EXPECT_EQ(exists(run + "/checkpoint-" + (says ? "1100" : "100")), !says);
    EXPECT_EQ(exists(run + "/checkpoint-" + (says ? "1300" : "300")), true);
  }
}

TEST_F(LayoutFormatTest, those_of_own_trainers_that_write_a_marker_stay_unless_the_user_says_how_many_too) {
  auto watching = watch(), pruning = watch(2);
  for (const int step : {1, 2, 3}) {
    testing_support::put_checkpoint(root(), "step-" + std::to_string(step), true);
    watching.look();
  }
  EXPECT_THAT(scanned(), ElementsAre("step-3 Marker", "step-2 Marker", "step-1 Marker"));
  pruning.look();
  EXPECT_THAT(scanned(), ElementsAre("step-3 Marker", "step-2 Marker"));
}

TEST_F(LayoutFormatTest, what_no_layout_fits_is_left_alone_although_something_else_is_complete) {
  save(10);
  put_text(root() / "out/ckpt-20/model.npz", "of a library that nobody here knows");
  put_text(root() / "epoch_3/random_states_0.pkl", "accelerate");
  const Restored seen = restored();
  EXPECT_EQ(seen.point.path, "out/checkpoint-10");
  EXPECT_TRUE(exists("out/ckpt-20/model.npz"));
  EXPECT_TRUE(exists("epoch_3/random_states_0.pkl"));
}

TEST_F(LayoutFormatTest, what_is_like_no_complete_checkpoint_is_never_deleted_either) {
  auto first = watch();
  save(10);
  put_text(root() / "exports/19/model.npz", "this job has made it, and its name says checkpoint");
  put_text(root() / "epoch_3/random_states_0.pkl", "accelerate");
  put_text(root() / "other/checkpoint-7/optimizer.bin", "diffusers");
  first.look();
  self_.attempt = 3;
  auto next = watch(1);
  save(40);
  next.look();
  EXPECT_EQ(next.seen().durable->name, "out/checkpoint-40");
  EXPECT_FALSE(exists("out/checkpoint-10"));
  for (const char* file : {"exports/19/model.npz", "epoch_3/random_states_0.pkl", "other/checkpoint-7/optimizer.bin"})
    EXPECT_TRUE(exists(file)) << file;
}

TEST_F(LayoutFormatTest, where_nothing_is_complete_by_any_layout_nothing_is_moved) {
  put_text(root() / "checkpoint-20/model.npz", "x");
  const Restored seen = restored();
  EXPECT_EQ(seen.point.step, std::nullopt);
  EXPECT_TRUE(exists("checkpoint-20/model.npz"));
  EXPECT_THAT(seen.notes, ElementsAre(HasSubstr("checkpoint-20 is not complete by HuggingFace: trainer_state.json: is "
                                                "not there, and nothing of a training's state"),
                                      HasSubstr("NotRecognised: checkpoint-20 was left in place"),
                                      HasSubstr("no checkpoint is known to be complete (checkpoint-20 is not)")));
}

TEST_F(LayoutFormatTest, a_named_format_sees_no_other_library_s_and_moves_its_own_torn_ones) {
  began();
  use("HuggingFace");
  testing_support::put_checkpoint(root(), "step-10", true);
  fs::create_directories(root() / "checkpoint-20");
  EXPECT_THAT(scanned(), ElementsAre("!checkpoint-20 HuggingFace"));
  EXPECT_EQ(restored().point.step, std::nullopt);
  EXPECT_TRUE(exists("checkpoint-20")) << "nothing is complete";
  self_.attempt = 3;
  save(15, "");
  EXPECT_EQ(restored().point.step, 15);
  EXPECT_FALSE(exists("checkpoint-20"));
  EXPECT_TRUE(exists("step-10"));
}

TEST_F(LayoutFormatTest, a_model_that_somebody_has_put_on_the_volume_is_not_resumed_from) {
  put_text(root() / "models/v1-5-pruned.ckpt", torch_file());
  put_hugging_face(root() / "models/gpt2-124", 124);
  EXPECT_THAT(scanned(), IsEmpty());
  EXPECT_EQ(restored().point.step, std::nullopt);
}

TEST_F(LayoutFormatTest, a_model_that_is_put_beside_others_while_the_job_trains_is_not_taken_for_made_by_it) {
  put_text(root() / "models/epoch=1-step=20.ckpt", torch_file());
  auto watching = watch();
  watching.look();
  put_text(root() / "models/v1-5-pruned.ckpt", torch_file());
  watching.look();
  EXPECT_THAT(read_made(*volume_).value(), IsEmpty());
}

TEST_F(LayoutFormatTest, a_step_that_orbax_has_not_renamed_yet_is_torn_beside_whole_ones) {
  began();
  const std::string committed = R"({"item_handlers": {}, "commit_timestamp_nsecs": 1})";
  put_text(root() / "100.orbax-checkpoint-tmp/_CHECKPOINT_METADATA", R"({"item_handlers": {}})");
  put_text(root() / "run-1/100.orbax-checkpoint-tmp/_CHECKPOINT_METADATA", R"({"item_handlers": {}})");
  put_text(root() / "50/_CHECKPOINT_METADATA", committed);
  EXPECT_THAT(scanned(), ElementsAre("!100.orbax-checkpoint-tmp Orbax", "50 Orbax")) << "none is whole in run-1";
  EXPECT_EQ(restored().point.step, 50);
  EXPECT_FALSE(fs::exists(root() / "100.orbax-checkpoint-tmp"));
}

TEST_F(LayoutFormatTest, what_was_put_aside_is_known_to_be_complete_by_the_name_that_it_had) {
  for (const char* format : {"Auto", "HuggingFace"}) {
    use(format);
    const auto aside = root() / ".reprise/torn/out+checkpoint-10.3";
    put_hugging_face(aside, 10);
    EXPECT_TRUE(volume_->format->completed(volume_->files, aside)->has_value()) << format;
  }
}

TEST_F(LayoutFormatTest, a_library_s_stay_unless_the_user_says_how_many_also_beside_a_newer_one_with_a_marker) {
  auto watching = watch();
  for (const int step : {10, 20, 30, 40}) {
    save(step);
    watching.look();
  }
  testing_support::put_checkpoint(root(), "best-step-50", true);
  watching.look();
  for (const int step : {10, 20, 30, 40}) EXPECT_TRUE(exists("out/checkpoint-" + std::to_string(step)));
}

TEST_F(LayoutFormatTest, a_start_from_scratch_moves_no_data_where_nothing_is_complete) {
  auto first = watch();
  for (const char* digit : {"0", "1"}) put_text(root() / "mnist/train" / digit / "a.png", "downloaded by the trainer");
  first.look();
  self_.attempt = 3;
  env_.resume = ResumePolicy::FromScratch;
  auto next = watch();
  save(40);
  next.look();
  for (const char* digit : {"0", "1"}) EXPECT_TRUE(fs::exists(root() / "mnist/train" / digit / "a.png"));
}

TEST_F(LayoutFormatTest, what_was_there_before_and_like_no_complete_one_is_not_made_by_this_job) {
  testing_support::put_checkpoint(root(), "step-5", true);
  put_text(root() / "out/checkpoint-20/unet/model.npz", "of somebody else, by diffusers");
  auto first = watch();
  save(30);
  first.look();
  self_.attempt = 3;
  auto next = watch();
  save(40);
  next.look();
  EXPECT_TRUE(exists("out/checkpoint-20/unet/model.npz"));
}

// Judged alone a directory of `Plain` is complete, which one beside others was not.
TEST_F(LayoutFormatTest, what_was_put_aside_as_torn_is_torn_whatever_another_look_says) {
  auto next = watch_after_a_torn_save();
  put_text(root() / ".reprise/torn/out+checkpoint-20.3/trainer_state.json", R"({"global_step": 20})");
  next.look();
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-20.3")) << "nothing newer is complete";
  save(30);
  next.look();
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-20.3"));
}

TEST_F(LayoutFormatTest, what_was_put_aside_stays_as_long_as_nothing_newer_can_stand_for_it) {
  auto next = watch_after_a_torn_save();
  save(30, "elsewhere");
  next.look();
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-20.3")) << "of another program perhaps";
  save(40);
  next.look();
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-20.3"));
}

TEST_F(LayoutFormatTest, the_newest_is_torn_while_it_is_written_anew_in_place) {
  auto first = watch(2);
  for (const int step : {10, 20}) {
    save(step);
    first.look();
  }
  self_.attempt = 3;
  auto next = watch(1);
  put_text(root() / "out/checkpoint-20/optimizer.pt", torch_file().substr(0, 40));
  next.look();
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_EQ(next.seen().durable->name, "out/checkpoint-10");
}

TEST_F(LayoutFormatTest, what_has_a_longer_path_than_a_name_may_have_is_pruned) {
  const std::string run = std::string(120, 'a') + "/" + std::string(140, 'b');
  auto watching = watch(1);
  for (const int step : {10, 20}) {
    save(step, run);
    watching.look();
  }
  EXPECT_EQ(watching.seen().problem, "");
  EXPECT_FALSE(exists(run + "/checkpoint-10"));
}

class Tracked : public LayoutFormatTest {
 protected:
  Tracked() {
    for (const int step : {10, 20, 30}) save_deepspeed(step);
    put_text(root() / "out/latest", "global_step30\n");
  }
  void save_deepspeed(int step) const {
    // {"dp_world_size": 1, "mp_world_size": 1}
    const std::string pickle = std::string("\x80\x02}(X\x0d\x00\x00\x00", 9) + "dp_world_size" + "K\x01" +
                               std::string("X\x0d\x00\x00\x00", 5) + "mp_world_size" + "K\x01u.";
    put_text(root() / "out" / ("global_step" + std::to_string(step)) / "mp_rank_00_model_states.pt",
             testing_support::zip_of({{"archive/data.pkl", pickle}, {"archive/version", "3\n"}}));
  }
  [[nodiscard]] std::string latest() const { return testing_support::text_in(root() / "out/latest"); }
};

TEST_F(Tracked, the_tracker_file_names_the_newest_complete_one_when_what_it_named_is_put_aside) {
  put_text(root() / "out/global_step30/mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.path, "out/global_step20");
  EXPECT_EQ(latest(), "global_step20");
}

TEST_F(Tracked, a_tracker_file_that_names_another_one_stays_as_it_is) {
  put_text(root() / "out/global_step20/mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.path, "out/global_step30");
  EXPECT_EQ(latest(), "global_step30\n");
}

TEST_F(Tracked, where_no_complete_one_is_left_the_tracker_file_goes) {
  use("DeepSpeed");
  env_.resume = ResumePolicy::FromScratch;
  for (const int step : {10, 20, 30})
    put_text(root() / "out" / ("global_step" + std::to_string(step)) / "mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.step, std::nullopt);
  EXPECT_FALSE(exists("out/latest"));
}

TEST_F(Tracked, a_tag_that_is_called_as_megatron_s_directories_is_tracked_like_any_other) {
  for (const int step : {10, 20, 30}) {
    const std::string tag = std::to_string(step);
    fs::rename(root() / "out" / ("global_step" + tag), root() / "out" / ("iter_" + tag));
  }
  put_text(root() / "out/latest", "iter_30");
  put_text(root() / "out/iter_30/mp_rank_00_model_states.pt", "torn");
  const auto moved = volume_->format->put_aside(volume_->files, root(), "out/iter_30", root() / "aside");
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(latest(), "iter_20");
}

TEST_F(Tracked, a_link_called_latest_is_put_right_as_well) {
  fs::remove(root() / "out/latest");
  fs::create_directory_symlink("global_step30", root() / "out/latest");
  put_text(root() / "out/global_step30/mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.path, "out/global_step20");
  EXPECT_EQ(fs::read_symlink(root() / "out/latest"), "global_step20");
}

TEST_F(Tracked, an_emptied_tracker_file_names_the_newest_complete_one_and_the_record_says_so) {
  for (const std::string& left : {std::string(), std::string(14, '\0')}) {
    put_text(root() / "out/latest", left);
    ++self_.attempt;
    EXPECT_THAT(restored().notes,
                testing::Contains(HasSubstr("out/latest was empty, and names out/global_step30 now")));
    EXPECT_EQ(latest(), "global_step30");
  }
}

TEST_F(Tracked, what_the_format_puts_right_the_record_says_too) {
  began();
  put_text(root() / "out/global_step30/mp_rank_00_model_states.pt", "torn");
  EXPECT_THAT(
      restored().notes,
      testing::Contains(HasSubstr("out/latest named out/global_step30, which was put aside, and names global_step20")));
}

TEST_F(LayoutFormatTest, what_cannot_be_moved_is_incomplete_before_its_files_go) {
  save(10);
  save(20);
  calls_->rename_problem = EXDEV;
  std::vector<bool> complete;
  calls_->on_call = [&] {
    const bool there = exists("out/checkpoint-10/optimizer.pt");
    if (!there) complete.push_back(exists("out/checkpoint-10/trainer_state.json"));
  };
  EXPECT_TRUE(prune(*volume_, "out/checkpoint-10"));
  calls_->on_call = nullptr;
  EXPECT_THAT(complete, testing::Each(false));
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-20 HuggingFace"));
}

// Transformers writes this into every later checkpoint for what fp16 runs log at their first steps.
TEST_F(LayoutFormatTest, what_python_writes_for_numbers_that_are_none_says_nothing_against_a_checkpoint) {
  save(10);
  put_text(root() / "out/checkpoint-10/trainer_state.json",
           R"({"global_step": 10, "log_history": [{"grad_norm": NaN}, {"loss": -Infinity}], "best_metric": Infinity})");
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-10 HuggingFace"));
}

// A file that no file system can name is not there; it does not keep the volume from being read.
TEST_F(LayoutFormatTest, a_list_with_a_name_that_is_too_long_makes_its_checkpoint_torn_and_no_other) {
  save(10);
  put_text(root() / "step-20/SHA256SUMS", std::string(64, 'a') + "  " + std::string(300, 'n') + "\n");
  use("Manifest");
  EXPECT_THAT(scanned(), testing::Contains("!step-20 Manifest"));
  use("HuggingFace");
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-10 HuggingFace"));
}

// What follows the last dot of a name is the number of an attempt only where it was put aside.
TEST_F(LayoutFormatTest, a_directory_with_a_dot_in_its_name_is_looked_at_by_that_name) {
  testing_support::put_checkpoint(root(), "step_30.tmp", true);
  const auto unfinished = volume_->format->completed(volume_->files, root() / "step_30.tmp");
  ASSERT_TRUE(unfinished);
  EXPECT_FALSE(unfinished->has_value()) << "bears the name of a save that did not end";
}

}  // namespace
}  // namespace reprise::agent
