// The room that torn saves hold which were put aside.
#include "agent/core/space/room_aside.h"

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
using testing::Not;

class RoomAsideTest : public testing_support::LayoutFormatTest {
 protected:
  static constexpr std::int64_t kPlentiful = std::int64_t{1} << 40U;
  void put_aside(const std::string& place, const std::string& name) const {
    testing_support::put_hugging_face(root() / ".reprise" / place / name, 15);
  }
  void made_in(int attempt, int step) {
    save(step);
    ASSERT_TRUE(write_made(
        *volume_,
        {.order = ++order_, .name = "out/checkpoint-" + std::to_string(step), .job_uid = "job", .attempt = attempt}));
  }
  void is_free(std::int64_t bytes) const { calls_->free = FreeSpace{.bytes = bytes}; }
  int order_ = 0;
};

TEST_F(RoomAsideTest, what_a_newer_complete_save_stands_for_goes_before_the_trainer_starts_where_room_is_short) {
  made_in(1, 10);
  made_in(2, 20);
  put_aside("torn", "out+checkpoint-15.2");
  put_aside("trash", "out+checkpoint-5");
  self_.attempt = 3;
  is_free(kPlentiful);
  EXPECT_THAT(restored().notes, Not(Contains(HasSubstr(".reprise/torn"))));
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-15.2")) << "there is room";
  ++self_.attempt;
  is_free(100);
  EXPECT_THAT(restored().notes, Contains(HasSubstr("torn checkpoint out/checkpoint-15 was deleted")));
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-15.2"));
  EXPECT_FALSE(exists(".reprise/trash/out+checkpoint-5"));
}

TEST_F(RoomAsideTest, without_a_newer_complete_and_durable_save_it_stays_and_the_record_says_what_it_holds) {
  made_in(1, 10);
  put_aside("torn", "out+checkpoint-15.2");
  put_aside("quarantine", "checkpoint-7.1");
  self_.attempt = 3;
  is_free(100);
  const auto notes = restored().notes;
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-15.2"));
  EXPECT_THAT(notes,
              Contains(testing::AllOf(HasSubstr("100 bytes were free"), HasSubstr(".reprise/torn holds"),
                                      HasSubstr(".reprise/quarantine holds"), HasSubstr("may be deleted by hand"))));
  made_in(2, 20);
  ++self_.attempt;
  env_.verifies_in_full = true;
  static_cast<void>(restored());
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-15.2")) << "it was not read in full";
  env_.verifies_in_full = false;
  ++self_.attempt;
  static_cast<void>(restored());
  EXPECT_FALSE(exists(".reprise/torn/out+checkpoint-15.2"));
  EXPECT_TRUE(exists(".reprise/quarantine/checkpoint-7.1")) << "nobody knows whose it is";
}

// Each machine that is lost leaves one, and the next save may find no room beside them.
TEST_F(RoomAsideTest, what_is_not_proven_stays_and_the_record_says_what_it_holds) {
  made_in(1, 10);
  put_aside("unproven", "out+checkpoint-15.2");
  self_.attempt = 3;
  is_free(100);
  EXPECT_THAT(restored().notes,
              Contains(testing::AllOf(HasSubstr(".reprise/unproven holds"), HasSubstr("may be deleted by hand"))));
  EXPECT_TRUE(exists(".reprise/unproven/out+checkpoint-15.2"));
}

TEST_F(RoomAsideTest, nothing_goes_for_a_save_that_nothing_shows_to_be_durable) {
  made_in(1, 10);
  put_aside("torn", "out+checkpoint-15.2");
  made_in(2, 20);
  self_.attempt = 3;
  is_free(100);
  calls_->sync_problem = EIO;
  static_cast<void>(restored());
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-15.2"));
}

TEST_F(RoomAsideTest, a_job_that_is_rejected_loses_nothing) {
  made_in(2, 20);
  put_aside("torn", "out+checkpoint-15.2");
  self_.attempt = 3;
  is_free(100);
  env_.expected_step = 30;
  static_cast<void>(restored());
  EXPECT_TRUE(exists(".reprise/torn/out+checkpoint-15.2"));
}

}  // namespace
}  // namespace reprise::agent
