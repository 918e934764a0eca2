// Folding away what former attempts have left.
#include "agent/core/fencing/former_attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/formats/recognise/marker_format.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing_support::put_ended_attempt;
using testing_support::put_heartbeat;
using testing_support::put_published;
using testing_support::put_text;
using testing_support::text_in;

class SetClock final : public runtime::Clock {
 public:
  [[nodiscard]] runtime::Instant steady() const override { return now_; }
  [[nodiscard]] runtime::WallTime wall() const override { return {}; }
  void advance(runtime::Instant::duration by) { now_ += by; }

 private:
  runtime::Instant now_{100s};
};

class Calls final : public VolumeCalls {
 public:
  int unlink(const char* path) override {
    if (removals_left == 0) return EPERM;
    --removals_left;
    return VolumeCalls::unlink(path);
  }
  int removals_left = 1'000'000;
};

class FormerAttemptsTest : public testing::Test {
 protected:
  FormerAttemptsTest() {
    auto calls = std::make_shared<Calls>();
    calls_ = calls.get();
    volume_ = posix_volume(directory_.path(), std::make_unique<MarkerFormat>(), std::move(calls));
    for (int attempt = 1; attempt <= 20; ++attempt) put_ended_attempt(volume_->layout, "job", attempt, 2);
    put_published(volume_->layout, "job", 20);
  }

  // Every second, as long as there is something to do, and at most for a minute.
  void fold() {
    FormerAttempts former(volume_, clock_,
                          {.self = self_, .heartbeat_period = 1s, .may_write = [this] { return may_write_; }});
    for (int second = 0; second < 60 && former.step(); ++second) {
      clock_.advance(1s);
      if (each_second_) each_second_();
    }
  }
  [[nodiscard]] bool exists(int attempt) const { return std::filesystem::exists(volume_->layout.attempt(attempt)); }
  [[nodiscard]] std::vector<FormerJob> noted() const { return decode_former_jobs(text_in(volume_->layout.former())); }

  testing_support::TemporaryDirectory directory_;
  Calls* calls_ = nullptr;
  std::shared_ptr<Volume> volume_;
  SetClock clock_;
  Identity self_{.job_uid = "job", .pod_uid = "pod", .attempt = 20, .index = 0};
  bool may_write_ = true;
  std::function<void()> each_second_;
};

TEST_F(FormerAttemptsTest, are_noted_in_one_file_and_removed_and_the_newest_stay) {
  fold();
  for (int attempt = 1; attempt <= 20; ++attempt) EXPECT_EQ(exists(attempt), attempt > 12) << attempt;
  EXPECT_THAT(noted(), ElementsAre(FormerJob{.job_uid = "job", .through = 12, .attempts = 12, .ranks = 24}));
}

TEST_F(FormerAttemptsTest, of_a_job_before_go_too_whatever_their_numbers) {
  put_ended_attempt(volume_->layout, "before", 500, 3);
  put_heartbeat(volume_->layout, {.job_uid = "before", .pod_uid = "lost", .attempt = 500, .index = 7});
  fold();
  EXPECT_FALSE(exists(500));
  EXPECT_THAT(noted().back(),
              (FormerJob{.job_uid = "before", .through = 500, .attempts = 1, .ranks = 4, .unrecorded = 1}));
}

TEST_F(FormerAttemptsTest, in_which_a_heartbeat_still_moves_stay_whole) {
  std::uint64_t counter = 1;
  each_second_ = [&] {
    put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "lives", .attempt = 3, .index = 1}, ++counter);
  };
  each_second_();
  fold();
  EXPECT_TRUE(std::filesystem::exists(volume_->layout.alive(3, 1)));
  EXPECT_TRUE(std::filesystem::exists(volume_->layout.record(3, 0)));
  EXPECT_FALSE(exists(12));
}

TEST_F(FormerAttemptsTest, of_a_silent_writer_go_only_after_its_silence_was_watched) {
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "lost", .attempt = 2, .index = 5});
  FormerAttempts former(volume_, clock_, {.self = self_, .heartbeat_period = 1s});
  for (int second = 0; second < 3; ++second) {
    EXPECT_TRUE(former.step());
    EXPECT_TRUE(std::filesystem::exists(volume_->layout.alive(2, 5)));
    clock_.advance(1s);
  }
  EXPECT_TRUE(former.step());
  EXPECT_FALSE(exists(2));
}

TEST_F(FormerAttemptsTest, are_counted_once_and_removed_in_the_end_when_a_crash_comes_between) {
  calls_->removals_left = 3;
  fold();
  EXPECT_TRUE(exists(1));
  const auto first = noted();
  calls_->removals_left = 1'000'000;
  fold();
  EXPECT_FALSE(exists(1));
  EXPECT_EQ(first.front().through, 4);
  EXPECT_THAT(noted(), ElementsAre(FormerJob{.job_uid = "job", .through = 12, .attempts = 12, .ranks = 24}));
}

TEST_F(FormerAttemptsTest, are_left_where_nothing_can_be_removed) {
  calls_->removals_left = 0;
  fold();
  EXPECT_TRUE(exists(1));
}

TEST_F(FormerAttemptsTest, are_left_to_a_newer_attempt_once_it_owns_the_volume) {
  put_text(volume_->layout.fence(), encode_fence({.job_uid = "job", .attempt = 21}));
  fold();
  EXPECT_TRUE(exists(1));
  put_text(volume_->layout.fence(), encode_fence({.job_uid = "job", .attempt = 20}));
  may_write_ = false;
  fold();
  EXPECT_TRUE(exists(1));
}

TEST_F(FormerAttemptsTest, under_a_number_above_ours_with_a_member_of_this_job_stay) {
  put_ended_attempt(volume_->layout, "job", 21, 1);
  fold();
  EXPECT_TRUE(exists(21));
}

}  // namespace
}  // namespace reprise::agent
