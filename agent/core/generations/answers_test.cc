// The save that answers a stop and lacks what the trainer writes at its other saves.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

enum class Layout { LooseFile, InDirectory, TwoDirectories };

class Answers : public testing_support::LayoutFormatTest, public testing::WithParamInterface<Layout> {
 protected:
  void put(int step, bool with_side) const {
    const std::string number = std::to_string(step);
    if (GetParam() == Layout::LooseFile) {
      put_text(root() / ("checkpoint-" + number + ".pt"), plain_file());
      if (with_side) put_text(root() / ("confusion_" + number + ".npz"), std::string(5'000, 'c'));
    } else if (GetParam() == Layout::InDirectory) {
      testing_support::put_hugging_face(root() / "out" / ("checkpoint-" + number), step);
      if (with_side)
        put_text(root() / "out" / ("checkpoint-" + number) / "ema.safetensors", testing_support::safetensors_file());
    } else {
      put_marked("actor-" + number);
      if (with_side) put_marked("vae-" + number);
    }
  }
  void put_marked(const std::string& name) const {
    put_text(root() / name / "state.pt", torch_file());
    put_text(root() / name / "_COMPLETE", "");
  }
  // An attempt that saves in full twice and has 300 as its newest.
  void train() {
    self_.attempt = 2;
    auto watching = watch();
    for (const int step : {100, 200, 300}) {
      put(step, true);
      watching.look();
      watching.look();
    }
    self_.attempt = 3;
  }
  [[nodiscard]] static std::int64_t durable(const CheckpointWatch& watching) {
    const auto seen = watching.seen();
    return seen.durable ? seen.durable->step : 0;
  }
};

TEST_P(Answers, count_where_the_trainer_ended_by_itself_for_this_attempt_and_each_later_one) {
  train();
  auto watching = watch();
  static_cast<void>(watching.newest_now());
  put(350, false);
  watching.look();
  EXPECT_EQ(durable(watching), 300) << "the rest may still come";
  watching.note_end();
  watching.look();
  EXPECT_EQ(durable(watching), 350);
  for (++self_.attempt; self_.attempt < 6; ++self_.attempt) EXPECT_EQ(restored().point.step, 350);
}

TEST_P(Answers, are_none_of_a_trainer_that_was_killed) {
  train();
  auto watching = watch();
  static_cast<void>(watching.newest_now());
  put(350, false);
  watching.look();
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
}

TEST_P(Answers, are_none_that_were_there_when_the_stop_came) {
  train();
  auto watching = watch();
  put(350, false);
  watching.look();
  static_cast<void>(watching.newest_now());
  watching.note_end();
  watching.look();
  EXPECT_EQ(durable(watching), 300) << "the stop may have broken it off";
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
}

INSTANTIATE_TEST_SUITE_P(layouts, Answers,
                         testing::Values(Layout::LooseFile, Layout::InDirectory, Layout::TwoDirectories));

}  // namespace
}  // namespace reprise::agent
