// A volume on which nothing is complete: which torn saves of this job go out of the way of a script that follows what
// names the newest, and what stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::lightning_file;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::text_in;
using testing_support::torch_file;

class OnlyTornTest : public testing_support::LayoutFormatTest {
 protected:
  void list(const std::string& name, const std::string& job = "job") {
    ASSERT_TRUE(write_made(*volume_, {.order = ++order_, .name = name, .job_uid = job, .attempt = 1}));
  }
  void cut(const std::string& file) const { fs::resize_file(root() / file, fs::file_size(root() / file) / 2); }
  [[nodiscard]] std::string leads(const std::string& name) const {
    return fs::is_symlink(root() / name) ? fs::read_symlink(root() / name).string() : "";
  }
  int order_ = 0;
};

TEST_F(OnlyTornTest, its_own_only_save_goes_with_all_that_names_it) {
  began();
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  list("out/checkpoint-10");
  fs::create_directory_symlink("out/checkpoint-10", root() / "latest");
  put_text(root() / "out/latest.txt", "checkpoint-10");
  const auto found = restored();
  EXPECT_THAT(found.point.rejection, IsEmpty());
  EXPECT_FALSE(found.point.step);
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-10.2"));
  EXPECT_EQ(leads("latest"), "");
  EXPECT_FALSE(exists("out/latest.txt"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("torn checkpoint out/checkpoint-10 was moved to .reprise/torn")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("link latest led to out/checkpoint-10, which was put aside")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("training starts anew")));
}

TEST_F(OnlyTornTest, trackers_of_each_library_go_with_the_save_that_they_name) {
  struct Case {
    std::string format, tracker, text, file;
  };
  for (const Case& each : {Case{"Plain", "latest_checkpointed_iteration.txt", "20", "global_step_20/actor.pt"},
                           Case{"Plain", "last_checkpoint", "checkpoint_20.pt", "checkpoint_20.pt"},
                           Case{"Auto", "latest", "checkpoint_20.pt", "checkpoint_20.pt"}}) {
    use(each.format);
    began();
    put_text(root() / each.file, torch_file());
    cut(each.file);
    put_text(root() / each.tracker, each.text);
    const auto notes = restored().notes;
    EXPECT_FALSE(exists(each.tracker)) << each.tracker;
    EXPECT_FALSE(exists(each.file)) << each.tracker;
    EXPECT_THAT(notes, Contains(HasSubstr(each.tracker + " named "))) << each.tracker;
    fs::remove_all(root() / ".reprise");
  }
}

TEST_F(OnlyTornTest, a_torn_last_ckpt_goes_alone_beside_a_torn_numbered_one_and_as_a_link) {
  began();
  put_text(root() / "last.ckpt", lightning_file(20).substr(0, 60));
  static_cast<void>(restored());
  EXPECT_FALSE(exists("last.ckpt")) << "alone";
  for (const char* name : {"last.ckpt", "epoch=1-step=20.ckpt"})
    put_text(root() / name, lightning_file(20).substr(0, 60));
  ++self_.attempt;
  static_cast<void>(restored());
  EXPECT_FALSE(exists("last.ckpt") || exists("epoch=1-step=20.ckpt")) << "beside";
  put_text(root() / "epoch=1-step=20.ckpt", lightning_file(20).substr(0, 60));
  fs::create_symlink("epoch=1-step=20.ckpt", root() / "last.ckpt");
  ++self_.attempt;
  static_cast<void>(restored());
  EXPECT_EQ(leads("last.ckpt"), "") << "a link";
}

TEST_F(OnlyTornTest, a_part_that_the_save_itself_lists_and_lacks_shows_a_tear) {
  began();
  put_text(root() / "checkpoint-20/__0_0.distcp", "bytes");
  put_text(root() / "latest", "checkpoint-20");
  use("PyTorchDCP");
  static_cast<void>(restored());
  EXPECT_FALSE(exists("checkpoint-20") || exists("latest"));
}

TEST_F(OnlyTornTest, trainer_s_save_that_ended_before_its_state_shows_a_tear) {
  began();
  save(10);
  tear("out/checkpoint-10");
  static_cast<void>(restored());
  EXPECT_FALSE(exists("out/checkpoint-10"));
}

TEST_F(OnlyTornTest, what_is_not_this_job_s_own_stays_and_so_does_what_names_it) {
  began();
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  list("out/checkpoint-10", "another");
  fs::create_directory_symlink("out/checkpoint-10", root() / "latest");
  const auto notes = restored().notes;
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_THAT(notes, Contains(HasSubstr("out/checkpoint-10 was left in place: no attempt of this job has made it")));
}

// A trainer that resumes by itself in a layout of its own would never get beyond its first interruption.
TEST_F(OnlyTornTest, what_shows_no_tear_by_its_own_bytes_or_lists_stays_and_so_does_what_names_it) {
  const auto stay = [&](const std::string& format, const std::vector<std::string>& names) {
    use(format);
    put_text(root() / "latest", names.front());
    static_cast<void>(restored());
    for (const std::string& name : names) EXPECT_TRUE(exists(name)) << name << " by " << format;
    EXPECT_EQ(text_in(root() / "latest"), names.front()) << format;
    ++self_.attempt;
  };
  began();
  put_text(root() / "step_10/weights.raw", "raw");
  put_text(root() / "checkpoint-20/adapter_model.safetensors", safetensors_file());
  put_text(root() / "checkpoint_30.pt", "of an own kind, whole");
  put_text(root() / "checkpoint_40/state.pt", "of an own kind, whole");
  for (const char* format : {"Auto", "Marker", "Manifest", "Plain", "HuggingFace", "PyTorchDCP", "DeepSpeed",
                             "Megatron", "Orbax", "Lightning"})
    stay(format, {"step_10", "checkpoint-20", "checkpoint_30.pt", "checkpoint_40"});
  save(5);
  put_text(root() / "out/checkpoint-5/trainer_state.json", R"({"global_step": 500})");
  for (const char* format : {"Auto", "Marker", "Manifest", "HuggingFace"}) stay(format, {"out/checkpoint-5"});
}

TEST_F(OnlyTornTest, a_save_goes_whole_or_not_at_all) {
  began();
  put_text(root() / "rank0_step_10.pt", torch_file());
  put_text(root() / "rank1_step_10.pt", torch_file().substr(0, 40));
  use("Plain");
  ASSERT_FALSE(restored().point.step);
  EXPECT_FALSE(exists("rank0_step_10.pt") || exists("rank1_step_10.pt"));
  ++self_.attempt;
  put_text(root() / "rank0_step_20.pt", torch_file());
  put_text(root() / "rank1_step_20.pt", torch_file().substr(0, 40));
  list("rank1_step_20.pt", "another");
  static_cast<void>(restored());
  EXPECT_TRUE(exists("rank0_step_20.pt") && exists("rank1_step_20.pt"));
}

// Else the next attempt would take it for a save of its own.
TEST_F(OnlyTornTest, where_a_whole_part_cannot_be_moved_the_torn_one_beside_it_stays) {
  began();
  put_text(root() / "rank1_step_10.pt", torch_file());
  put_text(root() / "rank0_step_10.pt", torch_file().substr(0, 40));
  use("Plain");
  calls_->stuck = "rank1_step_10.pt";
  const auto notes = restored().notes;
  EXPECT_TRUE(exists("rank0_step_10.pt"));
  calls_->stuck.clear();
  ++self_.attempt;
  EXPECT_FALSE(restored().point.step);
  EXPECT_FALSE(exists("rank0_step_10.pt") || exists("rank1_step_10.pt"));
}

TEST_F(OnlyTornTest, where_parts_alone_bear_marks_the_record_says_what_is_missing) {
  began();
  for (const char* part : {"step_10/rank0", "step_10/rank1"}) testing_support::put_checkpoint(root(), part, true);
  for (const char* format : {"Auto", "Marker"}) {
    use(format);
    const auto found = restored();
    EXPECT_FALSE(found.point.step);
    EXPECT_THAT(found.notes,
                Contains(HasSubstr("rank0/_COMPLETE is of a part: who has seen all parts end has to set one "
                                   "in the directory of the step itself")))
        << format;
    EXPECT_TRUE(exists("step_10/rank1/_COMPLETE"));
    ++self_.attempt;
  }
}

TEST_F(OnlyTornTest, a_look_that_was_cut_short_moves_nothing_there_either) {
  began();
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  for (int number = 0; number < 300; ++number) fs::create_directories(root() / "data" / ("n" + std::to_string(number)));
  static_cast<void>(restored());
  EXPECT_TRUE(exists("out/checkpoint-10"));
}

TEST_F(OnlyTornTest, what_the_operator_expects_is_moved_nowhere) {
  began();
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  list("out/checkpoint-10");
  put_text(root() / "out/latest", "checkpoint-10");
  env_.expected_step = 10;
  const auto point = restored().point;
  EXPECT_THAT(point.rejection, Not(IsEmpty()));
  EXPECT_TRUE(exists("out/checkpoint-10") && exists("out/latest"));
}

}  // namespace
}  // namespace reprise::agent
