// A heart that stops has ended its trainer before somebody else may take it for dead.
#include "agent/core/heartbeats/own_heart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <thread>

#include "agent/core/fencing/writers.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using runtime::Instant;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::put_end;
using testing_support::put_heartbeat;
using testing_support::put_text;
using Verdict = WriterWatch::Verdict;

TEST(OwnHeart, stops_only_after_several_heartbeats_were_refused_in_a_row) {
  OwnHeart heart(8s);
  heart.beat(Instant(100s), false);
  EXPECT_FALSE(heart.has_stopped()) << "nobody has ever seen it";
  heart.beat(Instant(200s), true);
  heart.beat(Instant(208s), false);
  EXPECT_FALSE(heart.has_stopped());
  heart.beat(Instant(213s), false);
  EXPECT_FALSE(heart.has_stopped());
  heart.beat(Instant(214s), false);
  EXPECT_TRUE(heart.has_stopped());
  heart.beat(Instant(215s), true);
  EXPECT_FALSE(heart.has_stopped());
}

// Its writer tries again after each refusal, as a start has it; a looker of any pace looks four times a period.
struct Ends {
  Instant own, others;
};

Ends ends_after(std::chrono::milliseconds period, std::chrono::milliseconds lookers, std::chrono::milliseconds shift) {
  const Instant last(1'000s);
  OwnHeart heart(period);
  heart.beat(last, true);
  Ends ends;
  for (auto at = last + period; !heart.has_stopped(); at += heart.pause()) {
    heart.beat(at, false);
    ends.own = at;
  }
  WriterWatch watch(lookers);
  const std::vector<Sighting> still{{.who = "w", .file = "f", .text = "1", .period = period}};
  for (auto at = last + shift;; at += lookers / 4) {
    ends.others = at;
    if (watch.see(at, still) == Verdict::Clear) return ends;
  }
}

TEST(OwnHeart, has_ended_its_trainer_before_anybody_else_may_take_it_for_dead) {
  for (const auto period : {100ms, 1'000ms, 5'000ms, 60'000ms})
    for (const auto lookers : {100ms, 1'000ms, 5'000ms, 60'000ms})
      for (const auto shift : {0ms, 37ms}) {
        const auto [own, others] = ends_after(period, lookers, shift);
        EXPECT_LE(own + period / 4, others) << period.count() << " " << lookers.count() << " " << shift.count();
      }
}

// ---- where nothing can be written any more

// A file system that copies on write takes no text when it is full, old or new.
class FullBtrfs : public testing_support::VolumeTest {
 protected:
  struct Calls : VolumeCalls {
    std::int64_t write(int fd, std::string_view bytes) override {
      return full ? -ENOSPC : VolumeCalls::write(fd, bytes);
    }
    int allocate(int fd, std::int64_t size) override { return full ? ENOSPC : VolumeCalls::allocate(fd, size); }
    MountKind kind(int fd) override { return mount ? *mount : VolumeCalls::kind(fd); }
    bool full = false;
    std::optional<MountKind> mount;
  };
  FullBtrfs() { files_calls_->mount = MountKind{.type = "btrfs", .proof = DurabilityProof::Sync}; }
  std::shared_ptr<Calls> files_calls_ = std::make_shared<Calls>();
  PosixFiles files_{files_calls_, root(), "older"};
  Identity older_{.job_uid = "job", .pod_uid = "older", .attempt = 1, .index = 0};
  HeartbeatWriter writer_{files_, volume_->layout, older_, 1s};
};

TEST_F(FullBtrfs, a_heartbeat_moves_by_its_time_and_is_seen) {
  ASSERT_TRUE(writer_.next().placed);
  files_calls_->full = true;
  WriterSearch search(files_, volume_->layout, self_);
  std::set<std::string> seen;
  for (int beat = 0; beat < 3; ++beat) {
    std::this_thread::sleep_for(20ms);
    const auto outcome = writer_.next();
    EXPECT_TRUE(outcome.placed);
    EXPECT_THAT(outcome.problem, HasSubstr("No space left on device"));
    const auto sightings = search.look([] { return Instant(); }).value();
    ASSERT_THAT(sightings, SizeIs(1));
    seen.insert(sightings[0].text);
  }
  EXPECT_THAT(seen, SizeIs(3));
  const auto last = search.look([] { return Instant(); }).value();
  EXPECT_TRUE(seen.contains(last[0].text)) << "nobody else moves it";
}

TEST_F(FullBtrfs, who_was_never_seen_is_not_seen_by_a_time) {
  files_calls_->full = true;
  put_heartbeat(volume_->layout, older_);
  EXPECT_FALSE(writer_.next().placed);
}

TEST_F(FullBtrfs, on_a_mount_by_fuse_a_time_says_nothing) {
  files_calls_->mount = MountKind{.type = "fuse.x", .fuse = true};
  ASSERT_TRUE(writer_.next().placed);
  files_calls_->full = true;
  EXPECT_FALSE(writer_.next().placed);
}

// ---- what is gone for a moment, or cannot be read

class Moment : public testing_support::VolumeTest {
 protected:
  [[nodiscard]] std::vector<Sighting> look() {
    return search_.look([] { return Instant(); }).value();
  }
  [[nodiscard]] std::filesystem::path fence() const { return volume_->layout.fence(); }

  Identity older_{.job_uid = "job", .pod_uid = "older", .attempt = 1, .index = 0};
  WriterSearch search_{volume_->files, volume_->layout, self_};
};

TEST_F(Moment, a_writer_that_is_missing_at_one_look_is_still_there) {
  put_heartbeat(volume_->layout, older_, 1);
  ASSERT_THAT(look(), SizeIs(1));
  std::filesystem::remove(volume_->layout.alive(1, 0));
  EXPECT_THAT(look(), SizeIs(1));
  put_heartbeat(volume_->layout, older_, 2);
  EXPECT_THAT(look(), SizeIs(1));
  std::filesystem::remove(volume_->layout.alive(1, 0));
  EXPECT_THAT(look(), SizeIs(1));
  EXPECT_THAT(look(), IsEmpty()) << "missing twice in a row it has gone";
}

TEST_F(Moment, a_writer_that_has_ended_is_not_missed) {
  put_heartbeat(volume_->layout, older_, 1);
  ASSERT_THAT(look(), SizeIs(1));
  put_end(volume_->layout, older_);
  EXPECT_THAT(look(), IsEmpty());
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(Moment, a_heartbeat_that_cannot_be_read_is_whose_it_was_and_as_slow) {
  put_text(volume_->layout.alive(1, 0), encode_heartbeat({.who = older_, .counter = 1, .period = 60s}));
  const Identity peer{.job_uid = "job", .pod_uid = "peer", .attempt = self_.attempt, .index = 1};
  put_heartbeat(volume_->layout, peer);
  ASSERT_THAT(look(), SizeIs(1));
  for (const auto& file : {volume_->layout.alive(1, 0), volume_->layout.alive(self_.attempt, 1)}) put_text(file, "");
  const auto seen = look();
  ASSERT_THAT(seen, SizeIs(1)) << "a peer is none";
  EXPECT_EQ(seen[0].period, 60s);
  EXPECT_THAT(seen[0].who, HasSubstr("pod UID older"));
}

TEST_F(Moment, a_later_attempt_whose_heartbeat_cannot_be_read_is_looked_into) {
  search_.look_in({{{.first = 2, .last = 2}}});
  search_.look_ahead();
  put_text(volume_->layout.alive(3, 0), R"({"counter":1,"jobUid)");
  EXPECT_THAT(look(), SizeIs(1));
}

TEST_F(Moment, a_fence_that_cannot_be_read_is_no_missing_fence) {
  EXPECT_FALSE(read_fence(volume_->files, volume_->layout).value());
  for (const char* text : {"", "{\"jobUid\":\"job\",\"att", "null", "{}"}) {
    put_text(fence(), text);
    const auto read = read_fence(volume_->files, volume_->layout);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().error_class, runtime::ErrorClass::Invalid);
    EXPECT_FALSE(raise_fence(volume_->files, volume_->layout, self_)) << text;
    EXPECT_EQ(testing_support::text_in(fence()), text);
  }
}

class OwnFence : public Moment {
 protected:
  OwnFence() {
    EXPECT_TRUE(raise_fence(volume_->files, volume_->layout, self_));
    writer_.own_fence_raised();
    EXPECT_THAT(writer_.next().problem, IsEmpty());
  }
  HeartbeatWriter writer_{volume_->files, volume_->layout, self_, 1s};
};

TEST_F(OwnFence, a_fence_that_is_missing_for_a_moment_is_not_raised_over_a_newer_one) {
  std::filesystem::remove(fence());
  EXPECT_FALSE(writer_.next().raised_again);
  put_text(fence(), encode_fence({.job_uid = "job", .attempt = 9}));
  EXPECT_THAT(writer_.next().fenced, HasSubstr("attempt 9"));
}

TEST_F(OwnFence, a_fence_that_is_damaged_for_a_moment_is_waited_for_and_then_raised_again) {
  put_text(fence(), "{\"jobUid\":\"job\",\"att");
  auto outcome = writer_.next();
  EXPECT_THAT(outcome.problem, HasSubstr("cannot be read"));
  EXPECT_TRUE(outcome.placed);
  EXPECT_FALSE(outcome.raised_again);
  outcome = writer_.next();
  EXPECT_TRUE(outcome.raised_again);
  EXPECT_EQ(read_fence(volume_->files, volume_->layout).value()->attempt, self_.attempt);
}

TEST_F(OwnFence, a_rank_that_has_not_raised_the_damaged_fence_leaves_it) {
  HeartbeatWriter rank(volume_->files, volume_->layout, {.job_uid = "job", .pod_uid = "r", .attempt = 2, .index = 1},
                       1s);
  put_text(fence(), "");
  for (int beat = 0; beat < 4; ++beat) EXPECT_FALSE(rank.next().raised_again);
  EXPECT_EQ(testing_support::text_in(fence()), "");
}

TEST_F(OwnFence, a_heartbeat_of_another_pod_that_is_half_there_is_read_again) {
  int calls = 0;
  put_text(volume_->layout.alive(2, 0), "{\"counter\":7,");
  calls_->on_call = [&] {
    Identity usurper = self_;
    usurper.pod_uid = "usurper";
    if (++calls == 2) put_heartbeat(volume_->layout, usurper);
  };
  EXPECT_THAT(writer_.next().fenced, HasSubstr("usurper"));
}

}  // namespace
}  // namespace reprise::agent
