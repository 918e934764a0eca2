// A gang that has grown owes the files of all its ranks, in a save and beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

using testing_support::OnVolume;
using testing_support::plain_file;
using testing_support::put_text;

// "step_10" with a file of each rank.
class OfRanks : public OnVolume {
 public:
  OfRanks& save_with(int step, std::int64_t files, std::int32_t attempt, std::int32_t ranks) {
    save({"step_" + std::to_string(step)}, attempt);
    const auto file = [](std::int64_t rank) { return "buffer_rank" + std::to_string(rank) + ".pt"; };
    found.front().state.kinds = {
        {.kind = "buffer_rank#.pt", .count = files, .first = file(0), .last = file(files - 1)}};
    made.back().gang = {.ranks = ranks, .devices = 1};
    return *this;
  }
};

TEST(larger_gang, has_saved_what_all_of_its_ranks_have) {
  const OfRanks before = OfRanks().save_with(10, 2, 1, 2).save_with(20, 2, 1, 2);
  for (const std::int64_t files : {2, 3})
    EXPECT_EQ(OfRanks(before).save_with(30, files, 2, 4).names(), std::vector<std::string>{"step_30"}) << files;
  EXPECT_TRUE(OfRanks(before).save_with(30, 4, 2, 4).names().empty());
  EXPECT_TRUE(OfRanks(before).save_with(30, 2, 2, 2).names().empty()) << "it has not grown";
}

TEST(larger_gang, of_which_some_ranks_save_alone_is_not_stuck) {
  OfRanks saved = OfRanks().save_with(10, 2, 1, 2).save_with(20, 2, 1, 2);
  for (const int step : {30, 40, 50}) saved.save_with(step, 2, 2, 4);
  EXPECT_TRUE(saved.names().empty()) << "three in a row";
  OfRanks one = OfRanks().save_with(10, 1, 1, 2).save_with(20, 1, 1, 2).save_with(30, 1, 2, 4);
  EXPECT_TRUE(one.names().empty()) << "one rank had saved for all";
}

class LargerGang : public testing_support::LayoutFormatTest {
 protected:
  void put(int step, int pieces) const {
    const std::string number = std::to_string(step);
    put_text(root() / ("checkpoint-" + number + ".pt"), plain_file());
    for (int rank = 0; rank < pieces; ++rank)
      put_text(root() / "buffers" / (number + "_rank" + std::to_string(rank) + ".npz"), std::string(4'000, 'r'));
  }
};

TEST_F(LargerGang, has_pieces_of_all_of_its_ranks_beside_a_save) {
  self_.gang = {.ranks = 2, .devices = 1};
  auto watching = watch();
  for (const int step : {100, 200}) {
    put(step, 2);
    for (int look = 0; look < 2; ++look) watching.look();
  }
  ++self_.attempt;
  self_.gang.ranks = 4;
  auto later = watch();
  put(300, 3);
  for (int look = 0; look < 2; ++look) later.look();
  EXPECT_EQ(later.newest_now()->value().step, 200);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 200);
  put(300, 4);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
}

}  // namespace
}  // namespace reprise::agent
