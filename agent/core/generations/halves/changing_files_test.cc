// A whole save with fewer files than the one before it is none that was cut off where its trainer went on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::OnVolume;
using testing_support::plain_file;
using testing_support::put_text;

// "step_10" with so many files of a kind.
class Counted : public OnVolume {
 public:
  explicit Counted(std::string kind) : kind_(std::move(kind)) {}
  Counted& save_with(int step, std::int64_t count, std::int32_t attempt = 1, std::int32_t ranks = 0) {
    save({"step_" + std::to_string(step)}, attempt);
    found.front().state.kinds = {{.kind = "model.pt", .count = 1, .first = "model.pt", .last = "model.pt"}};
    if (count > 0) found.front().state.kinds.push_back({.kind = kind_, .count = count, .first = kind_, .last = kind_});
    if (attempt > 0) made.back().gang = {.ranks = ranks, .devices = 1};
    return *this;
  }

 private:
  std::string kind_;
};

TEST(changing_files, do_not_have_to_be_there_once_they_went_and_came_while_a_trainer_went_on) {
  for (const std::int64_t fewer : {0, 3}) {
    Counted saved = Counted("buffer_#.pt").save_with(10, 4).save_with(20, fewer);
    EXPECT_THAT(saved.names(), ElementsAre("step_20")) << "it may have been cut off";
    EXPECT_THAT(saved.save_with(30, 4).names(), IsEmpty());
    EXPECT_THAT(saved.save_with(40, fewer).names(), IsEmpty());
  }
}

TEST(changing_files, are_told_by_no_save_that_may_have_been_cut_off) {
  Counted saved = Counted("buffer_#.pt").save_with(10, 4).save_with(20, 3).save_with(30, 4, 2).save_with(40, 3, 2);
  EXPECT_THAT(saved.names(), ElementsAre("step_40", "step_20"));
  saved = Counted("buffer_#.pt").save_with(10, 4, 0).save_with(20, 3, 0).save_with(30, 4, 0);
  EXPECT_THAT(saved.names(), ElementsAre("step_20")) << "nobody saw them";
}

TEST(changing_files, are_none_of_those_that_ranks_write_or_that_say_that_they_are_of_the_state) {
  for (const char* kind : {"rank_#.pt", "optimizer_#.pt"}) {
    const Counted saved = Counted(kind).save_with(10, 4).save_with(20, 3).save_with(30, 4).save_with(40, 3);
    EXPECT_THAT(saved.names(), ElementsAre("step_40", "step_20")) << kind;
  }
  const Counted shrunk = Counted("buffer_#.pt")
                             .save_with(10, 4, 1, 4)
                             .save_with(20, 2, 2, 2)
                             .save_with(30, 2, 2, 2)
                             .save_with(40, 4, 3, 4);
  Counted grown = shrunk;
  EXPECT_THAT(grown.save_with(50, 2, 3, 4).names(), testing::Contains("step_50")) << "a smaller gang wrote fewer";
}

class ChangingFiles : public testing_support::LayoutFormatTest {
 protected:
  void put(int step, int buffers, bool optimizer) const {
    const fs::path directory = root() / ("step_" + std::to_string(step));
    put_text(directory / "model.pt", plain_file());
    if (optimizer) put_text(directory / "optimizer.pt", plain_file());
    for (int each = 0; each < buffers; ++each)
      put_text(directory / ("buffer_" + std::to_string(each) + ".pt"), plain_file());
    put_text(directory / "_COMPLETE", "");
  }
};

TEST_F(ChangingFiles, put_no_save_aside_after_which_its_trainer_went_on) {
  auto watching = watch();
  for (const auto& [step, optimizer] : {std::pair(10, true), std::pair(20, false), std::pair(30, true)}) {
    put(step, 0, optimizer);
    for (int look = 0; look < 2; ++look) watching.look();
  }
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 30);
  EXPECT_TRUE(exists("step_20/model.pt")) << "it was over, and its mark is there";
  EXPECT_TRUE(exists("step_10/model.pt"));
}

// With the last save of a training a script may be done with its optimizer.
TEST_F(ChangingFiles, put_no_last_save_aside_that_says_that_it_is_whole) {
  auto watching = watch();
  for (const auto& [step, optimizer] : {std::pair(10, true), std::pair(20, true), std::pair(30, false)}) {
    put(step, 0, optimizer);
    for (int look = 0; look < 2; ++look) watching.look();
  }
  ++self_.attempt;
  const auto next = restored();
  EXPECT_EQ(next.point.step, 20) << "it has all of its state";
  EXPECT_TRUE(exists("step_30/model.pt")) << "its mark is there: nothing shows that it was cut off";
  EXPECT_THAT(next.notes, testing::Contains(testing::HasSubstr("the save of step 30 is not whole")));
}

TEST_F(ChangingFiles, that_come_and_go_hold_up_no_save) {
  auto watching = watch();
  for (const auto& [step, buffers] : {std::pair(10, 4), std::pair(20, 3), std::pair(30, 4), std::pair(40, 3)}) {
    put(step, buffers, true);
    for (int look = 0; look < 2; ++look) watching.look();
  }
  EXPECT_EQ(watching.seen().durable->step, 40);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 40);
  EXPECT_TRUE(exists("step_40/buffer_2.pt"));
}

}  // namespace
}  // namespace reprise::agent
