// A restore moves only what is torn for sure and this job's own, and only after a look that has seen everything.
#include "agent/core/aside/leave_alone.h"

#include <sys/fsuid.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/core/retain/prune.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::plain_file;
using testing_support::put_text;

class LeaveAloneTest : public testing_support::LayoutFormatTest {
 protected:
  void list(const std::string& name, const std::string& job) {
    ASSERT_TRUE(write_made(*volume_, {.order = ++order_, .name = name, .job_uid = job, .attempt = 1}));
  }
  void cut(const std::string& file) const { fs::resize_file(root() / file, fs::file_size(root() / file) / 2); }
  [[nodiscard]] std::vector<std::string> attempts_notes() const { return restored().notes; }

  int order_ = 0;
};

TEST_F(LeaveAloneTest, a_torn_one_that_this_job_has_made_is_moved_and_one_from_before_the_job_is_named) {
  save(10);
  save(20);
  cut("out/checkpoint-20/optimizer.pt");
  fs::last_write_time(root() / "out/checkpoint-20", fs::file_time_type::clock::now() - std::chrono::hours(5));
  began();
  save(30);
  cut("out/checkpoint-30/optimizer.pt");
  const auto notes = attempts_notes();
  EXPECT_TRUE(exists("out/checkpoint-20"));
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-30.2"));
  EXPECT_THAT(notes,
              Contains(HasSubstr("torn checkpoint out/checkpoint-20 was left in place: no attempt of this job")));
}

TEST_F(LeaveAloneTest, a_torn_one_that_another_job_has_listed_stays_however_young_it_is) {
  save(10);
  began();
  save(20);
  save(30);
  for (const char* torn : {"out/checkpoint-20", "out/checkpoint-30"}) tear(torn);
  list("out/checkpoint-20", "another");
  list("out/checkpoint-30", "job");
  static_cast<void>(restored());
  EXPECT_TRUE(exists("out/checkpoint-20"));
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-30.2"));
}

// A program that borrows a library's names writes other files; a checkpoint from which an optimizer was taken is older
// than the newest.
TEST_F(LeaveAloneTest, what_names_alone_call_for_shows_a_tear_only_in_what_is_newer_than_a_complete_one) {
  began();
  for (const int step : {10, 20, 30}) save(step);
  fs::remove(root() / "out/checkpoint-10/scheduler.pt");
  fs::remove(root() / "out/checkpoint-30/scheduler.pt");
  for (const char* name : {"out/checkpoint-10", "out/checkpoint-20", "out/checkpoint-30"}) list(name, "job");
  const auto notes = attempts_notes();
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_FALSE(exists("out/checkpoint-30"));
  EXPECT_THAT(notes, Contains(HasSubstr("NotRecognised: out/checkpoint-10 was left in place: it does not fit the "
                                        "format HuggingFace")));
}

// Samples, a report or the weights of each epoch, beside saves that bear a mark.
TEST_F(LeaveAloneTest, output_in_directories_with_numbers_is_no_torn_save) {
  use("Auto");
  began();
  for (const int number : {1, 2, 3}) {
    testing_support::put_checkpoint(root(), "step_" + std::to_string(number) + "00", true);
    put_text(root() / ("epoch_" + std::to_string(number)) / "model.pt", testing_support::torch_file());
    put_text(root() / ("iteration_" + std::to_string(number) + "0") / "trace.txt", "t");
  }
  fs::create_directories(root() / "step_400");
  for (const char* name : {"epoch_3", "iteration_30", "step_300", "step_400"}) list(name, "job");
  const auto notes = attempts_notes();
  EXPECT_TRUE(exists("epoch_3/model.pt"));
  EXPECT_TRUE(exists("iteration_30/trace.txt"));
  EXPECT_FALSE(exists("step_400"));
  EXPECT_THAT(notes, Contains(HasSubstr("NotRecognised")));
}

TEST_F(LeaveAloneTest, what_does_not_fit_the_layout_is_not_deleted_where_it_lies_either) {
  began();
  for (const int step : {10, 20}) save(step);
  for (const char* name : {"out/checkpoint-10", "out/checkpoint-20"}) list(name, "job");
  fs::remove(root() / "out/checkpoint-10/scheduler.pt");
  auto watching = watch();
  save(30);
  watching.look();
  EXPECT_TRUE(exists("out/checkpoint-10"));
}

TEST_F(LeaveAloneTest, what_this_user_may_not_read_is_not_moved) {
  began();
  for (const int step : {10, 20}) save(step);
  fs::permissions(root(), fs::perms::all);
  for (const auto& entry : fs::recursive_directory_iterator(root())) fs::permissions(entry, fs::perms::all);
  fs::permissions(root() / "out/checkpoint-20/optimizer.pt", fs::perms::none);
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;  // root reads everything
  if (is_root) ::setfsuid(kNobody);
  static_cast<void>(restored());
  if (is_root) ::setfsuid(0);
  EXPECT_TRUE(exists("out/checkpoint-20"));
}

TEST_F(LeaveAloneTest, a_half_of_a_save_that_has_gone_since_the_scan_stays_out_of_it) {
  VolumeScan scan{.found = {{.name = "rank0/step_30", .step = 30}},
                  .halves = {{.step = 30, .halves = {"rank0/step_30"}, .lacks = {"rank1/step_20"}}}};
  ResumeChoice choice{.put_aside = {"rank0/step_30"}};
  HistoryOnce history(*volume_, self_);
  const auto left = leave_alone(*volume_, self_, history, scan, choice);
  ASSERT_TRUE(left);
  EXPECT_THAT(left->torn, IsEmpty());
  EXPECT_THAT(choice.put_aside, IsEmpty());
}

TEST(tear_in, a_file_that_may_not_be_read_shows_none) {
  const Checkpoint newer{.name = "checkpoint-20", .step = 20, .format = "HuggingFace"};
  Checkpoint whole{.name = "checkpoint-10", .step = 10, .complete = true, .format = "HuggingFace"};
  const auto seen = [&](Flaw flaw) { return CloseLook{.checkpoint = newer, .flaw = std::move(flaw)}; };
  EXPECT_EQ(tear_in(seen({.reason = "cut"}), {whole}, whole), Tear::Shown);
  EXPECT_EQ(tear_in(seen({.reason = "closed", .unread = true}), {whole}, whole), Tear::NotRecognised);
  EXPECT_EQ(tear_in(seen({.reason = "names", .by_name = true}), {whole}, whole), Tear::Shown);
  EXPECT_EQ(tear_in(seen({.reason = "names", .by_name = true}), {}, std::nullopt), Tear::NotRecognised);
  CloseLook unfinished = seen({.reason = "names", .by_name = true});
  unfinished.checkpoint.name = "100.orbax-checkpoint-tmp";
  EXPECT_EQ(tear_in(unfinished, {}, std::nullopt), Tear::Shown);
  unfinished.flaw.reset();
  EXPECT_EQ(tear_in(unfinished, {whole}, whole), Tear::Shown) << "it never came to be renamed";
  whole.format = "Marker";
  EXPECT_EQ(tear_in(seen({.reason = "names", .by_name = true}), {whole}, whole), Tear::NotRecognised);
  EXPECT_EQ(tear_in({.checkpoint = whole, .flaw = {}}, {whole}, whole), Tear::None);
}

TEST_F(LeaveAloneTest, nothing_is_moved_after_a_look_that_was_cut_short) {
  began();
  for (const int step : {10, 20}) save(step);
  cut("out/checkpoint-20/optimizer.pt");
  list("out/checkpoint-20", "job");
  for (int number = 0; number < 300; ++number) fs::create_directories(root() / "data" / ("n" + std::to_string(number)));
  const auto notes = attempts_notes();
  EXPECT_TRUE(exists("out/checkpoint-20"));
  EXPECT_THAT(notes, Contains(HasSubstr("torn checkpoint out/checkpoint-20 was left in place: the look at the volume "
                                        "was cut short")));
}

TEST_F(LeaveAloneTest, what_was_put_aside_stays_while_a_look_is_cut_short) {
  auto first = watch();
  save(10);
  first.look();
  save(20);
  cut("out/checkpoint-20/optimizer.pt");
  first.look();
  self_.attempt = 3;
  auto second = watch();
  ASSERT_TRUE(exists(".reprise/torn/out+checkpoint-20.3"));
  for (int number = 0; number < 300; ++number) fs::create_directories(root() / "data" / ("n" + std::to_string(number)));
  save(30);
  second.look();
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-20.3"));
  fs::remove_all(root() / "data");
  save(40);
  second.look();
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-20.3"));
}

TEST_F(LeaveAloneTest, the_volume_of_another_job_below_this_one_is_not_entered) {
  began();
  save(10);
  save(20, "other");
  save(30, "other");
  cut("other/checkpoint-30/optimizer.pt");
  fs::create_directories(root() / "other/.reprise");
  fs::create_directory_symlink("checkpoint-30", root() / "other/latest");
  const auto notes = attempts_notes();
  EXPECT_EQ(restored().point.path, "out/checkpoint-10");
  EXPECT_TRUE(exists("other/checkpoint-30"));
  EXPECT_EQ(fs::read_symlink(root() / "other/latest"), "checkpoint-30");
  EXPECT_THAT(notes,
              Contains(HasSubstr("not entered: other (holds a .reprise of its own: the volume of another job)")));
}

TEST_F(LeaveAloneTest, what_another_job_has_left_behind_is_not_made_by_this_one) {
  save(10, "other");
  fs::create_directories(root() / "other/.reprise");
  auto watching = watch();
  save(20);
  watching.look();
  fs::remove_all(root() / "other/.reprise");
  watching.look();
  EXPECT_EQ(read_made(*volume_)->size(), 1U);
}

TEST_F(LeaveAloneTest, a_checkpoint_in_which_another_job_has_its_volume_is_neither_moved_nor_deleted) {
  began();
  for (const int step : {10, 20}) save(step);
  list("out/checkpoint-20", "job");
  cut("out/checkpoint-20/optimizer.pt");
  fs::create_directories(root() / "out/checkpoint-20/deep/other/.reprise");
  static_cast<void>(restored());
  EXPECT_TRUE(exists("out/checkpoint-20/deep/other/.reprise"));
  fs::create_directories(root() / "out/checkpoint-10/deep/other/.reprise");
  EXPECT_FALSE(prune(*volume_, "out/checkpoint-10"));
  EXPECT_TRUE(exists("out/checkpoint-10/trainer_state.json"));
}

TEST_F(LeaveAloneTest, a_link_of_another_job_into_this_volume_is_not_put_right) {
  began();
  for (const int step : {10, 20}) save(step);
  cut("out/checkpoint-20/optimizer.pt");
  fs::create_directories(root() / "other/.reprise");
  fs::create_directory_symlink("../out/checkpoint-20", root() / "other/latest");
  static_cast<void>(restored());
  EXPECT_FALSE(exists("out/checkpoint-20"));
  EXPECT_EQ(fs::read_symlink(root() / "other/latest"), "../out/checkpoint-20");
}

TEST_F(LeaveAloneTest, where_none_is_complete_and_none_ever_was_a_person_says_that_training_begins_anew) {
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  auto first = restored();
  EXPECT_EQ(first.point.reason, "NotRecognised");
  EXPECT_THAT(first.point.rejection, HasSubstr("out/checkpoint-10"));
  EXPECT_THAT(first.point.rejection, HasSubstr("FromScratch"));
  EXPECT_THAT(first.notes, Not(Contains(HasSubstr("training starts anew"))));
  ++self_.attempt;
  EXPECT_THAT(restored().point.rejection, Not(IsEmpty())) << "nobody has said so";
  ++self_.attempt;
  env_.resume = ResumePolicy::FromScratch;
  EXPECT_THAT(restored().point.rejection, IsEmpty());
  ++self_.attempt;
  env_.resume = ResumePolicy::Latest;
  EXPECT_THAT(restored().point.rejection, IsEmpty()) << "that start was accepted";
}

TEST_F(LeaveAloneTest, what_this_job_s_first_attempt_has_left_torn_lets_the_next_begin_anew) {
  began();
  save(10);
  cut("out/checkpoint-10/optimizer.pt");
  EXPECT_THAT(restored().point.rejection, IsEmpty());
}

TEST_F(LeaveAloneTest, a_format_that_names_another_library_than_has_saved_begins_nothing_anew_in_silence) {
  save(10);
  save(20);
  use("Marker");
  EXPECT_THAT(restored().point.rejection, IsEmpty()) << "a script's own way";
  fs::remove_all(root() / ".reprise");
  use("Megatron");
  const auto point = restored().point;
  EXPECT_EQ(point.reason, "NotRecognised");
  EXPECT_THAT(point.rejection, HasSubstr("out/checkpoint-20 and 1 more, and none of them is complete by "
                                         "spec.checkpoint.format Megatron (out/checkpoint-20: it is complete by "
                                         "HuggingFace)"));
}

TEST_F(LeaveAloneTest, a_model_to_start_from_and_what_only_a_name_says_keep_nobody_waiting) {
  put_text(root() / "resnet50.pth", "no zip");
  put_text(root() / "checkpoint-500/unet/model.npz", "by diffusers");
  put_text(root() / "llama-7b/model.safetensors", "cut");
  fs::create_directories(root() / "epoch_5");
  put_text(root() / "last.ckpt", plain_file().substr(0, 40));
  EXPECT_THAT(restored().point.rejection, IsEmpty());
}

// Trainer writes its state last: who has it and no optimizer has taken that out.
TEST_F(LeaveAloneTest, weights_without_an_optimizer_keep_nobody_waiting_where_they_lie_alone) {
  const auto strip = [&](const std::string& name) {
    for (const char* file : {"optimizer.pt", "scheduler.pt", "rng_state.pth"}) fs::remove(root() / name / file);
  };
  for (const char* format : {"Auto", "HuggingFace"}) {
    use(format);
    save(500, "base");
    strip("base/checkpoint-500");
    const auto found = restored();
    EXPECT_THAT(found.point.rejection, IsEmpty()) << format;
    EXPECT_THAT(found.notes, Contains(HasSubstr("base/checkpoint-500 is taken for a model to start from")));
    EXPECT_TRUE(exists("base/checkpoint-500/model.safetensors"));
    fs::remove_all(root() / ".reprise");
    cut("base/checkpoint-500/model.safetensors");
    EXPECT_EQ(restored().point.reason, "NotRecognised") << "it is damaged, by " << format;
    fs::remove_all(root() / ".reprise");
    fs::remove_all(root() / "base");
  }
}

TEST_F(LeaveAloneTest, what_may_be_a_series_of_saves_is_no_model_to_start_from) {
  for (const int step : {100, 200}) save(step);
  for (const char* name : {"out/checkpoint-100", "out/checkpoint-200"})
    for (const char* file : {"optimizer.pt", "scheduler.pt", "rng_state.pth"}) fs::remove(root() / name / file);
  const auto point = restored().point;
  EXPECT_EQ(point.reason, "NotRecognised");
  EXPECT_THAT(point.rejection, HasSubstr("set spec.resume to FromScratch"));
  fs::remove_all(root());
  fs::create_directories(root());
  save(300);
  fs::remove(root() / "out/checkpoint-300/optimizer.pt");
  EXPECT_EQ(restored().point.reason, "NotRecognised") << "a scheduler's state is a training's";
}

TEST_F(LeaveAloneTest, what_was_made_is_known_though_the_look_does_not_reach_it) {
  began();
  const std::string deep = "a/b/c/d/e/f/g/h/i";
  save(20, deep);
  list(deep + "/checkpoint-20", "job");
  EXPECT_EQ(restored().point.path, deep + "/checkpoint-20");
}

TEST_F(LeaveAloneTest, what_the_operator_expects_is_looked_for_where_it_was) {
  const std::string deep = "a/b/c/d/e/f/g/h/i";
  save(20, deep);
  env_.expected_step = 20;
  env_.expected_checkpoint = deep + "/checkpoint-20";
  const auto found = restored();
  EXPECT_THAT(found.point.rejection, IsEmpty());
  EXPECT_EQ(found.point.path, deep + "/checkpoint-20");
}

// A format to which one look shows what the next one does not.
class Fickle final : public CheckpointFormat {
 public:
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles&, const Path&) const override {
    ++looks;
    return Checkpoints{{.name = "step-" + std::to_string(looks), .step = looks, .complete = true}};
  }
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles&,
                                                                            const Path&) const override {
    return std::nullopt;
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles&, const Path&) const override { return {}; }
  mutable int looks = 0;
};

TEST_F(LeaveAloneTest, a_restore_gives_up_on_a_volume_on_which_each_look_finds_another_one) {
  auto format = std::make_unique<Fickle>();
  const Fickle& fickle = *format;
  volume_ = posix_volume(root(), std::move(format), std::make_shared<testing_support::FakeCalls>());
  const auto restored = restore(*volume_, env_, self_);
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("the volume changes under each look"));
  EXPECT_LT(fickle.looks, 30);
}

}  // namespace
}  // namespace reprise::agent
