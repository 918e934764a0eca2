// Reports of a rank while it runs, and their times.
#include "agent/core/progress/live_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/progress/reporter.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

const runtime::Instant kStart{1h};
const Identity kSelf{.job_uid = "job", .pod_uid = "pod", .attempt = 3, .index = 1};

Checkpoint checkpoint_of(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = true};
}

CheckpointWatch::Seen durable(std::int64_t step) {
  CheckpointWatch::Seen seen;
  seen.newest = seen.durable = checkpoint_of(step);
  seen.size_bytes = 7;
  return seen;
}

CheckpointWatch::Seen saving(CheckpointWatch::Seen seen, std::int64_t step) {
  seen.saving = "step-" + std::to_string(step);
  return seen;
}

TEST(live_state, an_activity_has_lasted_since_it_began) {
  LiveState live(kSelf, kStart);
  EXPECT_EQ(live.at(kStart + 2s).activity, Activity::Restoring);
  live.enter(Activity::WaitingForPeer, "for index 0", kStart + 3s);
  live.enter(Activity::WaitingForPeer, "for its checkpoint", kStart + 4s);
  const auto report = live.at(kStart + 5s);
  EXPECT_EQ(report.attempt, 3);
  EXPECT_EQ(report.index, 1);
  EXPECT_EQ(report.activity, Activity::WaitingForPeer);
  EXPECT_EQ(report.activity_age, 2s);
  EXPECT_EQ(report.message, "for its checkpoint");
}

TEST(live_state, what_a_start_has_put_aside_is_told_for_as_long_as_the_attempt_lasts) {
  LiveState live(kSelf, kStart);
  EXPECT_THAT(encode_live_report(live.at(kStart)), testing::Not(testing::HasSubstr("unproven")));
  live.put_aside({checkpoint_of(4), checkpoint_of(6), checkpoint_of(5)});
  live.enter(Activity::Training, "", kStart + 1s);
  EXPECT_THAT(encode_live_report(live.at(kStart + 2s)), testing::HasSubstr(R"("unproven":3,"unprovenStep":6)"));
}

// By the first report that the operator reads a newer one may be there than what was resumed from.
TEST(live_state, the_step_that_is_resumed_from_is_told_for_as_long_as_the_attempt_lasts) {
  LiveState live(kSelf, kStart);
  EXPECT_THAT(encode_live_report(live.at(kStart)), testing::Not(testing::HasSubstr("resumedFromStep")));
  live.resume_from(3);
  live.see(saving({}, 10), kStart + 1s);
  EXPECT_THAT(encode_live_report(live.at(kStart + 2s)), testing::HasSubstr(R"("resumedFromStep":3)"));
  live.resume_from(std::nullopt);
  EXPECT_THAT(encode_live_report(live.at(kStart + 2s)), testing::Not(testing::HasSubstr("resumedFromStep")));
}

TEST(live_state, training_is_saving_while_a_checkpoint_is_not_durable) {
  LiveState live(kSelf, kStart);
  live.enter(Activity::Training, "", kStart);
  live.see(saving({}, 10), kStart + 1s);
  EXPECT_EQ(live.at(kStart + 1s).activity, Activity::Saving);
  live.see(durable(10), kStart + 5s);
  const auto report = live.at(kStart + 8s);
  EXPECT_EQ(report.activity, Activity::Training);
  EXPECT_EQ(report.activity_age, 3s);
  ASSERT_TRUE(report.checkpoint);
  EXPECT_EQ(report.checkpoint->checkpoint.step, 10);
  EXPECT_EQ(report.checkpoint->size_bytes, 7);
  EXPECT_EQ(report.checkpoint->save, 4s);
  EXPECT_EQ(report.checkpoint->age, 3s);
}

TEST(live_state, a_checkpoint_whose_save_was_not_watched_has_no_time_of_it) {
  LiveState live(kSelf, kStart);
  live.see(saving(durable(10), 20), kStart);
  EXPECT_FALSE(live.at(kStart).checkpoint->save);
  live.see(durable(30), kStart + 1s);
  EXPECT_FALSE(live.at(kStart).checkpoint->save);
}

TEST(live_state, one_that_is_seen_again_is_as_old_as_it_was) {
  LiveState live(kSelf, kStart);
  live.see(durable(10), kStart);
  live.see(durable(10), kStart + 5s);
  EXPECT_EQ(live.at(kStart + 6s).checkpoint->age, 6s);
  live.see({}, kStart + 7s);
  EXPECT_FALSE(live.at(kStart + 7s).checkpoint);
}

TEST(live_state, one_that_is_gone_back_to_is_as_old_as_it_was) {
  LiveState live(kSelf, kStart);
  live.see(durable(10), kStart);
  live.see(durable(20), kStart + 600s);
  live.see({}, kStart + 601s);
  live.see(durable(10), kStart + 602s);
  EXPECT_EQ(live.at(kStart + 602s).checkpoint->age, 602s) << "nobody has saved it just now";
}

TEST(live_state, one_that_was_there_before_the_trainer_is_called_so) {
  LiveState live(kSelf, kStart);
  auto seen = durable(10);
  seen.was_before = true;
  live.see(seen, kStart);
  EXPECT_TRUE(live.at(kStart).checkpoint->was_before);
}

TEST(live_state, a_stop_is_a_stop_whatever_is_saved) {
  LiveState live(kSelf, kStart);
  live.enter(Activity::Stopping, "", kStart);
  live.see(saving({}, 10), kStart);
  EXPECT_EQ(live.at(kStart).activity, Activity::Stopping);
}

TEST(report_schedule, news_comes_sooner_but_not_more_often_than_once_a_second) {
  ReportSchedule schedule(10s);
  LiveReport report;
  EXPECT_TRUE(schedule.due(report, kStart));
  EXPECT_FALSE(schedule.due(report, kStart + 9s));
  EXPECT_TRUE(schedule.due(report, kStart + 10s));
  report.activity = Activity::Training;
  EXPECT_FALSE(schedule.due(report, kStart + 10'900ms));
  EXPECT_TRUE(schedule.due(report, kStart + 11s));
  report.message = "no news";
  EXPECT_FALSE(schedule.due(report, kStart + 13s));
  report.checkpoint = LiveCheckpoint{.checkpoint = checkpoint_of(1)};
  EXPECT_TRUE(schedule.due(report, kStart + 14s));
}

class LiveWatchTest : public testing_support::VolumeTest {
 protected:
  std::vector<CheckpointWatch::Seen> told_;
  CheckpointWatch watch(Checkpoints before) {
    return CheckpointWatch(
        volume_, {.prunes = true, .before = std::move(before), .self = self_, .told = [this](const auto& seen) {
                    told_.push_back(seen);
                  }});
  }
};

TEST_F(LiveWatchTest, what_is_being_written_is_seen_as_such) {
  checkpoint("step-1");
  auto watch = this->watch({});
  watch.look();
  EXPECT_FALSE(watch.seen().saving);
  std::filesystem::create_directory(root() / "step-2");
  watch.look();
  EXPECT_EQ(watch.seen().saving, "step-2");
  EXPECT_EQ(watch.seen().durable->name, "step-1");
  checkpoint("step-2");
  watch.look();
  EXPECT_FALSE(watch.seen().saving);
}

TEST_F(LiveWatchTest, what_is_complete_is_being_saved_until_it_is_durable) {
  checkpoint("step-1");
  auto watch = this->watch({});
  watch.look();
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_.front().saving, "step-1");
  EXPECT_FALSE(told_.front().durable);
  EXPECT_FALSE(told_.back().saving);
  EXPECT_TRUE(told_.back().durable);
}

TEST_F(LiveWatchTest, what_the_trainer_resumes_from_is_not_being_saved) {
  checkpoint("step-1");
  auto watch = this->watch(*volume_->scan());
  watch.look();
  EXPECT_FALSE(told_.front().saving);
  EXPECT_TRUE(told_.back().durable);
}

TEST_F(LiveWatchTest, what_was_torn_before_or_was_left_behind_is_not_being_written) {
  std::filesystem::create_directory(root() / "step-2");
  const auto before = volume_->scan();
  ASSERT_TRUE(before);
  auto watch = this->watch(*before);
  watch.look();
  EXPECT_FALSE(watch.seen().saving);
  std::filesystem::create_directory(root() / "step-3");
  watch.look();
  EXPECT_EQ(watch.seen().saving, "step-3");
  checkpoint("step-4");
  std::filesystem::last_write_time(root() / "step-4" / "_COMPLETE", std::filesystem::file_time_type::clock::now() + 1s);
  watch.look();
  EXPECT_FALSE(watch.seen().saving);
}

}  // namespace
}  // namespace reprise::agent
