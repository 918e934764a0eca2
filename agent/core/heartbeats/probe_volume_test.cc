// How often an agent gives a sign of life on which volume, and what that means for one that looks at it.
#include "agent/core/heartbeats/probe_volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/fencing/writers.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Verdict = WriterWatch::Verdict;

TEST(HeartbeatPeriod, is_longer_where_each_heartbeat_is_a_paid_request) {
  const Environment env;
  EXPECT_EQ(heartbeat_period(env, std::nullopt), 5s);
  EXPECT_EQ(heartbeat_period(env, MountKind{.type = "ext4", .proof = DurabilityProof::Sync}), 5s);
  EXPECT_EQ(heartbeat_period(env, MountKind{.type = "fuse.sshfs", .fuse = true}), 5s);
  EXPECT_EQ(heartbeat_period(env, MountKind{.type = "fuse.gcsfuse", .fuse = true, .object_store = true}), 60s);
}

TEST(HeartbeatPeriod, is_never_so_short_that_a_cache_passes_no_heartbeat_on) {
  Environment env;
  env.heartbeat_period = env.object_store_heartbeat_period = 4s;
  const MountKind rclone{.type = "fuse.rclone", .fuse = true, .object_store = true, .holds_back = 5s};
  EXPECT_GT(heartbeat_period(env, rclone), 2 * rclone.holds_back);
  EXPECT_EQ(heartbeat_period(env, MountKind{.type = "fuse.gcsfuse", .fuse = true, .object_store = true}), 4s);
}

TEST(HeartbeatPeriod, an_agent_says_where_its_heartbeats_reach_no_other_node) {
  EXPECT_THAT(said_of_reach(MountKind{.type = "fuse.rclone", .one_node = true}), HasSubstr("one node only"));
  EXPECT_EQ(said_of_reach(MountKind{.type = "nfs4"}), "");
  EXPECT_EQ(said_of_reach(std::nullopt), "");
}

// Two agents of different paces on one volume: one of them writes, the other looks whether it still does.
class Paces : public testing_support::VolumeTest {
 protected:
  void write(std::chrono::milliseconds period) {
    const Identity older{.job_uid = "job", .pod_uid = "older", .attempt = 1, .index = 0};
    testing_support::put_text(volume_->layout.alive(1, 0),
                              encode_heartbeat({.who = older, .counter = ++counter_, .period = period}));
  }
  // Looks four times a period of its own for so long; the writer writes at each `period` while `lives`.
  Verdict watch(std::chrono::milliseconds own, std::chrono::milliseconds period, std::chrono::seconds for_long,
                bool lives) {
    WriterSearch search(volume_->files, volume_->layout, self_);
    WriterWatch watch(own);
    write(period);
    Verdict verdict = Verdict::Wait;
    auto written = runtime::Instant{100s};
    for (auto now = written; now < runtime::Instant{100s} + for_long && verdict == Verdict::Wait; now += own / 4) {
      while (lives && now - written >= period) {
        written += period;
        write(period);
      }
      verdict = watch.see(now, search.look([now] { return now; }).value());
    }
    rejection_ = watch.rejection();
    return verdict;
  }

  std::uint64_t counter_ = 0;
  std::string rejection_;
};

TEST_F(Paces, a_slow_heartbeat_is_never_silent_to_a_fast_agent) {
  EXPECT_EQ(watch(5s, 60s, 149s, false), Verdict::Wait) << "two and a half periods of the slow one";
  EXPECT_EQ(watch(5s, 60s, 160s, false), Verdict::Clear);
  EXPECT_EQ(watch(5s, 60s, 590s, true), Verdict::Wait);
  EXPECT_EQ(watch(5s, 60s, 700s, true), Verdict::Reject);
  EXPECT_THAT(rejection_, HasSubstr("attempt 1 index 0 of this job"));
}

TEST_F(Paces, a_fast_heartbeat_is_never_silent_to_a_slow_agent) {
  EXPECT_EQ(watch(60s, 5s, 140s, false), Verdict::Wait);
  EXPECT_EQ(watch(60s, 5s, 200s, false), Verdict::Clear);
  EXPECT_EQ(watch(60s, 5s, 590s, true), Verdict::Wait);
  EXPECT_EQ(watch(60s, 5s, 700s, true), Verdict::Reject);
}

TEST_F(Paces, a_heartbeat_that_says_no_period_is_given_the_looker_s_own) {
  EXPECT_EQ(watch(60s, 0ms, 140s, false), Verdict::Wait);
  EXPECT_EQ(watch(60s, 0ms, 200s, false), Verdict::Clear);
}

}  // namespace
}  // namespace reprise::agent
