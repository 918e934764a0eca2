// The formats of libraries as the agent watches, restores and prunes by them. What a library itself says of damaged
// files is in tests/formats.
#include "agent/formats/layout_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/prune.h"
#include "agent/core/restore.h"
#include "agent/core/watch.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_hugging_face;
using testing_support::put_text;
using testing_support::torch_file;

class LayoutFormatTest : public testing_support::VolumeTest {
 protected:
  LayoutFormatTest() { use("Auto"); }
  void use(const std::string& format) {
    auto calls = std::make_shared<testing_support::FakeCalls>();
    calls_ = calls.get();
    volume_ = posix_volume(root(), make_format(format).value(), std::move(calls));
    env_.format = format;
  }
  void save(int step, const std::string& run = "out") const {
    put_hugging_face(root() / run / ("checkpoint-" + std::to_string(step)), step);
  }
  void tear(const std::string& checkpoint) const { fs::remove(root() / checkpoint / "trainer_state.json"); }
  // "<name> <format>", "!" before a torn one.
  [[nodiscard]] std::vector<std::string> scanned() const {
    std::vector<std::string> lines;
    const auto found = volume_->scan();
    EXPECT_TRUE(found) << found.error().message;
    for (const Checkpoint& each : found.value_or(Checkpoints{}))
      lines.push_back((each.complete ? "" : "!") + each.name + " " + each.format);
    return lines;
  }
  [[nodiscard]] Restored restored() const {
    auto restored = restore(*volume_, env_, self_);
    EXPECT_TRUE(restored) << restored.error().message;
    return restored.value_or(Restored{});
  }
  // As the operator's agent would: everything that comes while this watches was made by this job.
  [[nodiscard]] CheckpointWatch watch(std::optional<std::int32_t> keep = std::nullopt) const {
    const auto before = restored();
    return {volume_, {.keep = keep, .prunes = true, .before = before.before, .made = before.made, .self = self_}};
  }
};

TEST_F(LayoutFormatTest, each_library_s_checkpoints_are_found_below_the_directories_that_it_makes) {
  save(30);
  testing_support::put_checkpoint(root(), "step-10", true);
  put_text(root() / "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt", torch_file());
  put_text(root() / "lightning_logs/version_0/checkpoints/last.ckpt", torch_file());
  EXPECT_THAT(scanned(),
              ElementsAre("out/checkpoint-30 HuggingFace",
                          "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt Lightning", "step-10 Marker"));
}

TEST_F(LayoutFormatTest, a_checkpoint_that_was_complete_is_seen_torn_when_its_files_have_changed) {
  save(30);
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-30 HuggingFace"));
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-30 HuggingFace"));
  fs::remove(root() / "out/checkpoint-30/optimizer.pt");
  EXPECT_THAT(scanned(), ElementsAre("!out/checkpoint-30 HuggingFace"));
  put_text(root() / "out/checkpoint-30/optimizer.pt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-30 HuggingFace"));
  put_text(root() / "out/checkpoint-30/trainer_state.json", "{");
  EXPECT_THAT(scanned(), ElementsAre("!out/checkpoint-30 HuggingFace"));
}

TEST_F(LayoutFormatTest, an_older_one_is_seen_torn_when_something_in_it_has_come_or_gone) {
  save(20);
  save(30);
  EXPECT_EQ(scanned().size(), 2U);
  fs::remove(root() / "out/checkpoint-20/optimizer.pt");
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-30 HuggingFace", "!out/checkpoint-20 HuggingFace"));
}

TEST_F(LayoutFormatTest, what_has_not_changed_is_not_read_again) {
  save(30);
  save(40);
  for (int i = 0; i < 20; ++i) put_text(root() / "logs" / std::string(1, static_cast<char>('a' + i)) / "events", "x");
  static_cast<void>(scanned());
  static_cast<void>(scanned());
  int calls = 0;
  calls_->on_call = [&] { ++calls; };
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-40 HuggingFace", "out/checkpoint-30 HuggingFace"));
  calls_->on_call = nullptr;
  EXPECT_LT(calls, 40);  // each directory and mark is asked for once, and of those only two are listed
}

TEST_F(LayoutFormatTest, a_checkpoint_in_a_directory_that_is_new_or_was_quiet_is_seen_at_the_next_look) {
  fs::create_directories(root() / "runs" / "today");
  for (int look = 0; look < 5; ++look) EXPECT_THAT(scanned(), IsEmpty());
  save(10, "runs/today");
  EXPECT_THAT(scanned(), ElementsAre("runs/today/checkpoint-10 HuggingFace"));
  save(20, "runs/other");
  EXPECT_THAT(scanned(), ElementsAre("runs/other/checkpoint-20 HuggingFace", "runs/today/checkpoint-10 HuggingFace"));
}

TEST_F(LayoutFormatTest, where_times_of_directories_tell_nothing_a_quiet_one_is_read_again_before_long) {
  const auto when = fs::file_time_type::clock::now();
  const auto stand_still = [&] { fs::last_write_time(root() / "runs", when); };
  fs::create_directories(root() / "runs");
  for (int look = 0; look < 5; ++look) {
    stand_still();
    EXPECT_THAT(scanned(), IsEmpty());
  }
  save(10, "runs");
  int looks = 0;
  do {
    stand_still();
    ++looks;
  } while (scanned().empty() && looks < 100);
  EXPECT_LE(looks, SearchLimits{}.looks_until_listed_again + 1);
}

TEST_F(LayoutFormatTest, the_newest_torn_one_is_out_of_the_way_of_a_trainer_that_looks_for_itself) {
  save(10);
  save(20);
  tear("out/checkpoint-20");
  const Restored seen = restored();
  EXPECT_EQ(seen.point.path, "out/checkpoint-10");
  EXPECT_FALSE(exists("out/checkpoint-20"));
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-20.2"));
}

TEST_F(LayoutFormatTest, a_torn_checkpoint_of_this_job_goes_when_a_newer_one_is_durable) {
  save(10);
  auto first = watch();
  save(20);
  tear("out/checkpoint-20");
  first.look();
  self_.attempt = 3;
  auto next = watch();
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
    for (const int step : {100, 200, 300}) {
      save(step + (says ? 1'000 : 0), run);
      watching.look();
    }
    EXPECT_EQ(exists(run + "/checkpoint-" + (says ? "1100" : "100")), !says);
    EXPECT_EQ(exists(run + "/checkpoint-" + (says ? "1300" : "300")), true);
  }
}

TEST_F(LayoutFormatTest, own_trainers_that_write_a_marker_are_pruned_to_two_as_before) {
  auto watching = watch();
  for (const int step : {1, 2, 3}) {
    testing_support::put_checkpoint(root(), "step-" + std::to_string(step), true);
    watching.look();
  }
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
  EXPECT_THAT(seen.notes, ElementsAre(HasSubstr("no checkpoint is known to be complete (checkpoint-20 is not)")));
}

TEST_F(LayoutFormatTest, a_named_format_sees_no_other_library_s_and_moves_its_own_torn_ones) {
  use("HuggingFace");
  testing_support::put_checkpoint(root(), "step-10", true);
  fs::create_directories(root() / "checkpoint-20");
  EXPECT_THAT(scanned(), ElementsAre("!checkpoint-20 HuggingFace"));
  EXPECT_EQ(restored().point.step, std::nullopt);
  EXPECT_FALSE(exists("checkpoint-20"));
  EXPECT_TRUE(exists("step-10"));
}

TEST_F(LayoutFormatTest, a_trainer_s_own_mark_counts_in_a_directory_that_is_named_like_Trainer_s) {
  put_text(root() / "checkpoint-5/weights.npz", "x");
  put_text(root() / "checkpoint-5/_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-5 Marker"));
}

TEST_F(LayoutFormatTest, a_model_that_somebody_has_put_on_the_volume_is_not_resumed_from) {
  put_text(root() / "models/v1-5-pruned.ckpt", torch_file());
  put_hugging_face(root() / "models/gpt2-124", 124);
  EXPECT_THAT(scanned(), IsEmpty());
  EXPECT_EQ(restored().point.step, std::nullopt);
}

TEST_F(LayoutFormatTest, data_with_more_entries_than_a_run_has_is_not_looked_into) {
  for (int i = 0; i < 30; ++i) put_text(root() / "data" / ("step-" + std::to_string(i)) / "_COMPLETE", "");
  const PosixFiles files(std::make_shared<VolumeCalls>(), root());
  const auto layouts = layouts_named("Auto");
  SearchMemory memory;
  EXPECT_THAT(*search_checkpoints(files, *layouts, root(), {.entries = 29}, memory), IsEmpty());
  memory = {};
  EXPECT_EQ(search_checkpoints(files, *layouts, root(), {.entries = 30}, memory)->size(), 30U);
}

TEST_F(LayoutFormatTest, a_step_that_orbax_has_not_renamed_yet_is_torn_beside_whole_ones) {
  const std::string committed = R"({"item_handlers": {}, "commit_timestamp_nsecs": 1})";
  put_text(root() / "100.orbax-checkpoint-tmp/_CHECKPOINT_METADATA", R"({"item_handlers": {}})");
  put_text(root() / "run-1/100.orbax-checkpoint-tmp/_CHECKPOINT_METADATA", R"({"item_handlers": {}})");
  put_text(root() / "50/_CHECKPOINT_METADATA", committed);
  EXPECT_THAT(scanned(), ElementsAre("!100.orbax-checkpoint-tmp Orbax", "50 Orbax")) << "none is whole in run-1";
  EXPECT_EQ(restored().point.step, 50);
  EXPECT_FALSE(fs::exists(root() / "100.orbax-checkpoint-tmp"));
}

TEST_F(LayoutFormatTest, a_metric_in_the_name_of_a_lightning_file_is_no_step) {
  for (const char* name : {"epoch=2-val_loss=0.75.ckpt", "epoch=10-val_loss=0.25.ckpt"})
    put_text(root() / name, torch_file());
  const auto found = volume_->scan();
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).step, 10);
  EXPECT_EQ(found->at(1).step, 2);
}

TEST_F(LayoutFormatTest, a_data_set_of_many_directories_hides_no_checkpoint) {
  for (int i = 0; i < 400; ++i) put_text(root() / "data/train" / ("n" + std::to_string(i) + "x") / "a.jpeg", "x");
  save(10, "out/deep/run");
  for (int look = 0; look < 3; ++look) EXPECT_THAT(scanned(), ElementsAre("out/deep/run/checkpoint-10 HuggingFace"));
}

TEST_F(LayoutFormatTest, what_was_put_aside_is_known_to_be_complete_by_the_name_that_it_had) {
  for (const char* format : {"Auto", "HuggingFace"}) {
    use(format);
    const auto aside = root() / ".reprise/torn/out+checkpoint-10.3";
    put_hugging_face(aside, 10);
    EXPECT_TRUE(volume_->format->completed(volume_->files, aside)->has_value()) << format;
    EXPECT_TRUE(drop_torn(*volume_));
    EXPECT_TRUE(fs::exists(aside)) << format << ": a cache had hidden its mark";
    fs::remove(aside / "trainer_state.json");
    EXPECT_TRUE(drop_torn(*volume_));
    EXPECT_FALSE(fs::exists(aside)) << format;
  }
}

TEST_F(LayoutFormatTest, data_that_is_cut_up_by_numbers_and_marked_is_no_checkpoint) {
  put_text(root() / "data/20261124/_SUCCESS", "");
  put_text(root() / "data/20261125/part-0", "not complete yet");
  put_text(root() / "120/_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("120 Marker"));
  EXPECT_EQ(restored().point.path, "120");
  EXPECT_TRUE(exists("data/20261125/part-0"));
}

TEST_F(LayoutFormatTest, links_are_no_checkpoints_of_their_own) {
  save(10);
  fs::create_directory_symlink(root() / "out/checkpoint-10", root() / "checkpoint-10");
  put_text(root() / "a/epoch=0-step=5.ckpt", torch_file());
  fs::create_symlink(root() / "a/epoch=0-step=5.ckpt", root() / "a/epoch=0-step=6.ckpt");
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-10 HuggingFace", "a/epoch=0-step=5.ckpt Lightning"));
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
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-20.3/unet/model.npz"));
}

TEST_F(LayoutFormatTest, one_that_is_complete_after_it_was_put_aside_is_not_deleted) {
  save(10);
  auto first = watch();
  save(20);
  tear("out/checkpoint-20");
  first.look();
  self_.attempt = 3;
  auto next = watch();
  put_text(root() / ".reprise/torn/out+checkpoint-20.3/trainer_state.json", R"({"global_step": 20})");
  save(30);
  next.look();
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-20.3"));
}

class ManyCheckpoints : public LayoutFormatTest {
 protected:
  void put_many(const std::string& run) const {
    for (int step = 100; step <= 400; ++step) save(step, run);
  }
};

TEST_F(ManyCheckpoints, are_all_seen_at_the_first_look) {
  put_many("out");
  env_.expected_step = 400;
  const Restored seen = restored();
  EXPECT_EQ(seen.point.rejection, "");
  EXPECT_EQ(seen.point.path, "out/checkpoint-400");
}

TEST_F(ManyCheckpoints, of_others_are_neither_progress_nor_pruned) {
  put_many("others");
  auto watching = watch(1);
  watching.look();
  watching.look();
  EXPECT_EQ(std::distance(fs::directory_iterator(root() / "others"), fs::directory_iterator()), 301);
}

TEST_F(LayoutFormatTest, data_with_many_directories_hides_no_checkpoint) {
  for (int i = 0; i < 300; ++i) put_text(root() / "imagenet" / ("n" + std::to_string(i)) / "a.jpeg", "x");
  save(10);
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-10 HuggingFace"));
}

TEST_F(LayoutFormatTest, a_directory_that_is_named_like_a_checkpoint_may_hold_some) {
  save(10, "checkpoints-llama3");
  put_text(root() / "multirun/2026-11-25/0/checkpoints/epoch=1-step=5.ckpt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("checkpoints-llama3/checkpoint-10 HuggingFace",
                                     "multirun/2026-11-25/0/checkpoints/epoch=1-step=5.ckpt Lightning"));
}

TEST_F(LayoutFormatTest, a_part_of_a_torn_checkpoint_of_one_s_own_is_none) {
  put_text(root() / "step-5/_COMPLETE", "");
  put_text(root() / "step-6/epoch=1-step=6.ckpt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("!step-6 Marker", "step-5 Marker"));
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
  for (const int step : {10, 20, 30})
    put_text(root() / "out" / ("global_step" + std::to_string(step)) / "mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.step, std::nullopt);
  EXPECT_FALSE(exists("out/latest"));
}

TEST_F(Tracked, a_link_called_latest_is_somebody_else_s) {
  fs::remove(root() / "out/latest");
  fs::create_directory_symlink("global_step30", root() / "out/latest");
  put_text(root() / "out/global_step30/mp_rank_00_model_states.pt", "torn");
  EXPECT_EQ(restored().point.path, "out/global_step20");
  EXPECT_TRUE(fs::is_symlink(root() / "out/latest"));
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

}  // namespace
}  // namespace reprise::agent
