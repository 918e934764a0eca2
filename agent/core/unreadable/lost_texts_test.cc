// An attempt decides this about its job's own files on the volume when the storage has lost their bytes.
#include "agent/core/unreadable/lost_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/aside/list_checkpoints.h"
#include "agent/core/aside/torn_in_place.h"
#include "agent/core/fencing/former_attempts.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/fencing/open_attempts.h"
#include "agent/core/fencing/writers.h"
#include "agent/core/restore/restore.h"
#include "agent/core/unreadable/lost_fence.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/faulty_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::put_heartbeat;
using testing_support::put_published;
using testing_support::put_text;
using Verdict = WriterWatch::Verdict;

class LostTextsTest : public testing_support::VolumeTest {
 protected:
  LostTextsTest() {
    volume_ = std::make_shared<Volume>(root(), std::make_unique<MarkerFormat>(),
                                       std::make_unique<const testing_support::FaultyFiles>(
                                           faults_, std::make_shared<testing_support::FakeCalls>(), root()));
  }
  void made(const std::string& name, std::int64_t order) const {
    checkpoint(name);
    ASSERT_TRUE(write_made(*volume_, {.order = order, .name = name, .job_uid = "job", .attempt = 1}));
  }
  template <class T>
  [[nodiscard]] runtime::Result<T> at_last(const std::function<runtime::Result<T>()>& reads) const {
    return volume_->lost_texts->try_last(reads);
  }
  [[nodiscard]] runtime::Result<Restored> restored_at_last() const {
    return at_last<Restored>([&] { return restore(*volume_, env_, self_, {}, {.is_last = true}); });
  }
  static std::vector<std::string> names_of(const MadeCheckpoints& made) {
    std::vector<std::string> names;
    for (const MadeCheckpoint& each : made) names.push_back(each.name);
    return names;
  }

  std::shared_ptr<testing_support::Faults> faults_ = std::make_shared<testing_support::Faults>();
};

TEST_F(LostTextsTest, an_entry_that_gives_an_error_is_an_outage_until_the_last_try_and_proves_nothing_after_it) {
  for (const int step : {1, 2, 3}) made("step-" + std::to_string(step), step);
  faults_->of_bytes(volume_->layout.made(2));
  EXPECT_FALSE(read_made(*volume_));
  const auto at_the_last = at_last<MadeCheckpoints>([&] { return read_made(*volume_); });
  ASSERT_TRUE(at_the_last) << at_the_last.error().message;
  EXPECT_THAT(names_of(*at_the_last), ElementsAre("step-1", "step-3"));
  const int reads = faults_->reads;
  EXPECT_THAT(names_of(read_made(*volume_).value()), ElementsAre("step-1", "step-3")) << "while it trains, too";
  EXPECT_EQ(faults_->reads, reads + 3) << "the list and the two others: the storage takes seconds to say no";
}

TEST_F(LostTextsTest, one_that_is_written_again_is_read_again) {
  made("step-1", 1);
  faults_->of_bytes(volume_->layout.made(1));
  ASSERT_TRUE(at_last<MadeCheckpoints>([&] { return read_made(*volume_); }));
  faults_->mend();
  EXPECT_THAT(read_made(*volume_).value(), IsEmpty()) << "nobody has written it";
  made("step-10", 1);
  EXPECT_THAT(names_of(read_made(*volume_).value()), ElementsAre("step-10"));
}

TEST_F(LostTextsTest, a_volume_that_does_not_answer_has_lost_nothing) {
  made("step-1", 1);
  faults_->of_bytes(volume_->layout.made(1), ETIMEDOUT);
  EXPECT_FALSE(at_last<MadeCheckpoints>([&] { return read_made(*volume_); }));
}

TEST_F(LostTextsTest, the_newest_is_resumed_from_although_the_entry_that_told_of_it_is_lost) {
  env_.keep = 1;
  for (const int step : {1, 2}) made("step-" + std::to_string(step), step);
  faults_->of_bytes(volume_->layout.made(2));
  EXPECT_FALSE(restore(*volume_, env_, self_)) << "a storage that answers again in a moment";
  const auto restored = restored_at_last();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, "step-2");
  EXPECT_TRUE(exists("step-1") && exists("step-2"));
}

TEST_F(LostTextsTest, choices_and_numbers_of_former_attempts_that_are_lost_tell_nothing_of_them) {
  put_published(volume_->layout, "job", 1);
  put_text(volume_->layout.former(), encode_former_jobs({{.job_uid = "job", .through = 1}}));
  faults_->of_bytes(volume_->layout.resume_point(1));
  faults_->of_bytes(volume_->layout.former());
  EXPECT_FALSE(read_history(*volume_, self_));
  const auto history = at_last<JobHistory>([&] { return read_history(*volume_, self_); });
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_FALSE(history->began) << "nothing becomes its own by it";
  const auto fence = read_fence(volume_->files, volume_->layout).value();
  EXPECT_FALSE(has_published(*volume_, fence).value()) << "what was open then is looked at again";
}

TEST_F(LostTextsTest, a_start_from_scratch_whose_publication_is_lost_is_not_made_again) {
  env_.resume = ResumePolicy::FromScratch;
  env_.from_scratch_since = 1;
  put_published(volume_->layout, "job", 1);
  faults_->of_bytes(volume_->layout.resume_point(1));
  EXPECT_FALSE(policy_in_force(*volume_, env_, self_));
  EXPECT_EQ(at_last<ResumePolicy>([&] { return policy_in_force(*volume_, env_, self_); }).value(),
            ResumePolicy::Latest);
}

TEST_F(LostTextsTest, the_choice_of_this_attempt_is_never_lost_since_other_ranks_may_have_loaded_it) {
  put_published(volume_->layout, "job", self_.attempt);
  faults_->of_bytes(volume_->layout.resume_point(self_.attempt));
  EXPECT_FALSE(restored_at_last());
}

TEST_F(LostTextsTest, a_list_of_what_was_set_aside_is_never_lost_and_says_what_a_person_can_do) {
  checkpoint("step-1");
  put_text(volume_->layout.set_aside() / "1-pod-0.json", "{}");
  faults_->of_bytes(volume_->layout.set_aside() / "1-pod-0.json");
  const auto restored = restored_at_last();
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("delete it where none of them is to be left out"));
}

// ---- the fence

TEST_F(LostTextsTest, a_fence_is_lost_at_the_last_try_where_nobody_has_written_it_meanwhile) {
  put_published(volume_->layout, "job", 1);
  faults_->of_bytes(volume_->layout.fence());
  LostFence fence;
  EXPECT_FALSE(fence.read(*volume_, false));
  std::filesystem::last_write_time(volume_->layout.fence(), std::filesystem::file_time_type::clock::now() + 1s);
  EXPECT_FALSE(fence.read(*volume_, true)) << "somebody writes it";
  const auto none = fence.read(*volume_, true);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(!*none && fence.has_lost());
  EXPECT_TRUE(fence.read(*volume_, false)) << "it is not tried for a minute again";
  put_text(volume_->layout.fence(), encode_fence({.job_uid = "job", .attempt = 30}));
  EXPECT_FALSE(fence.read(*volume_, false)) << "another one by now";
  EXPECT_FALSE(fence.has_lost());
  faults_->mend();
  EXPECT_EQ(fence.read(*volume_, false).value()->attempt, 30);
}

TEST_F(LostTextsTest, behind_a_lost_fence_any_sign_of_a_later_attempt_of_this_job_is_its_owner) {
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "pod-1", .attempt = 1, .index = 0});
  put_heartbeat(volume_->layout, {.job_uid = "another", .pod_uid = "pod-7", .attempt = 7, .index = 0});
  EXPECT_EQ(why_behind_lost_fence(*volume_, self_).value(), "");
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "pod-3", .attempt = 3, .index = 5});
  EXPECT_THAT(why_behind_lost_fence(*volume_, self_).value(), HasSubstr("attempt 3 has been on this volume"));
  faults_->of_bytes(volume_->layout.alive(3, 5));
  EXPECT_FALSE(why_behind_lost_fence(*volume_, self_));
  const auto why = at_last<std::string>([&] { return why_behind_lost_fence(*volume_, self_); });
  ASSERT_TRUE(why) << why.error().message;
  EXPECT_THAT(*why, HasSubstr("attempt 3")) << "whose it is cannot be told";
}

// ---- heartbeats

class LostHeartTest : public LostTextsTest {
 protected:
  LostHeartTest() {
    put_heartbeat(volume_->layout, who_);
    faults_->of_bytes(heart());
  }
  [[nodiscard]] std::filesystem::path heart() const { return volume_->layout.alive(1, 0); }
  void move() {
    std::filesystem::last_write_time(heart(), std::filesystem::file_time_type::clock::now() + (++moves_ * 1s));
  }
  [[nodiscard]] runtime::Result<std::vector<Sighting>> look() {
    return search_.look([this] { return now_; });
  }
  // Four looks a period, for so many of them at most. Whether somebody may write after them.
  [[nodiscard]] Verdict watched(
      int periods, const std::function<void()>& between = [] {}) {
    Verdict verdict = Verdict::Wait;
    for (int at = 0; at < periods * 4 && verdict == Verdict::Wait; ++at) {
      watch_.begin(now_);
      const auto seen = search_.look([this] {
        watch_.answered(now_);
        return now_;
      });
      if (!seen) return Verdict::Reject;
      verdict = watch_.see(now_, *seen);
      now_ += kPeriod / 4;
      between();
    }
    return verdict;
  }

  static constexpr std::chrono::milliseconds kPeriod{1000};
  Identity who_{.job_uid = "job", .pod_uid = "pod-1", .attempt = 1, .index = 0};
  runtime::Instant now_{100s};
  int moves_ = 0;
  WriterSearch search_{volume_->files, volume_->layout, self_};
  WriterWatch watch_{kPeriod};
};

TEST_F(LostHeartTest, is_an_outage_until_the_volume_has_been_tried_for_the_last_time) {
  EXPECT_FALSE(look());
  search_.judge_lost(kPeriod);
  EXPECT_THAT(look().value(), SizeIs(1));
}

TEST_F(LostHeartTest, is_nobodys_when_its_time_has_stood_still_for_ten_periods) {
  search_.judge_lost(kPeriod);
  EXPECT_EQ(watched(LostHearts::kStillPeriods), Verdict::Wait) << "four times as long as one that can be read";
  EXPECT_EQ(watched(1), Verdict::Clear);
}

TEST_F(LostHeartTest, that_moves_belongs_to_one_who_writes) {
  search_.judge_lost(kPeriod);
  const auto beats = [this] {
    if (now_.time_since_epoch() % kPeriod == 0s) move();
  };
  EXPECT_EQ(watched(60, beats), Verdict::Reject);
  EXPECT_THAT(watch_.rejection(), HasSubstr("attempts/1/0.alive still writes to this volume"));
}

TEST_F(LostHeartTest, that_moves_once_in_nine_periods_belongs_to_one_who_may_write) {
  search_.judge_lost(kPeriod);
  const auto beats = [this, at = 0]() mutable {
    if (++at % 36 == 0) move();
  };
  EXPECT_NE(watched(60, beats), Verdict::Clear);
}

TEST_F(LostHeartTest, that_can_be_read_again_is_one_as_ever) {
  search_.judge_lost(kPeriod);
  EXPECT_EQ(watched(9), Verdict::Wait);
  faults_->mend();
  EXPECT_EQ(watched(3), Verdict::Wait);
  EXPECT_EQ(watched(1), Verdict::Clear);
}

TEST_F(LostHeartTest, is_looked_at_while_this_machine_runs_and_not_while_it_stands_still) {
  search_.judge_lost(kPeriod);
  EXPECT_EQ(watched(2), Verdict::Wait);
  now_ += 60s;
  EXPECT_EQ(watched(9), Verdict::Wait);
}

TEST_F(LostHeartTest, is_read_once_more_when_the_fence_is_raised_and_then_no_more) {
  search_.judge_lost(kPeriod);
  ASSERT_EQ(watched(12), Verdict::Clear);
  const int reads = faults_->reads;
  EXPECT_THAT(look().value(), IsEmpty());
  EXPECT_EQ(faults_->reads, reads + 2) << "the list of attempts and that of the attempt";
  search_.look_ahead();
  faults_->mend();
  EXPECT_THAT(look().value(), SizeIs(1)) << "the volume answers by now";
}

TEST_F(LostHeartTest, that_a_peer_of_this_attempt_was_seen_to_write_is_no_strangers) {
  const Identity peer{.job_uid = "job", .pod_uid = "peer", .attempt = self_.attempt, .index = 1};
  put_heartbeat(volume_->layout, peer);
  faults_->mend();
  search_.judge_lost(kPeriod);
  EXPECT_THAT(look().value(), SizeIs(1));
  faults_->of_bytes(volume_->layout.alive(peer.attempt, peer.index));
  const auto seen = look().value();
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_THAT(seen[0].who, HasSubstr("attempt 1 index 0"));
}

TEST_F(LostHeartTest, beside_an_end_record_that_is_lost_a_heart_has_not_ended) {
  faults_->mend();
  testing_support::put_end(volume_->layout, who_);
  faults_->of_bytes(volume_->layout.record(1, 0));
  EXPECT_FALSE(look());
  search_.judge_lost(kPeriod);
  EXPECT_THAT(look().value(), SizeIs(1));
}

TEST_F(LostHeartTest, of_a_former_attempt_is_folded_away_with_it) {
  class SetClock final : public runtime::Clock {
   public:
    [[nodiscard]] runtime::Instant steady() const override { return now; }
    [[nodiscard]] runtime::WallTime wall() const override { return {}; }
    runtime::Instant now{100s};
  } clock;
  self_.attempt = 1 + FormerAttempts::kKept;
  put_published(volume_->layout, "job", self_.attempt);
  FormerAttempts former(volume_, clock, {.self = self_, .heartbeat_period = kPeriod});
  for (int second = 0; second < 9 && former.step(); ++second) clock.now += 1s;
  EXPECT_TRUE(std::filesystem::exists(heart()));
  for (int second = 0; second < 9 && former.step(); ++second) clock.now += 1s;
  EXPECT_FALSE(std::filesystem::exists(heart()));
}

}  // namespace
}  // namespace reprise::agent
