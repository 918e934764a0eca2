// Checkpoints that are complete by their marks, and hold nothing where older ones hold something.
#include "agent/formats/verify/emptied_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::put_text;

class EmptiedTest : public testing_support::LayoutFormatTest {
 protected:
  EmptiedTest() { use("Marker"); }
  // Its mark is that old.
  void marked(const std::string& name, minutes age, const std::string& weights = "weights") const {
    put_text(root() / name / "weights", weights);
    mark(name, age);
  }
  void mark(const std::string& name, minutes age) const {
    put_text(root() / name / "_COMPLETE", "");
    fs::last_write_time(root() / name / "_COMPLETE", fs::file_time_type::clock::now() - age);
  }
  [[nodiscard]] std::string flaw_of(const std::string& name) const {
    const auto seen = volume_->format->look_closely(volume_->files, root(), name);
    return seen && *seen && (*seen)->flaw ? (*seen)->flaw->reason : "";
  }
};

TEST_F(EmptiedTest, a_file_without_a_byte_that_has_some_in_the_one_before_is_corrupt) {
  marked("step-2", minutes(2));
  marked("step-4", minutes(1), "");
  EXPECT_THAT(scanned(), ElementsAre("!step-4 Marker", "step-2 Marker"));
  EXPECT_EQ(flaw_of("step-4"), "weights: is empty, and is not in step-2");
  EXPECT_EQ(restored().point.path, "step-2");
}

TEST_F(EmptiedTest, so_is_each_of_several_that_one_loss_has_emptied) {
  marked("step-2", minutes(3));
  marked("step-4", minutes(2), "");
  marked("step-6", minutes(1), "");
  EXPECT_THAT(scanned(), ElementsAre("!step-6 Marker", "!step-4 Marker", "step-2 Marker"));
  EXPECT_THAT(scanned(), ElementsAre("!step-6 Marker", "!step-4 Marker", "step-2 Marker")) << "at the next look too";
}

TEST_F(EmptiedTest, a_number_of_the_step_in_the_file_s_own_name_hides_nothing) {
  for (const int step : {2, 12}) {
    const std::string name = "step-" + std::to_string(step);
    put_text(root() / name / ("rank0/weights-00" + std::to_string(step) + ".bin0"), step == 2 ? "weights" : "");
    put_text(root() / name / "notes", "n");
    mark(name, minutes(20 - step));
  }
  EXPECT_THAT(scanned(), ElementsAre("!step-12 Marker", "step-2 Marker"));
}

TEST_F(EmptiedTest, what_was_empty_before_as_well_is_meant_so) {
  for (const int step : {2, 4, 6}) {
    const std::string name = "step-" + std::to_string(step);
    put_text(root() / name / "__init__.py", "");
    marked(name, minutes(20 - step));
  }
  EXPECT_THAT(scanned(), ElementsAre("step-6 Marker", "step-4 Marker", "step-2 Marker"));
  put_text(root() / "step-8/queue", "");
  marked("step-8", minutes(1));
  EXPECT_EQ(scanned().front(), "step-8 Marker") << "no older one has it";
}

TEST_F(EmptiedTest, a_log_or_a_lock_may_be_empty) {
  for (const char* file : {"train.log", "step.lock", "rank0.err"}) {
    put_text(root() / "step-2" / file, "x");
    put_text(root() / "step-4" / file, "");
  }
  marked("step-2", minutes(2));
  marked("step-4", minutes(1));
  EXPECT_THAT(scanned(), ElementsAre("step-4 Marker", "step-2 Marker"));
}

TEST_F(EmptiedTest, a_mark_alone_is_none_where_the_one_before_has_more) {
  marked("step-2", minutes(2));
  mark("step-4", minutes(1));
  EXPECT_THAT(scanned(), ElementsAre("!step-4 Marker", "step-2 Marker"));
  EXPECT_THAT(flaw_of("step-4"), HasSubstr("no byte beside it"));
}

TEST_F(EmptiedTest, what_comes_after_its_mark_counts_once_it_is_there) {
  marked("step-2", minutes(2));
  mark("step-4", minutes(1));
  const auto when = fs::last_write_time(root() / "step-4");
  EXPECT_EQ(scanned().front(), "!step-4 Marker");
  put_text(root() / "step-4/weights", "weights");
  fs::last_write_time(root() / "step-4", when);
  EXPECT_EQ(scanned().front(), "step-4 Marker");
}

TEST_F(EmptiedTest, a_first_checkpoint_is_held_against_nothing_and_so_are_marks_that_were_alone_before) {
  mark("step-2", minutes(3));
  EXPECT_THAT(scanned(), ElementsAre("step-2 Marker"));
  mark("step-4", minutes(2));
  EXPECT_THAT(scanned(), ElementsAre("step-4 Marker", "step-2 Marker"));
  marked("step-6", minutes(1));
  EXPECT_THAT(scanned(), ElementsAre("step-6 Marker", "step-4 Marker", "step-2 Marker"));
}

TEST_F(EmptiedTest, a_writer_that_leaves_it_empty_for_longer_than_a_loss_takes_means_it) {
  marked("step-2", minutes(60));
  marked("step-4", minutes(50), "");
  marked("step-6", minutes(45), "");
  EXPECT_EQ(scanned().front(), "!step-6 Marker");
  marked("step-8", minutes(30), "");
  EXPECT_THAT(scanned(), ElementsAre("step-8 Marker", "step-6 Marker", "step-4 Marker", "step-2 Marker"));
}

TEST_F(EmptiedTest, another_run_s_checkpoints_say_nothing) {
  marked("run-1/step-2", minutes(2));
  marked("run-2/step-4", minutes(1), "");
  EXPECT_THAT(scanned(), ElementsAre("run-2/step-4 Marker", "run-1/step-2 Marker"));
}

TEST_F(EmptiedTest, a_library_s_checkpoint_is_held_against_its_like_too) {
  use("Auto");
  save(10);
  save(20);
  for (const int step : {10, 20})
    put_text(root() / ("out/checkpoint-" + std::to_string(step)) / "tokenizer.model", step == 10 ? "tokens" : "");
  fs::last_write_time(root() / "out/checkpoint-10/trainer_state.json", fs::file_time_type::clock::now() - minutes(1));
  EXPECT_THAT(scanned(), ElementsAre("!out/checkpoint-20 HuggingFace", "out/checkpoint-10 HuggingFace"));
}

TEST_F(EmptiedTest, sizes_of_what_has_not_changed_are_not_asked_for_again) {
  for (int step = 2; step < 8; ++step) {
    const std::string name = "step-" + std::to_string(step);
    for (int file = 0; file < 20; ++file) put_text(root() / name / ("part-" + std::to_string(file)), "x");
    put_text(root() / name / "__init__.py", "");
    mark(name, minutes(20 - step));
  }
  static_cast<void>(scanned());
  static_cast<void>(scanned());
  int calls = 0;
  calls_->on_call = [&] { ++calls; };
  static_cast<void>(scanned());
  calls_->on_call = nullptr;
  EXPECT_LT(calls, 20);
}

}  // namespace
}  // namespace reprise::agent
