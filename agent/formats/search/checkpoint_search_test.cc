// A search finds these among the directories of trainers; the tests say what it reads again, and what data costs it.
#include "agent/formats/search/checkpoint_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::LayoutFormatTest;
using testing_support::lightning_file;
using testing_support::put_text;
using testing_support::torch_file;

TEST_F(LayoutFormatTest, each_library_s_checkpoints_are_found_below_the_directories_that_it_makes) {
  save(30);
  testing_support::put_checkpoint(root(), "step-10", true);
  put_text(root() / "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt", torch_file());
  put_text(root() / "lightning_logs/version_0/checkpoints/last.ckpt", torch_file());
  EXPECT_THAT(scanned(),
              ElementsAre("out/checkpoint-30 HuggingFace",
                          "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt Lightning", "step-10 Marker"));
}

TEST_F(LayoutFormatTest, lightning_s_last_file_counts_with_the_step_in_it_where_it_is_the_only_one) {
  put_text(root() / "run/last.ckpt", lightning_file(40));
  put_text(root() / "other/last-v1.ckpt", lightning_file(30));
  EXPECT_THAT(scanned(), ElementsAre("run/last.ckpt Lightning", "other/last-v1.ckpt Lightning"));
  EXPECT_EQ(volume_->scan()->front().step, 40);
  put_text(root() / "run/last.ckpt", lightning_file(50));
  EXPECT_EQ(volume_->scan()->front().step, 50);
}

TEST_F(LayoutFormatTest, lightning_s_last_file_hides_no_numbered_one_and_is_not_counted_beside_it) {
  for (const char* file : {"epoch=1-step=25.ckpt", "step=20.ckpt"}) put_text(root() / "run" / file, torch_file());
  put_text(root() / "run/last.ckpt", lightning_file(90));
  for (int look = 0; look < 3; ++look)
    EXPECT_THAT(scanned(), ElementsAre("run/epoch=1-step=25.ckpt Lightning", "run/step=20.ckpt Lightning"));
  for (const char* file : {"epoch=1-step=25.ckpt", "step=20.ckpt"})
    put_text(root() / "run" / file, torch_file().substr(0, 40));
  EXPECT_EQ(scanned().front(), "run/last.ckpt Lightning") << "no numbered one is whole";
}

TEST_F(LayoutFormatTest, the_same_goes_for_lightning_s_directories) {
  const std::string shard = torch_file();
  const auto put = [&](const std::string& name, int step) {
    put_text(root() / name / "__0_0.distcp", shard);
    put_text(root() / name / ".metadata", testing_support::dcp_metadata({{"__0_0.distcp", shard.size()}}));
    put_text(root() / name / "meta.pt", lightning_file(step));
  };
  put("last.ckpt", 60);
  EXPECT_EQ(volume_->scan()->front().step, 60);
  put("epoch=1-step=50.ckpt", 50);
  for (int look = 0; look < 3; ++look) EXPECT_THAT(scanned(), ElementsAre("epoch=1-step=50.ckpt Lightning"));
}

TEST_F(LayoutFormatTest, a_last_file_that_is_torn_or_not_lightning_s_is_not_complete) {
  put_text(root() / "a/last.ckpt", lightning_file(40).substr(0, 50));
  put_text(root() / "b/last.ckpt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("!b/last.ckpt Lightning", "!a/last.ckpt Lightning"));
  EXPECT_EQ(restored().point.step, std::nullopt);
  EXPECT_TRUE(exists("a/last.ckpt"));
}

TEST_F(LayoutFormatTest, a_last_file_that_no_trainer_of_this_job_has_left_is_not_resumed_from) {
  for (const char* name : {"last.ckpt", "last-v1.ckpt"}) {
    put_text(root() / name, lightning_file(40));
    EXPECT_EQ(restored().point.path, "") << name;
    std::filesystem::remove(root() / name);
    ++self_.attempt;
  }
}

TEST_F(LayoutFormatTest, the_last_file_that_a_trainer_of_this_job_has_left_is_resumed_from) {
  auto first = watch();
  put_text(root() / "run/last.ckpt", lightning_file(40));
  first.look();
  self_.attempt = 3;
  EXPECT_EQ(restored().point.path, "run/last.ckpt");
  EXPECT_EQ(restored().point.step, 40);
}

TEST_F(LayoutFormatTest, checkpoints_are_found_where_hydra_lets_lightning_write_them) {
  const std::string run = "multirun/2026-11-25/09-00-00/0/lightning_logs/version_0/checkpoints/";
  put_text(root() / "outputs" / run / "epoch=1-step=25.ckpt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("outputs/" + run + "epoch=1-step=25.ckpt Lightning"));
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

TEST_F(LayoutFormatTest, a_trainer_s_own_mark_counts_in_a_directory_that_is_named_like_Trainer_s) {
  put_text(root() / "checkpoint-5/weights.npz", "x");
  put_text(root() / "checkpoint-5/_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-5 Marker"));
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

TEST_F(LayoutFormatTest, a_look_that_its_bounds_cut_short_says_what_it_has_not_seen) {
  for (int i = 0; i < 30; ++i) put_text(root() / "data" / ("n" + std::to_string(i)) / "a/b.jpeg", "x");
  const PosixFiles files(std::make_shared<VolumeCalls>(), root());
  const auto layouts = layouts_named("Auto");
  const auto said = [&](const SearchLimits& limits) {
    SearchMemory memory;
    std::vector<std::string> each_look;
    for (int look = 0; look < 4; ++look) {
      EXPECT_TRUE(search_checkpoints(files, *layouts, root(), limits, memory));
      each_look.push_back(text(memory.unsearched, limits));
    }
    return each_look;
  };
  const std::string begin = "not looked into for checkpoints: ";
  EXPECT_THAT(said({}), testing::Each(""));
  EXPECT_THAT(said({.directories = 12}),
              testing::Each(begin + "data/n18 and 29 more (a look reads 12 directories that are no checkpoints)"));
  EXPECT_THAT(said({.entries = 29}), testing::Each(begin + "data (more than 29 entries)"));
  EXPECT_THAT(said({.depth = 2}), testing::Each(begin + "data/n0/a and 29 more (more than 2 levels down)"));
}

TEST_F(LayoutFormatTest, an_attempt_notes_what_its_restore_has_not_looked_into) {
  for (int i = 0; i < 300; ++i) fs::create_directories(root() / "data" / ("n" + std::to_string(i)));
  save(10);
  EXPECT_THAT(restored().notes, ElementsAre(testing::StartsWith("not looked into for checkpoints: data/n")));
  fs::remove_all(root() / "data");
  self_.attempt = 3;
  EXPECT_THAT(restored().notes, IsEmpty());
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

}  // namespace
}  // namespace reprise::agent
