// Saves that are called by epochs: their numbers order them, and are held against no step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

Checkpoint whole(const std::string& name, std::chrono::seconds time = 1s) {
  return {.name = name, .step = step_of(name).value(), .complete = true, .time = runtime::WallTime(time)};
}

MadeCheckpoint entry(std::int64_t order, const std::string& name, bool doubtful = false) {
  MadeCheckpoint made{.order = order, .name = name, .job_uid = "job", .attempt = 1};
  made.doubtful = doubtful;
  return made;
}

std::vector<std::string> in_order(Checkpoints found, const MadeCheckpoints& made = {}) {
  sort_newest_first(found, made);
  std::vector<std::string> names;
  std::ranges::transform(found, std::back_inserter(names), &Checkpoint::name);
  return names;
}

TEST(epochs, beside_steps_that_nobody_saw_appear_are_ordered_by_time) {
  EXPECT_THAT(in_order({whole("epoch_10", 1s), whole("step_5", 2s)}), ElementsAre("step_5", "epoch_10"));
  EXPECT_THAT(in_order({whole("epoch_3", 9s), whole("step_500", 2s)}), ElementsAre("epoch_3", "step_500"));
  EXPECT_THAT(in_order({whole("step_1000", 1s), whole("epoch_0", 2s), whole("step_2000", 3s), whole("epoch_1", 4s)}),
              ElementsAre("epoch_1", "step_2000", "epoch_0", "step_1000"));
  EXPECT_THAT(in_order({whole("epoch=9.ckpt", 1s), whole("epoch=3-step=8.ckpt", 2s)}),
              ElementsAre("epoch=3-step=8.ckpt", "epoch=9.ckpt"));
}

TEST(epochs, by_themselves_are_ordered_by_their_numbers_where_nobody_saw_them_appear) {
  EXPECT_THAT(in_order({whole("epoch_9", 2s), whole("epoch_10", 1s), whole("epoch_2", 3s)}),
              ElementsAre("epoch_10", "epoch_9", "epoch_2"));
}

TEST(epochs, that_nobody_saw_appear_are_no_news_beside_steps_that_an_agent_saw) {
  EXPECT_THAT(in_order({whole("step_50", 1s), whole("epoch_60", 2s)}, {entry(1, "step_50")}),
              ElementsAre("step_50", "epoch_60"));
  EXPECT_THAT(in_order({whole("epoch_3", 1s), whole("step_50", 2s)}, {entry(1, "epoch_3")}),
              ElementsAre("epoch_3", "step_50"));
  EXPECT_THAT(in_order({whole("step_50", 1s), whole("epoch_3", 2s), whole("epoch_4", 3s)},
                       {entry(1, "step_50"), entry(2, "epoch_3")}),
              ElementsAre("epoch_4", "epoch_3", "step_50"))
      << "further than the last one of its kind";
}

TEST(epochs, of_a_neighbour_are_no_news_of_a_training_that_saves_by_steps) {
  EXPECT_THAT(
      in_order({whole("step_50", 1s), whole("b/epoch_60", 2s)}, {entry(1, "step_50"), entry(2, "b/epoch_60", true)}),
      ElementsAre("step_50", "b/epoch_60"));
  EXPECT_THAT(
      in_order({whole("epoch_3", 1s), whole("b/step_50", 2s)}, {entry(1, "epoch_3"), entry(2, "b/step_50", true)}),
      ElementsAre("epoch_3", "b/step_50"));
}

// Without a list nothing but numbers tells that what is there is older than what was lost.
TEST(epochs, and_steps_do_not_stand_for_each_other_where_one_is_expected) {
  const auto asked = [](const char* found, std::int64_t step, const char* expected) {
    return choose_resume({.found = {whole(found)}, .expected_step = step, .expected_checkpoint = expected});
  };
  EXPECT_THAT(asked("step_100", 5, "epoch_5").rejection, HasSubstr("step 5"));
  EXPECT_THAT(asked("epoch_900", 500, "step_500").rejection, HasSubstr("step 500"));
  EXPECT_EQ(asked("epoch_6", 5, "epoch_5").resume, whole("epoch_6"));
  EXPECT_EQ(asked("step_600", 500, "step_500").resume, whole("step_600"));
  EXPECT_EQ(asked("step_600", 500, "").resume, whole("step_600")) << "nobody said its name";
  const auto listed = choose_resume({.found = {whole("step_100")},
                                     .made = {entry(1, "epoch_5"), entry(2, "step_100")},
                                     .expected_step = 5,
                                     .expected_checkpoint = "epoch_5"});
  EXPECT_EQ(listed.resume, whole("step_100")) << "made after it";
}

class Epochs : public testing_support::LayoutFormatTest {
 protected:
  void put(const std::string& name, int hours_ago) const {
    testing_support::put_text(root() / name / "_COMPLETE", "");
    const auto mark = root() / name / "_COMPLETE";
    fs::last_write_time(mark, fs::last_write_time(mark) - std::chrono::hours(hours_ago));
  }
};

TEST_F(Epochs, on_a_volume_without_records_the_last_save_is_resumed_from) {
  for (const char* format : {"Auto", "Marker"}) {
    use(format);
    put("epoch_10", 3);
    put("step_5", 2);
    EXPECT_EQ(restored().point.path, "step_5") << format;
    ++self_.attempt;
    fs::remove_all(root() / "step_5");
  }
}

TEST_F(Epochs, keep_leaves_those_of_a_training_that_saves_by_steps_as_well) {
  auto watching = watch(1);
  for (const char* name : {"step_10", "epoch_1", "step_20", "epoch_2"}) {
    put(name, 0);
    watching.look();
  }
  EXPECT_TRUE(exists("step_20/_COMPLETE"));
  EXPECT_TRUE(exists("epoch_2/_COMPLETE"));
}

}  // namespace
}  // namespace reprise::agent
