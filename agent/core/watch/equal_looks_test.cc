// A look that is told what the one before was told concludes nothing anew, and leaves nothing out.
#include "agent/core/watch/equal_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "agent/core/watch/watch.h"
#include "agent/formats/search/checkpoint_search.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::put_text;

class EqualLooksTest : public testing_support::VolumeTest {
 protected:
  // A whole look, by these questions.
  void look(const std::function<void(const Volume&)>& questions, bool is_settled = true) {
    looks_.begin();
    questions(*looks_.volume());
    looks_.end({}, is_settled);
  }
  void look_twice(const std::function<void(const Volume&)>& questions) {
    look(questions);
    EXPECT_FALSE(looks_.is_one({})) << "once may have been the first to see it";
    look(questions);
  }
  // Each way of asking, of one directory and what is in it.
  void ask(const Volume& volume) const {
    std::ignore = volume.files.look(root() / "step-1/state.bin", Links::Follow);
    std::ignore = volume.files.list(root() / "");  // as a place below the root that is the root itself
    std::ignore = volume.files.list_entries(root() / "step-1");
    std::ignore = volume.files.list_infos(root() / "step-2");
  }
  EqualLooks looks_{volume_};
};

TEST_F(EqualLooksTest, what_two_looks_were_told_is_asked_again_at_one_go) {
  for (const char* name : {"step-1", "step-2"}) checkpoint(name);
  look_twice([&](const Volume& volume) { ask(volume); });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(looks_.is_one({}));
}

TEST_F(EqualLooksTest, whatever_has_changed_of_it_is_seen) {
  const std::vector<std::function<void()>> changes{
      [&] { put_text(root() / "step-1/state.bin", "more weights"); },
      [&] {
        fs::last_write_time(root() / "step-1/state.bin", fs::file_time_type::clock::now() - std::chrono::hours(1));
      },
      [&] { fs::remove(root() / "step-1/state.bin"); },
      [&] { checkpoint("step-3"); },
      [&] { fs::rename(root() / "step-1", root() / "step-0"); },
      [&] { put_text(root() / "step-1/more", "more"); },
      [&] {
        fs::remove(root() / "step-1/_COMPLETE");
        fs::create_directory(root() / "step-1/_COMPLETE");
      },
      [&] { put_text(root() / "step-2/state.bin", "more weights"); },
      [&] { fs::remove_all(root() / "step-2"); },
  };
  for (const auto& change : changes) {
    for (const char* name : {"step-0", "step-1", "step-2", "step-3"}) fs::remove_all(root() / name);
    for (const char* name : {"step-1", "step-2"}) checkpoint(name);
    look_twice([&](const Volume& volume) { ask(volume); });
    ASSERT_TRUE(looks_.is_one({}));
    change();
    EXPECT_FALSE(looks_.is_one({})) << &change - changes.data();
  }
}

TEST_F(EqualLooksTest, a_look_that_reads_or_writes_is_never_left_at_its_answers) {
  checkpoint("step-1");
  const std::vector<std::function<void(const Volume&)>> questions{
      [&](const Volume& volume) { std::ignore = volume.files.read(root() / "step-1/_COMPLETE"); },
      [&](const Volume& volume) { std::ignore = volume.files.read_range(root() / "step-1/_COMPLETE", 0, 1); },
      [&](const Volume& volume) { std::ignore = volume.files.write(root() / ".reprise/note", "text", Sync::No); },
      [&](const Volume& volume) { std::ignore = volume.files.sync_volume(root(), root() / "step-1"); },
      [&](const Volume& volume) { std::ignore = volume.files.remove(root() / "nothing"); },
      [&](const Volume& volume) { std::ignore = volume.files.open_for_writing(root()); },
      [&](const Volume& volume) { std::ignore = volume.files.size_of(root() / "step-1"); },
      [&](const Volume& volume) { std::ignore = volume.files.list(root() / "step-1/_COMPLETE"); },  // an error
      [&](const Volume& volume) { std::ignore = volume.files.look("/", Links::Follow); },           // of another volume
  };
  for (const auto& question : questions) {
    look_twice(question);
    EXPECT_FALSE(looks_.is_one({})) << &question - questions.data();
  }
}

TEST_F(EqualLooksTest, what_was_answered_in_two_ways_in_one_look_is_asked_by_a_whole_one) {
  look_twice([&](const Volume& volume) {
    std::ignore = volume.files.look(root() / "step-1", Links::Stay);
    checkpoint("step-1");
    std::ignore = volume.files.look(root() / "step-1", Links::Stay);
    fs::remove_all(root() / "step-1");
  });
  EXPECT_FALSE(looks_.is_one({}));
}

TEST_F(EqualLooksTest, a_look_that_failed_is_made_again) {
  look([&](const Volume& volume) { ask(volume); });
  look([&](const Volume& volume) { ask(volume); }, false);
  EXPECT_FALSE(looks_.is_one({}));
}

TEST_F(EqualLooksTest, what_is_known_besides_has_to_be_the_same) {
  look_twice([&](const Volume& volume) { ask(volume); });
  const std::vector<EqualLooks::Known> others{{.made = {{.order = 1, .name = "step-1"}}},
                                              {.ways = protocol::ReportedVolume{}},
                                              {.write_errors = 1},
                                              {.ended_by_itself = true},
                                              {.prunes = true},
                                              {.may_write = true}};
  for (const auto& other : others) EXPECT_FALSE(looks_.is_one(other)) << &other - others.data();
  EXPECT_TRUE(looks_.is_one({}));
}

TEST_F(EqualLooksTest, a_whole_look_comes_after_some) {
  look_twice([&](const Volume& volume) { ask(volume); });
  for (int i = 0; i < EqualLooks::kMostInARow; ++i) EXPECT_TRUE(looks_.is_one({}));
  EXPECT_FALSE(looks_.is_one({}));
  look([&](const Volume& volume) { ask(volume); });
  EXPECT_TRUE(looks_.is_one({})) << "and where that was told the same, others follow at once";
}

TEST_F(EqualLooksTest, on_a_mount_by_fuse_each_look_is_a_whole_one) {
  calls_->mount = MountKind{.type = "fuse.sshfs", .fuse = true};
  look_twice([&](const Volume& volume) { ask(volume); });
  EXPECT_FALSE(looks_.is_one({}));
}

// ---- a watch

class EqualLooksOfAWatch : public testing_support::LayoutFormatTest {
 protected:
  // Until looks are told the same, and not so long that the next one is a whole one all the same.
  static void rest(CheckpointWatch& watching) {
    for (int i = 0; i < 12; ++i) watching.look();
  }
  [[nodiscard]] CheckpointWatch::Options options_now() const {
    const auto before = restored();
    return {.keep = 1, .prunes = true, .before = before.before, .made = before.made, .self = self_};
  }
  void expect_pruned_by(CheckpointWatch::Options options, const std::function<void()>& event) const {
    CheckpointWatch watching(volume_, std::move(options));
    for (const int step : {1, 2}) {
      save(step);
      rest(watching);
    }
    ASSERT_TRUE(exists("out/checkpoint-1"));
    event();
    watching.look();
    EXPECT_FALSE(exists("out/checkpoint-1"));
  }
};

TEST_F(EqualLooksOfAWatch, what_comes_after_a_rest_is_seen_at_once) {
  auto watching = watch();
  save(1);
  rest(watching);
  save(2);
  watching.look();
  EXPECT_EQ(watching.seen().durable->step, 2);
  rest(watching);
  fs::remove_all(root() / "out/checkpoint-2");
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 1);
}

// In place, with its size and in one file: no directory tells it.
TEST_F(EqualLooksOfAWatch, what_is_written_again_in_place_is_seen_at_once) {
  auto watching = watch();
  save(1);
  save(2);
  rest(watching);
  const auto weights = root() / "out/checkpoint-2/model.safetensors";
  put_text(weights, std::string(fs::file_size(weights), 'x'));
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 1);
}

// Neither its size nor its time says so.
TEST_F(EqualLooksOfAWatch, a_newest_checkpoint_is_opened_again_once_in_some_looks_all_the_same) {
  auto watching = watch();
  save(1);
  save(2);
  rest(watching);
  const auto weights = root() / "out/checkpoint-2/model.safetensors";
  const auto time = fs::last_write_time(weights);
  put_text(weights, std::string(fs::file_size(weights), 'x'));
  fs::last_write_time(weights, time);
  int looks = 0;
  for (; looks < 200 && watching.seen().newest && watching.seen().newest->step == 2; ++looks) watching.look();
  EXPECT_LE(looks, SearchLimits{}.looks_until_judged_again + EqualLooks::kMostInARow);
}

TEST_F(EqualLooksOfAWatch, own_files_that_are_gone_are_written_anew_at_once) {
  auto watching = watch();
  save(1);
  rest(watching);
  fs::remove_all(root() / ".reprise/made");
  watching.look();
  EXPECT_EQ(read_made(*volume_)->size(), 1U);
}

// No answer of the volume tells it.
TEST_F(EqualLooksOfAWatch, what_a_full_read_has_found_counts_at_the_next_look) {
  bool has_passed = false;
  auto options = options_now();
  options.may_outlive = [&](const Checkpoint&) { return has_passed; };
  expect_pruned_by(std::move(options), [&] { has_passed = true; });
}

TEST_F(EqualLooksOfAWatch, what_ranks_with_volumes_of_their_own_have_counts_at_the_next_look) {
  std::optional<std::int64_t> step_of_all;
  auto options = options_now();
  options.step_of_all = [&] { return step_of_all; };
  expect_pruned_by(std::move(options), [&] { step_of_all = 2; });
}

TEST_F(EqualLooksOfAWatch, the_numbers_of_looks_and_the_free_space_go_on) {
  auto watching = watch();
  save(1);
  calls_->free = FreeSpace{.bytes = std::int64_t{1} << 40};
  rest(watching);
  const auto before = watching.seen().look_ended;
  calls_->free = FreeSpace{.bytes = std::int64_t{1} << 39};
  watching.look();
  EXPECT_EQ(watching.seen().look_ended, before + 1);
  ASSERT_TRUE(watching.seen().room);
  EXPECT_EQ(watching.seen().room->free_bytes, std::int64_t{1} << 39);
  calls_->free = FreeSpace{.bytes = 1};
  watching.look();
  EXPECT_EQ(watching.seen().room->free_bytes, 1);
}

}  // namespace
}  // namespace reprise::agent
