// The whole parts of a save that is not whole are neither resumed from nor counted, on a volume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/record/report.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing_support::in_layout;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::torch_file;

const std::vector<int> kEachRank{0, 1, 2, 3};

class HalfSaves : public testing_support::LayoutFormatTest {
 protected:
  void put(const std::string& layout, int step, const std::vector<int>& ranks) const {
    for (const int rank : ranks) {
      const std::string name = in_layout(layout, step, rank);
      if (name.ends_with(".pt"))
        put_text(root() / name, torch_file());
      else {
        fs::create_directories((root() / name).parent_path());
        put_checkpoint((root() / name).parent_path(), fs::path(name).filename().string(), true);
      }
    }
  }
  static constexpr const char* kOnVolume[] = {"rank#/step_@", "step_@_rank#", "checkpoint_step@_#.pt", "rank#/@.pt"};
};

TEST_F(HalfSaves, are_not_resumed_from_and_lie_aside_where_this_job_has_made_them) {
  for (const std::string layout : kOnVolume) {
    SCOPED_TRACE(layout);
    use(layout.ends_with(".pt") ? "Plain" : "Auto");
    auto watching = watch(1);
    for (const int step : {10, 20}) {
      put(layout, step, kEachRank);
      watching.look();
    }
    put(layout, 30, {0, 1});
    watching.look();
    EXPECT_EQ(watching.seen().durable->step, 20) << "others may still be writing";
    EXPECT_EQ(watching.newest_now()->value().step, 20);
    EXPECT_THAT(watching.seen().saving.value_or(""), HasSubstr("30"));
    EXPECT_THAT(watching.seen().halves, HasSubstr("the save of step 30 is not whole"));
    for (const int rank : kEachRank) EXPECT_TRUE(exists(in_layout(layout, 20, rank))) << rank;
    ++self_.attempt;
    const auto next = restored();
    EXPECT_EQ(next.point.step, 20);
    EXPECT_THAT(next.notes, Contains(HasSubstr("the save of step 30 is not whole")));
    EXPECT_THAT(next.notes, Contains(HasSubstr(in_layout(layout, 20, 3))));
    for (const int rank : {0, 1}) EXPECT_FALSE(exists(in_layout(layout, 30, rank))) << rank;
    fs::remove_all(root());
    fs::create_directories(root());
    ++self_.attempt;
  }
}

TEST_F(HalfSaves, count_as_soon_as_the_last_part_is_there) {
  auto watching = watch(1);
  put("rank#/step_@", 10, kEachRank);
  watching.look();
  put("rank#/step_@", 20, {0, 1, 2});
  watching.look();
  EXPECT_EQ(watching.seen().durable->step, 10);
  put("rank#/step_@", 20, {3});
  watching.look();
  EXPECT_EQ(watching.seen().durable->step, 20);
  EXPECT_EQ(watching.seen().halves, "");
  EXPECT_FALSE(exists("rank0/step_10"));
}

TEST_F(HalfSaves, are_not_told_by_a_rank_with_a_volume_of_its_own_from_how_many_there_are) {
  put("step_@_rank#of4", 10, {0});
  EXPECT_EQ(restored().point.path, "");
  env_.parallelism = 4;
  env_.access = VolumeAccess::PerIndex;
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "step_10_rank0of4");
}

TEST_F(HalfSaves, that_nobody_saw_being_made_stay_where_they_are) {
  for (const int step : {10, 20}) put("step_@_rank#", step, kEachRank);
  put("step_@_rank#", 30, {1, 2});
  const auto next = restored();
  EXPECT_EQ(next.point.step, 20);
  EXPECT_TRUE(exists("step_30_rank1/_COMPLETE"));
  EXPECT_THAT(next.notes, Contains(HasSubstr("the save of step 30 is not whole")));
  auto watching = watch(1);
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 20);
  EXPECT_EQ(watching.seen().saving, std::nullopt) << "nobody is writing it";
  put("step_@_rank#", 30, {0, 3});
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 30);
  const auto made = read_made(*volume_).value();
  for (const MadeCheckpoint& each : made) EXPECT_THAT(each.name, Not(testing::AnyOf("step_30_rank1", "step_30_rank2")));
}

TEST_F(HalfSaves, are_told_by_nobody_whose_look_was_cut_short) {
  for (int run = 100; run < 400; ++run) put("exp-@/data#/step_1", run, {0});
  for (const int step : {10, 20}) put("step_@_rank#", step, kEachRank);
  put("step_@_rank#", 30, {0, 1});
  EXPECT_EQ(restored().point.step, 30);
}

TEST_F(HalfSaves, of_another_word_behind_the_number_there_is_nothing_to_put_aside) {
  for (const char* format : {"Auto", "Marker"}) {
    use(format);
    auto watching = watch(1);
    put("step_@", 20, {0});
    put_text(root() / "step_40_eval/metrics.json", "{}");
    put_text(root() / "step_40/state.bin", "x");
    watching.look();
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 20) << format;
    EXPECT_TRUE(exists("step_40_eval/metrics.json")) << format;
    EXPECT_FALSE(exists("step_40")) << format;
    ++self_.attempt;
  }
}

}  // namespace
}  // namespace reprise::agent
