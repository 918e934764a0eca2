// Processes of one pod of which nobody knows how many there are, and a look that falls into their first save.
#include "agent/core/generations/halves/gangs/late_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MadeCheckpoints made_by_one_process(const std::vector<std::pair<std::string, bool>>& names) {
  MadeCheckpoints made;
  for (const auto& [name, doubtful] : names)
    made.push_back({.order = static_cast<std::int64_t>(made.size()) + 1,
                    .name = name,
                    .job_uid = "job",
                    .attempt = 1,
                    .gang = {.ranks = 1},
                    .doubtful = doubtful});
  return made;
}

TEST(late_ranks, came_with_the_first_save) {
  EXPECT_THAT(late_shares(made_by_one_process({{"rank0/step_10", false}, {"rank1/step_10", true}})),
              ElementsAre("rank1/step_#"));
  EXPECT_THAT(late_shares(made_by_one_process({{"rank0/step_10", false}, {"rank1/step_5", true}})), IsEmpty());
  EXPECT_THAT(
      late_shares(made_by_one_process({{"rank0/step_10", false}, {"rank0/step_20", false}, {"rank1/step_10", true}})),
      IsEmpty());
  EXPECT_THAT(late_shares(made_by_one_process({{"rank0/step_10", false}, {"notebook/step_10", true}})), IsEmpty());
}

class LateRanks : public testing_support::LayoutFormatTest {
 protected:
  void put(CheckpointWatch& watching, int step, const std::vector<int>& ranks) const {
    for (const int rank : ranks) {
      const fs::path directory = root() / ("rank" + std::to_string(rank));
      fs::create_directories(directory);
      testing_support::put_checkpoint(directory, "step_" + std::to_string(step), true);
      watching.look();
    }
  }
};

TEST_F(LateRanks, have_to_be_there_again_and_nothing_is_moved_or_deleted_for_them) {
  for (const std::int32_t devices : {0, 1}) {
    self_.gang = {.ranks = 1, .devices = devices};
    auto watching = watch(1);
    for (const int step : {10, 20, 30}) put(watching, step, {0, 1, 2, 3});
    put(watching, 40, {0, 1});
    EXPECT_EQ(watching.seen().newest->step, 30);
    ++self_.attempt;
    const auto next = restored();
    EXPECT_EQ(next.point.step, 30) << devices;
    EXPECT_THAT(next.notes, Contains(HasSubstr("the save of step 40 is not whole")));
    EXPECT_TRUE(exists("rank0/step_40/_COMPLETE")) << "the others may be a neighbour's";
    EXPECT_TRUE(exists("rank3/step_10/_COMPLETE"));
    fs::remove_all(root());
    fs::create_directories(root());
    ++self_.attempt;
  }
}

TEST_F(LateRanks, that_are_a_neighbours_keep_nobody_back_for_long) {
  self_.gang = {.ranks = 1, .devices = 1};
  auto watching = watch();
  for (const int step : {10, 20}) put(watching, step, {0, 1});
  put(watching, 30, {0});
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 20);
  auto next = watch();
  for (const int step : {40, 50}) put(next, step, {0});
  EXPECT_EQ(next.seen().newest->step, 50);
}

}  // namespace
}  // namespace reprise::agent
