// Torn checkpoints on an object store, where nothing is moved to a place of which all but the last go.
#include "agent/core/aside/torn_in_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "agent/core/restore/restore.h"
#include "agent/formats/search/checkpoint_scan.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// A mount whose cache knows nothing yet of some markers.
class CachedFormat final : public CheckpointFormat {
 public:
  CachedFormat(const std::set<std::string>& hidden, const std::string& doubted) : hidden_(hidden), doubted_(doubted) {}
  [[nodiscard]] runtime::Result<Checkpoints> discover(const VolumeFiles& files, const fs::path& root) const override {
    return scan_checkpoints(files, *this, root);
  }
  [[nodiscard]] runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                            const fs::path& directory) const override {
    if (hidden_.contains(directory.filename())) return std::nullopt;
    if (directory.filename() == doubted_ && ++looks_ > 1) return std::nullopt;
    return seen_.completed(files, directory);
  }
  [[nodiscard]] runtime::Result<void> invalidate(const VolumeFiles& files, const fs::path& directory) const override {
    return seen_.invalidate(files, directory);
  }

 private:
  const std::set<std::string>& hidden_;
  const std::string& doubted_;
  mutable int looks_ = 0;
  MarkerFormat seen_;
};

class TornInPlaceTest : public testing_support::VolumeTest {
 protected:
  TornInPlaceTest() {
    auto calls = std::make_shared<testing_support::FakeCalls>();
    calls->rename_problem = EOPNOTSUPP;
    volume_ = posix_volume(root(), std::make_unique<CachedFormat>(hidden_, doubted_), std::move(calls));
    made("step-20", 1);
  }
  void made(const std::string& name, int attempt, bool complete = true) {
    checkpoint(name, complete);
    ASSERT_TRUE(write_made(*volume_, {.order = ++order_, .name = name, .job_uid = "job", .attempt = attempt}));
  }
  void torn(const std::string& name, int attempt) { made(name, attempt, false); }
  Restored restore_as(int attempt) {
    self_.attempt = attempt;
    self_.pod_uid = "pod-" + std::to_string(attempt);
    auto restored = restore(*volume_, env_, self_);
    EXPECT_TRUE(restored);
    return restored.value_or(Restored());
  }

  std::set<std::string> hidden_;  // the marker of these is not seen
  std::string doubted_;           // the marker of this one is seen once
  int order_ = 0;
};

TEST_F(TornInPlaceTest, those_of_earlier_attempts_go_when_a_second_restore_finds_them_torn) {
  checkpoint("step-90", false);  // nobody saw it appear
  for (int attempt = 1; attempt <= 3; ++attempt) torn("step-" + std::to_string(20 + attempt), attempt);
  EXPECT_EQ(restore_as(4).point.path, "step-20");
  EXPECT_TRUE(exists("step-21") && exists("step-22") && exists("step-23"));
  (void)restore_as(5);
  EXPECT_TRUE(exists("step-21") && exists("step-22") && exists("step-23")) << "nothing newer is complete";
  made("step-24", 5);
  const auto restored = restore_as(6);
  EXPECT_THAT(restored.notes, Contains(HasSubstr("step-22 was deleted")));
  EXPECT_THAT(*volume_->files.list(root()), ElementsAre(".reprise", "step-20", "step-23", "step-24", "step-90"));
}

TEST_F(TornInPlaceTest, a_complete_one_whose_marker_one_restore_does_not_see_stays) {
  made("step-30", 1);
  torn("step-40", 2);
  hidden_ = {"step-30"};
  EXPECT_EQ(restore_as(3).point.path, "step-20");
  hidden_ = {};
  EXPECT_EQ(restore_as(4).point.path, "step-30");
}

TEST_F(TornInPlaceTest, what_a_restore_has_resumed_from_stays_however_often_it_looks_torn) {
  made("step-30", 1);
  EXPECT_EQ(restore_as(2).point.path, "step-30");
  torn("step-40", 2);
  hidden_ = {"step-30"};
  for (int attempt = 3; attempt <= 5; ++attempt) EXPECT_EQ(restore_as(attempt).point.path, "step-20");
  fs::remove_all(volume_->layout.attempt(2));  // as former attempts are
  EXPECT_EQ(restore_as(6).point.path, "step-20");
  hidden_ = {};
  EXPECT_EQ(restore_as(7).point.path, "step-30");
}

TEST_F(TornInPlaceTest, what_the_operator_knows_to_be_saved_stays) {
  made("step-30", 1);
  torn("step-40", 2);
  hidden_ = {"step-30"};
  env_.expected_checkpoint = "step-30";
  for (int attempt = 3; attempt <= 5; ++attempt) (void)restore_as(attempt);
  EXPECT_TRUE(exists("step-30/_COMPLETE"));
}

TEST_F(TornInPlaceTest, what_was_written_to_since_is_judged_anew) {
  torn("step-30", 1);
  torn("step-40", 2);
  made("step-45", 2);
  (void)restore_as(3);
  const auto file = root() / "step-30" / "state.bin";
  fs::last_write_time(file, fs::last_write_time(file) + 1s);
  (void)restore_as(4);
  EXPECT_TRUE(exists("step-30"));
  (void)restore_as(5);
  EXPECT_FALSE(exists("step-30"));
}

TEST_F(TornInPlaceTest, a_replaced_pod_of_the_same_attempt_is_no_second_look) {
  torn("step-30", 1);
  torn("step-40", 2);
  made("step-45", 2);
  (void)restore_as(3);
  fs::remove(volume_->layout.resume_point(3));  // attempt 3 ended before
  (void)restore_as(3);
  EXPECT_TRUE(exists("step-30"));
}

TEST_F(TornInPlaceTest, what_a_checkpoint_links_into_stays) {
  torn("step-30", 1);
  torn("step-40", 2);
  made("step-45", 2);
  fs::create_symlink("../step-30/state.bin", root() / "step-20" / "base.bin");
  for (int attempt = 3; attempt <= 4; ++attempt) (void)restore_as(attempt);
  EXPECT_TRUE(exists("step-20/base.bin"));
}

TEST_F(TornInPlaceTest, nothing_goes_that_could_not_be_written_down) {
  torn("step-30", 1);
  torn("step-40", 2);
  made("step-45", 2);
  for (int attempt = 3; attempt <= 4; ++attempt) fs::create_directories(volume_->layout.torn_in_place(attempt));
  for (int attempt = 3; attempt <= 4; ++attempt) (void)restore_as(attempt);
  EXPECT_TRUE(exists("step-30"));
}

TEST_F(TornInPlaceTest, on_a_full_volume_what_an_earlier_restore_has_written_down_goes) {
  torn("step-30", 1);
  torn("step-40", 2);
  made("step-45", 2);
  (void)restore_as(3);
  fs::create_directories(volume_->layout.torn_in_place(4));  // keeps the file from being written
  const auto restored = restore_as(4);
  EXPECT_FALSE(exists("step-30"));
  EXPECT_THAT(restored.notes, Contains(HasSubstr("torn.json"))) << "and that is said";
}

// Chosen, and seen to be complete no more a moment later: a cache may do that as well as a person.
TEST_F(TornInPlaceTest, what_a_restore_has_chosen_and_then_doubted_stays) {
  made("step-30", 1);
  torn("step-40", 2);
  doubted_ = "step-30";
  EXPECT_EQ(restore_as(3).point.path, "step-20");
  torn("step-50", 3);
  hidden_ = {"step-30"};
  for (int attempt = 4; attempt <= 6; ++attempt) (void)restore_as(attempt);
  EXPECT_TRUE(exists("step-30/_COMPLETE"));
}

TEST(torn_in_place, a_list_is_read_as_it_was_written_by_its_own_job_alone_and_half_a_list_is_none) {
  const TornList list{{.name = "step-1", .entries = 3, .newest = runtime::WallTime(5us)},
                      {.name = "step-2", .entries = 1, .newest = {}, .was_complete = true}};
  const Identity self{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0};
  const auto text = encode_torn(list, self);
  EXPECT_EQ(decode_torn(text, self), list);
  Identity other = self;
  other.job_uid = "other";
  EXPECT_FALSE(decode_torn(text, other));
  EXPECT_FALSE(decode_torn(text.substr(0, text.size() / 2), self));
}

TEST(torn_in_place, those_of_the_last_attempt_that_has_left_any_stay) {
  const TornList list{{.name = "step-1"}, {.name = "step-2"}};
  const MadeCheckpoints made{{.order = 1, .name = "step-1", .job_uid = "job", .attempt = 1},
                             {.order = 2, .name = "step-2", .job_uid = "job", .attempt = 2},
                             {.order = 3, .name = "step-3", .job_uid = "job", .attempt = 2}};
  TornQuestion question{.torn = list, .earlier = list, .found = {}, .made = made, .job_uid = "job"};
  EXPECT_THAT(choose_torn_in_place(question), testing::IsEmpty()) << "nothing newer is complete";
  question.found = {{.name = "step-3", .step = 3, .complete = true}};
  EXPECT_THAT(choose_torn_in_place(question), ElementsAre("step-1"));
}

// By then nobody knows which of them a restore has chosen.
TEST_F(TornInPlaceTest, nothing_is_deleted_where_an_earlier_list_says_nothing) {
  for (int attempt = 1; attempt <= 3; ++attempt) torn("step-" + std::to_string(20 + attempt), attempt);
  (void)restore_as(4);
  const auto list = volume_->layout.torn_in_place(4);
  testing_support::put_text(list, testing_support::text_in(list).substr(0, 40));
  made("step-30", 4);
  EXPECT_THAT(restore_as(5).notes, Contains(HasSubstr("none of them is deleted")));
  EXPECT_TRUE(exists("step-21"));
}

TEST_F(TornInPlaceTest, a_list_of_long_paths_stays_small_enough_to_be_read) {
  for (int step = 21; step < 271; ++step) torn(std::string(220, 'a') + "-step-" + std::to_string(step), 1);
  (void)restore_as(4);
  EXPECT_LE(fs::file_size(volume_->layout.torn_in_place(4)), 64U * 1024U);
  EXPECT_TRUE(decode_torn(testing_support::text_in(volume_->layout.torn_in_place(4)), self_));
}

}  // namespace
}  // namespace reprise::agent
