// Never two attempts on one volume: fence, heartbeats, other writers.
#include "agent/core/fencing/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/fencing/writers.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/record/record.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::put_text;
using testing_support::text_in;
using Verdict = WriterWatch::Verdict;

class FenceTest : public testing::Test {
 protected:
  void alive(const Identity& who, std::uint64_t counter, std::chrono::milliseconds period = 1s) const {
    put_text(layout_.alive(who.attempt, who.index),
             encode_heartbeat({.who = who, .counter = counter, .period = period}));
  }
  void ended(const Identity& who) const {
    Record record;
    record.job_uid = who.job_uid;
    record.pod_uid = who.pod_uid;
    record.attempt = who.attempt;
    record.index = who.index;
    put_text(layout_.record(who.attempt, who.index), encode_record(record));
  }
  [[nodiscard]] std::vector<Sighting> sight() const {
    return WriterSearch(files_, layout_, self_).look([] { return runtime::Instant(); }).value();
  }
  // Four looks a heartbeat period, as the start takes them; the verdict of the last.
  static Verdict look(WriterWatch& watch, runtime::Instant from, runtime::Instant to,
                      const std::vector<Sighting>& sightings) {
    for (auto at = from; at < to; at += 250ms) (void)watch.see(at, sightings);
    return watch.see(to, sightings);
  }

  testing_support::TemporaryDirectory directory_;
  PosixFiles files_{std::make_shared<VolumeCalls>(), directory_.path()};
  VolumeLayout layout_{.root = directory_.path()};
  Identity self_{.job_uid = "job", .pod_uid = "pod", .attempt = 4, .index = 1};
  runtime::Instant now_{100s};
};

TEST_F(FenceTest, is_raised_and_never_lowered) {
  EXPECT_FALSE(*read_fence(files_, layout_));
  ASSERT_TRUE(raise_fence(files_, layout_, self_));
  EXPECT_EQ(*read_fence(files_, layout_), (Fence{.job_uid = "job", .attempt = 4}));
  Identity older = self_;
  older.attempt = 3;
  ASSERT_TRUE(raise_fence(files_, layout_, older));
  EXPECT_EQ((*read_fence(files_, layout_))->attempt, 4);
  Identity other = self_;
  other.job_uid = "next job";
  other.attempt = 1;
  ASSERT_TRUE(raise_fence(files_, layout_, other));
  EXPECT_EQ((*read_fence(files_, layout_))->job_uid, "next job");
}

TEST_F(FenceTest, a_newer_attempt_or_a_job_that_came_after_ends_this_one) {
  FenceJudge judge(self_);
  EXPECT_THAT(judge.judge(std::nullopt), IsEmpty());
  EXPECT_THAT(judge.judge(Fence{.job_uid = "former job", .attempt = 9}), IsEmpty());
  EXPECT_THAT(judge.judge(Fence{.job_uid = "job", .attempt = 3}), IsEmpty());
  EXPECT_THAT(judge.judge(Fence{.job_uid = "job", .attempt = 4}), IsEmpty());
  EXPECT_THAT(judge.judge(Fence{.job_uid = "job", .attempt = 5}), HasSubstr("attempt 5"));
  EXPECT_THAT(judge.judge(Fence{.job_uid = "next job", .attempt = 1}), HasSubstr("next job"));
}

TEST_F(FenceTest, a_heartbeat_moves_the_counter_and_sees_the_fence) {
  HeartbeatWriter writer(files_, layout_, self_, 1s);
  EXPECT_THAT(writer.next().fenced, IsEmpty());
  const auto first = text_in(layout_.alive(4, 1));
  EXPECT_THAT(writer.next().fenced, IsEmpty());
  EXPECT_NE(text_in(layout_.alive(4, 1)), first);
  put_text(layout_.fence(), encode_fence({.job_uid = "job", .attempt = 5}));
  EXPECT_THAT(writer.next().fenced, HasSubstr("attempt 5"));
}

TEST_F(FenceTest, the_first_of_two_pods_with_one_place_gives_way_and_writes_no_more) {
  HeartbeatWriter writer(files_, layout_, self_, 1s);
  EXPECT_THAT(writer.next().fenced, IsEmpty());
  EXPECT_TRUE(owns_files(files_, layout_, self_));
  Identity usurper = self_;
  usurper.pod_uid = "usurper";
  alive(usurper, 1);
  const auto theirs = text_in(layout_.alive(4, 1));
  EXPECT_THAT(writer.next().fenced, HasSubstr("usurper"));
  EXPECT_EQ(text_in(layout_.alive(4, 1)), theirs);
  EXPECT_FALSE(owns_files(files_, layout_, self_));
}

TEST_F(FenceTest, a_volume_that_refuses_heartbeats_is_a_problem_and_no_fence) {
  std::filesystem::remove_all(directory_.path());
  HeartbeatWriter writer(files_, layout_, self_, 1s);
  const auto outcome = writer.next();
  EXPECT_THAT(outcome.fenced, IsEmpty());
  EXPECT_THAT(outcome.problem, HasSubstr("No such file"));
}

TEST_F(FenceTest, strangers_are_older_attempts_other_jobs_and_another_pod_in_our_place) {
  alive(self_, 1);                                                            // ourselves
  alive({.job_uid = "job", .pod_uid = "peer", .attempt = 4, .index = 0}, 1);  // our attempt
  alive({.job_uid = "job", .pod_uid = "gone", .attempt = 3, .index = 0}, 1);  // ended
  ended({.job_uid = "job", .pod_uid = "gone", .attempt = 3, .index = 0});
  EXPECT_THAT(sight(), IsEmpty());
  alive({.job_uid = "job", .pod_uid = "old", .attempt = 2, .index = 0}, 1);
  alive({.job_uid = "former", .pod_uid = "other", .attempt = 9, .index = 0}, 1);
  alive({.job_uid = "job", .pod_uid = "twin", .attempt = 4, .index = 1}, 1);
  EXPECT_THAT(sight(), SizeIs(3));
}

TEST_F(FenceTest, an_end_record_of_another_pod_ends_nobody_else) {
  alive({.job_uid = "job", .pod_uid = "second", .attempt = 3, .index = 0}, 1);
  ended({.job_uid = "job", .pod_uid = "first", .attempt = 3, .index = 0});
  EXPECT_THAT(sight(), SizeIs(1));
}

TEST_F(FenceTest, an_unreadable_heartbeat_counts_as_a_writer) {
  put_text(layout_.alive(1, 0), "{\"counter\":");
  EXPECT_THAT(sight(), SizeIs(1));
}

TEST_F(FenceTest, nobody_else_needs_no_waiting) {
  WriterWatch watch(1s);
  EXPECT_EQ(watch.see(now_, {}), Verdict::Clear);
}

TEST_F(FenceTest, a_still_counter_is_waited_for_two_and_a_half_periods) {
  WriterWatch watch(1s);
  const std::vector<Sighting> still{{.who = "w", .file = "f", .text = "1", .period = 1s}};
  EXPECT_EQ(watch.see(now_, still), Verdict::Wait);
  EXPECT_EQ(look(watch, now_ + 250ms, now_ + 2'499ms, still), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 2'500ms, still), Verdict::Clear);
}

TEST_F(FenceTest, a_slower_writer_is_given_its_own_time) {
  WriterWatch watch(1s);
  const std::vector<Sighting> still{{.who = "w", .file = "f", .text = "1", .period = 5s}};
  EXPECT_EQ(watch.see(now_, still), Verdict::Wait);
  EXPECT_EQ(look(watch, now_ + 250ms, now_ + 12s, still), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 12'500ms, still), Verdict::Clear);
}

TEST_F(FenceTest, a_counter_that_stops_or_gets_an_end_record_lets_us_start) {
  WriterWatch watch(1s);
  EXPECT_EQ(watch.see(now_, {{.who = "w", .file = "f", .text = "1", .period = 1s}}), Verdict::Wait);
  const std::vector<Sighting> second{{.who = "w", .file = "f", .text = "2", .period = 1s}};
  EXPECT_EQ(watch.see(now_ + 1s, second), Verdict::Wait);
  EXPECT_EQ(look(watch, now_ + 1'250ms, now_ + 3'250ms, second), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 3'500ms, second), Verdict::Clear);
  WriterWatch other(1s);
  EXPECT_EQ(other.see(now_, {{.who = "w", .file = "f", .text = "1", .period = 1s}}), Verdict::Wait);
  EXPECT_EQ(other.see(now_ + 1s, {}), Verdict::Clear);
}

// A share that does not answer holds up the older writer's heartbeats as well as our looks.
TEST_F(FenceTest, time_in_which_the_volume_did_not_answer_is_no_sign_that_a_writer_has_ended) {
  WriterWatch watch(1s);
  const std::vector<Sighting> held{{.who = "w", .file = "f", .text = "1", .period = 1s}};
  EXPECT_EQ(look(watch, now_, now_ + 2s, held), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 60s, held), Verdict::Wait);
  EXPECT_EQ(look(watch, now_ + 60'250ms, now_ + 62'250ms, held), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 62'500ms, held), Verdict::Clear);
}

TEST_F(FenceTest, a_writer_that_goes_on_when_the_volume_answers_again_is_waited_for) {
  WriterWatch watch(1s);
  EXPECT_EQ(look(watch, now_, now_ + 1s, {{.who = "w", .file = "f", .text = "1", .period = 1s}}), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 60s, {{.who = "w", .file = "f", .text = "1", .period = 1s}}), Verdict::Wait);
  EXPECT_EQ(watch.see(now_ + 60'250ms, {{.who = "w", .file = "f", .text = "2", .period = 1s}}), Verdict::Wait);
}

TEST_F(FenceTest, a_counter_that_moves_for_ten_periods_is_rejected_by_name) {
  WriterWatch watch(1s);
  for (int second = 0; second < 10; ++second) {
    const std::vector<Sighting> moving{
        {.who = "attempt 3 index 0", .file = "f", .text = std::to_string(second), .period = 1s}};
    EXPECT_EQ(watch.see(now_ + std::chrono::seconds(second), moving), Verdict::Wait) << second;
  }
  EXPECT_EQ(watch.see(now_ + 10s, {{.who = "attempt 3 index 0", .file = "f", .text = "10", .period = 1s}}),
            Verdict::Reject);
  EXPECT_THAT(watch.rejection(), HasSubstr("attempt 3 index 0 still writes"));
}

}  // namespace
}  // namespace reprise::agent
