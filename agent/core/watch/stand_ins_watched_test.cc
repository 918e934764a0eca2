// Stand-ins for the newest checkpoint while a trainer runs: progress like any other, and nothing goes for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "agent/core/record/report.h"
#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing_support::lightning_file;
using testing_support::put_text;
using testing_support::torch_file;
using testing_support::zip_of;

class StandInsWatched : public testing_support::LayoutFormatTest {
 protected:
  StandInsWatched() { began(); }
  void put(const std::string& name, const std::string& bytes, std::chrono::milliseconds ago = 0ms) const {
    put_text(root() / name, bytes);
    fs::last_write_time(root() / name, fs::file_time_type::clock::now() + 60s - ago);
  }
  static std::string key(const std::string& text) { return "X" + testing_support::little(text.size(), 4) + text; }
  static std::string number(int value) { return "M" + testing_support::little(static_cast<std::uint64_t>(value), 2); }
  // torch.save of {"epoch": epoch, "optimizer": {}}, as timm writes it.
  static std::string timm_file(int epoch, const std::string& more = "") {
    return zip_of(
        {{"archive/data.pkl", "\x80\x02}(" + key("epoch") + number(epoch) + key("optimizer") + "}" + more + "u."},
         {"archive/version", "3\n"}});
  }
  // {"optimizer_history": [{"num_updates": updates}], "last_optimizer_state": {}}, as fairseq does.
  static std::string fairseq_file(int updates) {
    return zip_of({{"archive/data.pkl", "\x80\x02}(" + key("optimizer_history") + "](}" + key("num_updates") +
                                            number(updates) + "se" + key("last_optimizer_state") + "}u."},
                   {"archive/version", "3\n"}});
  }
  [[nodiscard]] static Record told(const CheckpointWatch& watch) {
    Record record;
    describe_checkpoint(watch.seen(), record);
    return record;
  }
  // By the next attempt.
  [[nodiscard]] Restored next() {
    ++self_.attempt;
    return restored();
  }
};

TEST_F(StandInsWatched, one_that_is_further_is_told_as_the_durable_one_and_expected_from_then_on) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  auto watching = watch();
  put("run/last.ckpt", lightning_file(50), 20s);
  watching.look();
  EXPECT_EQ(told(watching).path, "run/last.ckpt");
  EXPECT_EQ(told(watching).step, 50);
  EXPECT_TRUE(told(watching).durable);
  EXPECT_EQ((*watching.newest_now())->name, "run/last.ckpt");
  const auto before = watching.newest_now();
  put("run/last.ckpt", lightning_file(60), 10s);
  watching.look();
  EXPECT_EQ(told(watching).step, 60);
  EXPECT_TRUE(is_newer(*watching.seen().durable, *before)) << "a save after a request";
  env_.expected_step = 60;
  env_.expected_checkpoint = "run/last.ckpt";
  EXPECT_EQ(next().point.path, "run/last.ckpt");
}

TEST_F(StandInsWatched, one_that_was_resumed_from_is_told_until_it_is_written_anew_and_is_no_save_of_the_attempt) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  put("run/last.ckpt", lightning_file(50), 20s);
  auto watching = watch();
  watching.look();
  EXPECT_EQ(told(watching).path, "run/last.ckpt");
  EXPECT_TRUE(watching.seen().was_before);
  EXPECT_TRUE(read_made(*volume_)->empty());
}

TEST_F(StandInsWatched, a_copy_of_the_numbered_one_and_one_from_before_the_job_are_not_told) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 40h);
  put("run/last.ckpt", lightning_file(900), 30h);
  auto watching = watch();
  watching.look();
  EXPECT_EQ(told(watching).path, "run/epoch=0-step=40.ckpt");
  put("run/epoch=0-step=50.ckpt", torch_file(), 20s);
  put("run/last.ckpt", lightning_file(50), 10s);
  watching.look();
  EXPECT_EQ(told(watching).path, "run/epoch=0-step=50.ckpt");
}

TEST_F(StandInsWatched, nothing_is_pruned_for_it_and_what_numbered_ones_are_pruned_for_goes_on) {
  auto watching = watch(1);
  for (const int step : {10, 20}) {
    put("run/epoch=0-step=" + std::to_string(step) + ".ckpt", torch_file(), std::chrono::seconds(60 - step));
    put("run/last.ckpt", lightning_file(step + 5), std::chrono::seconds(58 - step));
    watching.look();
    watching.look();
    EXPECT_EQ(told(watching).step, step + 5);
    EXPECT_TRUE(exists("run/epoch=0-step=" + std::to_string(step) + ".ckpt"));
  }
  EXPECT_FALSE(exists("run/epoch=0-step=10.ckpt"));
  EXPECT_TRUE(exists("run/last.ckpt"));
}

// With spec.checkpoint.verify: Full: older ones go for one that was read and is proven, and none is both here.
TEST_F(StandInsWatched, nothing_is_pruned_for_a_numbered_one_that_was_read_and_that_it_does_not_prove) {
  const auto before = restored();
  CheckpointWatch watching(volume_, {.keep = 1,
                                     .prunes = true,
                                     .before = before.before,
                                     .made = before.made,
                                     .self = self_,
                                     .may_outlive = [](const Checkpoint& each) { return each.step == 30; }});
  for (const int step : {10, 20, 30}) {
    put("run/epoch=0-step=" + std::to_string(step) + ".ckpt", torch_file(), std::chrono::seconds(60 - step));
    if (step == 30) calls_->fsync_told = [](const auto& file) { return file.string().ends_with("=30.ckpt") ? EIO : 0; };
    watching.look();
  }
  calls_->fsync_told = nullptr;
  const auto born_after_error = [&] {
    const auto born = volume_->files.oldest_birth(root() / "run/last.ckpt");
    return !born || *born > volume_->files.write_errors().last;
  };
  do {
    fs::remove(root() / "run/last.ckpt");
    put("run/last.ckpt", lightning_file(35), 20s);
  } while (!born_after_error());
  if (!volume_->files.oldest_birth(root() / "run/last.ckpt")) GTEST_SKIP() << "this file system keeps no births";
  watching.look();
  EXPECT_EQ(told(watching).path, "run/last.ckpt");
  EXPECT_TRUE(told(watching).durable);
  EXPECT_TRUE(exists("run/epoch=0-step=10.ckpt")) << "nobody has read what is newer and proven";
}

// With spec.checkpoint.verify: Full: older ones go for one that was read and is proven, and none is both here.
TEST_F(StandInsWatched, nothing_is_pruned_for_one_that_was_read_and_is_not_proven) {
  const auto before = restored();
  CheckpointWatch watching(volume_, {.keep = 1,
                                     .prunes = true,
                                     .before = before.before,
                                     .made = before.made,
                                     .self = self_,
                                     .may_outlive = [](const Checkpoint& each) { return each.step == 30; }});
  for (const int step : {10, 20, 30}) {
    put("run/epoch=0-step=" + std::to_string(step) + ".ckpt", torch_file(), std::chrono::seconds(60 - step));
    if (step == 30) calls_->fsync_told = [](const auto& file) { return file.string().ends_with("=30.ckpt") ? EIO : 0; };
    watching.look();
  }
  calls_->fsync_told = nullptr;
  const auto born_after_error = [&] {
    const auto born = volume_->files.oldest_birth(root() / "run/epoch=0-step=40.ckpt");
    return !born || *born > volume_->files.write_errors().last;
  };
  do {
    fs::remove(root() / "run/epoch=0-step=40.ckpt");
    put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  } while (!born_after_error());
  if (!volume_->files.oldest_birth(root() / "run/epoch=0-step=40.ckpt"))
    GTEST_SKIP() << "this file system keeps no births";
  watching.look();
  EXPECT_EQ(told(watching).path, "run/epoch=0-step=40.ckpt");
  EXPECT_TRUE(told(watching).durable);
  EXPECT_TRUE(exists("run/epoch=0-step=10.ckpt")) << "nobody has read what is newer and proven";
}

TEST_F(StandInsWatched, one_that_is_being_written_anew_is_not_what_the_next_attempt_should_expect) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  auto watching = watch();
  put("run/last.ckpt", lightning_file(50), 20s);
  watching.look();
  put("run/last.ckpt", lightning_file(60).substr(0, 60), 10s);
  watching.look();
  EXPECT_EQ(told(watching).path, "run/epoch=0-step=40.ckpt");
}

TEST_F(StandInsWatched, an_attempt_that_is_killed_while_it_writes_it_anew_costs_no_person_s_word) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  auto watching = watch();
  put("run/last.ckpt", lightning_file(50), 20s);
  watching.look();
  put("run/last.ckpt", lightning_file(60).substr(0, 60), 10s);
  env_.expected_step = 50;
  env_.expected_checkpoint = "run/last.ckpt";
  const auto found = next();
  EXPECT_EQ(found.point.path, "run/epoch=0-step=40.ckpt") << found.point.rejection;
  EXPECT_THAT(found.notes, Contains(HasSubstr("run/last.ckpt was known to hold step 50, and is cut off")));
  EXPECT_FALSE(exists("run/last.ckpt"));
  EXPECT_EQ(next().point.path, "run/epoch=0-step=40.ckpt") << "it lies with the torn ones by now";
  put("run/last.ckpt", lightning_file(45), 5s);
  EXPECT_EQ(next().point.path, "run/last.ckpt") << "and nobody has told the operator of this one";
}

TEST_F(StandInsWatched, one_that_is_gone_is_lost_where_nothing_shows_that_the_trainer_wrote_over_it) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  env_.expected_step = 50;
  env_.expected_checkpoint = "run/last.ckpt";
  EXPECT_NE(restored().point.rejection, "");
}

TEST_F(StandInsWatched, a_numbered_one_that_came_after_it_is_as_far) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  auto watching = watch();
  put("run/last.ckpt", lightning_file(50), 20s);
  watching.look();
  put("run/epoch=0-step=60.ckpt", torch_file(), 10s);
  put("run/last.ckpt", lightning_file(60), 9s);
  watching.look();
  env_.expected_step = 50;
  env_.expected_checkpoint = "run/last.ckpt";
  EXPECT_EQ(next().point.path, "run/epoch=0-step=60.ckpt");
}

TEST_F(StandInsWatched, of_ranks_with_a_volume_each_the_numbered_one_is_told_which_all_agree_on) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  CheckpointWatch watching(volume_, {.holds = Holds::OneRank, .prunes = true, .self = self_});
  put("run/last.ckpt", lightning_file(50));
  watching.look();
  EXPECT_EQ(told(watching).path, "run/epoch=0-step=40.ckpt");
}

TEST_F(StandInsWatched, a_rank_that_does_not_keep_the_volume_tells_the_same) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30s);
  CheckpointWatch watching(volume_, {.resumed_from = 40, .gang = true, .self = self_});
  watching.look();
  put("run/last.ckpt", lightning_file(50));
  watching.look();
  EXPECT_EQ(told(watching).path, "run/last.ckpt");
}

TEST_F(StandInsWatched, timm_s_is_told_and_resumed_from_by_what_its_numbered_ones_hold) {
  auto watching = watch();
  put("a/checkpoint-3.pth.tar", timm_file(3), 30s);
  put("a/last.pth.tar", timm_file(5), 20s);
  watching.look();
  EXPECT_EQ(told(watching).path, "a/last.pth.tar");
  EXPECT_EQ(told(watching).step, 5);
  EXPECT_EQ(next().point.path, "a/last.pth.tar");
}

TEST_F(StandInsWatched, so_is_fairseq_s) {
  put("b/checkpoint_1_100.pt", fairseq_file(100), 10s);
  put("b/checkpoint_last.pt", fairseq_file(130), 5s);
  const auto found = next();
  EXPECT_EQ(found.point.path, "b/checkpoint_last.pt");
  EXPECT_EQ(found.point.step, 130);
}

TEST_F(StandInsWatched, one_that_does_not_count_is_not_read_at_each_look) {
  put("checkpoint-3.pth.tar", timm_file(3), 30s);
  put("last.pth.tar", timm_file(5, key("ema") + number(1)), 20s);
  const auto calls_of_a_look = [&] {
    int calls = 0;
    calls_->on_call = [&] { ++calls; };
    static_cast<void>(scanned());
    calls_->on_call = nullptr;
    return calls;
  };
  for (int look = 0; look < 4; ++look) static_cast<void>(scanned());
  const int with_it = calls_of_a_look();
  fs::remove(root() / "last.pth.tar");
  for (int look = 0; look < 4; ++look) static_cast<void>(scanned());
  EXPECT_LE(with_it, calls_of_a_look() + 6) << "its time and what lies beside it";
}

TEST_F(StandInsWatched, one_of_another_kind_or_alone_or_without_a_step_is_left_alone) {
  put("checkpoint-3.pth.tar", timm_file(3), 30s);
  put("last.pth.tar", timm_file(5, key("ema") + number(1)), 20s);
  put("checkpoint-4.pt", zip_of({{"archive/data.pkl", "\x80\x02}X" + testing_support::little(9, 4) + "optimizer}s."}}),
      29s);
  put("last.pt", zip_of({{"archive/data.pkl", "\x80\x02}X" + testing_support::little(9, 4) + "optimizer}s."}}), 20s);
  put("alone/last.pth.tar", timm_file(9));
  const auto found = restored();
  EXPECT_EQ(found.point.path, "checkpoint-4.pt");
  EXPECT_TRUE(exists("last.pth.tar"));
  EXPECT_TRUE(exists("alone/last.pth.tar"));
}

}  // namespace
}  // namespace reprise::agent
