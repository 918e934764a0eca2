// Looking for other writers on a volume with many attempts, and on one that answers slowly.
#include "agent/core/fencing/writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "agent/core/fencing/open_attempts.h"
#include "agent/core/restore/resume_point.h"
#include "agent/formats/recognise/marker_format.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::put_ended_attempt;
using testing_support::put_heartbeat;
using testing_support::put_published;
using testing_support::put_text;
using Verdict = WriterWatch::Verdict;

// ---- which attempts a look reads

const Identity kSelf{.job_uid = "job", .pod_uid = "pod", .attempt = 9, .index = 0};

TEST(open_attempts, without_a_fence_are_all) {
  EXPECT_EQ(open_attempts(std::nullopt, false, kSelf), std::nullopt);
}

TEST(open_attempts, are_those_since_the_one_that_published_behind_its_fence) {
  EXPECT_THAT(*open_attempts(Fence{.job_uid = "job", .attempt = 7}, true, kSelf),
              ElementsAre(AttemptSpan{.first = 7, .last = 9}));
}

TEST(open_attempts, behind_a_fence_without_a_publication_are_those_that_were_open_when_it_was_raised) {
  const AttemptSpans then{{{.first = 3, .last = 4}}};
  EXPECT_THAT(*open_attempts(Fence{.job_uid = "job", .attempt = 7, .open = then}, false, kSelf),
              ElementsAre(AttemptSpan{.first = 3, .last = 4}, AttemptSpan{.first = 7, .last = 9}));
  EXPECT_EQ(open_attempts(Fence{.job_uid = "job", .attempt = 7}, false, kSelf), std::nullopt);
}

TEST(open_attempts, behind_the_fence_of_another_job_are_its_last_and_our_own) {
  EXPECT_THAT(*open_attempts(Fence{.job_uid = "former", .attempt = 500}, true, kSelf),
              ElementsAre(AttemptSpan{.first = 9, .last = 9}, AttemptSpan{.first = 500, .last = 500}));
}

TEST(open_attempts, of_two_fences_are_those_of_both) {
  const AttemptSpans one{{{.first = 7, .last = 9}}}, other{{{.first = 3, .last = 4}, {.first = 9, .last = 12}}};
  EXPECT_THAT(*all_open_of(one, other),
              ElementsAre(AttemptSpan{.first = 3, .last = 4}, AttemptSpan{.first = 7, .last = 12}));
  EXPECT_EQ(all_open_of(one, std::nullopt), std::nullopt);
  EXPECT_EQ(all_open_of(std::nullopt, one), std::nullopt);
}

TEST(open_attempts, are_written_with_the_fence_and_read_again) {
  const Fence fence{.job_uid = "job", .attempt = 7, .open = {{{.first = 3, .last = 4}, {.first = 6, .last = 7}}}};
  EXPECT_EQ(decode_fence(encode_fence(fence)), fence);
  EXPECT_EQ(decode_fence(R"({"jobUid":"job","attempt":7,"open":[[3]]})"), (Fence{.job_uid = "job", .attempt = 7}));
}

class CountedCalls final : public VolumeCalls {
 public:
  void begin() override { ++count; }
  std::atomic<int> count = 0;
};

class CrowdedVolume : public testing::Test {
 protected:
  CrowdedVolume() {
    auto calls = std::make_shared<CountedCalls>();
    calls_ = calls.get();
    volume_ = posix_volume(directory_.path(), std::make_unique<MarkerFormat>(), std::move(calls));
  }

  // Looks as a start does: which attempts are open, then twice for writers, the second time ahead.
  [[nodiscard]] std::vector<Sighting> start() const {
    const auto fence = read_fence(volume_->files, volume_->layout).value();
    const auto published = has_published(*volume_, fence).value();
    WriterSearch search(volume_->files, volume_->layout, self_);
    search.look_in(open_attempts(fence, published, self_));
    const auto answered = [] { return runtime::Instant(); };
    EXPECT_TRUE(search.look(answered));
    search.look_ahead();
    auto seen = search.look(answered).value();
    return seen;
  }

  static constexpr int kRanks = 64;
  static constexpr int kAttempts = 10;  // the number of files read grows with none of them
  testing_support::TemporaryDirectory directory_;
  CountedCalls* calls_ = nullptr;
  std::shared_ptr<Volume> volume_;
  Identity self_{.job_uid = "job", .pod_uid = "pod", .attempt = kAttempts + 1, .index = 0};
};

TEST_F(CrowdedVolume, costs_a_start_no_more_calls_than_its_last_attempt) {
  for (int attempt = 1; attempt <= kAttempts; ++attempt) put_ended_attempt(volume_->layout, "job", attempt, kRanks);
  put_published(volume_->layout, "job", kAttempts);
  calls_->count = 0;
  EXPECT_THAT(start(), IsEmpty());
  EXPECT_LT(calls_->count, 400);  // two seconds at five milliseconds each
}

TEST_F(CrowdedVolume, of_a_job_before_costs_the_first_start_of_the_next_no_more) {
  for (int attempt = 1; attempt <= kAttempts; ++attempt) put_ended_attempt(volume_->layout, "former", attempt, kRanks);
  put_published(volume_->layout, "former", kAttempts);
  self_.attempt = 1;
  calls_->count = 0;
  EXPECT_THAT(start(), IsEmpty());
  EXPECT_LT(calls_->count, 400);
}

TEST_F(CrowdedVolume, hides_no_writer_of_the_last_attempt_that_published_or_of_one_that_came_after_it) {
  for (int attempt = 1; attempt <= 10; ++attempt) put_ended_attempt(volume_->layout, "job", attempt, 1);
  put_published(volume_->layout, "job", 8);
  self_.attempt = 11;
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "frozen", .attempt = 8, .index = 1});
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "late", .attempt = 10, .index = 3});
  put_heartbeat(volume_->layout, {.job_uid = "former", .pod_uid = "other", .attempt = 11, .index = 5});
  EXPECT_THAT(start(), SizeIs(3));
}

TEST_F(CrowdedVolume, is_read_as_a_whole_where_nothing_says_what_had_ended) {
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "frozen", .attempt = 3, .index = 1});
  EXPECT_THAT(start(), SizeIs(1));
  put_text(volume_->layout.fence(), encode_fence({.job_uid = "job", .attempt = 100}));
  EXPECT_THAT(start(), SizeIs(1));
  put_text(volume_->layout.resume_point(100), encode_resume_point({.job_uid = "another", .attempt = 100}));
  EXPECT_THAT(start(), SizeIs(1));
}

TEST_F(CrowdedVolume, who_had_ended_and_has_a_heartbeat_again_is_seen) {
  put_ended_attempt(volume_->layout, "job", 1, 1);
  WriterSearch search(volume_->files, volume_->layout, self_);
  const auto answered = [] { return runtime::Instant(); };
  EXPECT_THAT(search.look(answered).value(), IsEmpty());
  put_heartbeat(volume_->layout, {.job_uid = "job", .pod_uid = "second", .attempt = 1, .index = 0});
  EXPECT_THAT(search.look(answered).value(), SizeIs(1));
}

// ---- a verdict however slowly the volume answers

// A look in which the volume answers every `pace`; the heartbeat is read in its midst.
Verdict slow_look(WriterWatch& watch, runtime::Instant& now, std::chrono::milliseconds pace, int answers,
                  const std::string& text) {
  watch.begin(now);
  Sighting sighting{.who = "attempt 3 index 0", .file = "f", .text = text, .period = 1s};
  for (int answer = 0; answer < answers; ++answer) {
    watch.answered(now += pace);
    if (answer == answers / 2) sighting.at = now;
  }
  return watch.see(now, {sighting});
}

TEST(writer_watch, a_long_look_at_a_volume_that_answers_ends_with_clear_when_all_are_still) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  EXPECT_EQ(slow_look(watch, now, 5ms, 12'000, "1"), Verdict::Wait);
  EXPECT_EQ(slow_look(watch, now, 5ms, 12'000, "1"), Verdict::Clear);
}

TEST(writer_watch, a_long_look_at_a_volume_that_answers_ends_with_a_rejection_when_one_moves) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  EXPECT_EQ(slow_look(watch, now, 5ms, 12'000, "1"), Verdict::Wait);
  EXPECT_EQ(slow_look(watch, now, 5ms, 12'000, "2"), Verdict::Reject);
}

// At a second a call a heartbeat with a period of one second takes up to six.
TEST(writer_watch, on_a_volume_that_answers_slowly_a_writer_is_given_the_time_that_its_heartbeats_take) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  EXPECT_EQ(slow_look(watch, now, 1s, 3, "1"), Verdict::Wait);
  EXPECT_EQ(slow_look(watch, now, 1s, 3, "1"), Verdict::Wait);
  EXPECT_EQ(slow_look(watch, now, 1s, 3, "1"), Verdict::Wait);
  EXPECT_EQ(slow_look(watch, now, 1s, 3, "2"), Verdict::Wait);
  for (int look = 0; look < 4; ++look) EXPECT_EQ(slow_look(watch, now, 1s, 3, "2"), Verdict::Wait) << look;
  EXPECT_EQ(slow_look(watch, now, 1s, 3, "2"), Verdict::Clear);
}

TEST(writer_watch, a_volume_that_hangs_in_the_midst_of_a_look_makes_nobody_silent) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  EXPECT_EQ(slow_look(watch, now, 5ms, 100, "1"), Verdict::Wait);
  now += 60s;
  EXPECT_EQ(slow_look(watch, now, 5ms, 100, "1"), Verdict::Wait);
  watch.begin(now);
  watch.answered(now += 60s);
  EXPECT_EQ(watch.see(now, {{.who = "w", .file = "f", .text = "1", .period = 1s, .at = now}}), Verdict::Wait);
}

TEST(writer_watch, rejects_nobody_whose_heartbeat_was_not_seen_to_move) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  for (int look = 0; look < 3; ++look) {  // longer than ten periods, and once in each the volume does not answer
    watch.begin(now);
    for (int answer = 0; answer < 120; ++answer) watch.answered(now += answer == 110 ? 2s : 100ms);
    EXPECT_EQ(watch.see(now, {{.who = "w", .file = "f", .text = "1", .period = 1s}}), Verdict::Wait) << look;
  }
  EXPECT_EQ(slow_look(watch, now, 100ms, 120, "1"), Verdict::Clear);
}

TEST(writer_watch, rejects_for_the_one_that_moves_among_those_it_could_not_look_at_for_long_enough) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  const auto look = [&](const std::string& text) {
    watch.begin(now);
    for (int answer = 0; answer < 120; ++answer) watch.answered(now += answer == 110 ? 2s : 100ms);
    return watch.see(now, {{.who = "mover", .file = "m", .text = text, .period = 1s},
                           {.who = "still", .file = "s", .text = "1", .period = 1s}});
  };
  EXPECT_EQ(look("1"), Verdict::Wait);
  EXPECT_EQ(look("2"), Verdict::Wait);
  EXPECT_EQ(look("3"), Verdict::Reject);
  EXPECT_THAT(watch.rejection(), HasSubstr("mover still writes"));
}

TEST(writer_watch, a_volume_that_never_answers_in_time_is_rejected_in_the_end) {
  WriterWatch watch(1s);
  runtime::Instant now{100s};
  Verdict verdict = Verdict::Wait;
  int looks = 0;
  while (verdict == Verdict::Wait && ++looks < 1'000) verdict = slow_look(watch, now, 2s, 3, "1");
  EXPECT_EQ(verdict, Verdict::Reject);
  EXPECT_LE(now, runtime::Instant{100s} + 250s);
  EXPECT_THAT(watch.rejection(), HasSubstr("too slowly"));
}

}  // namespace
}  // namespace reprise::agent
