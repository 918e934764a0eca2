// A fence is read and written in two steps. Whoever stands still in between writes an old one over a newer attempt's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/fencing/writers.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;
using testing_support::put_heartbeat;
using testing_support::put_published;

class LoweredFence : public testing_support::VolumeTest {
 protected:
  LoweredFence() {
    newer_.attempt = self_.attempt + 1;
    newer_.pod_uid = "newer pod";
    put_published(volume_->layout, self_.job_uid, self_.attempt - 1);
    // The older has read the fence and not yet written its own.
    int calls = 0;
    calls_->on_call = [this, calls]() mutable {
      if (++calls == 2) {
        EXPECT_TRUE(raise_fence(elsewhere_, volume_->layout, newer_).has_value());
      }
    };
    EXPECT_TRUE(raise_fence(volume_->files, volume_->layout, self_));
    calls_->on_call = nullptr;
    EXPECT_EQ(fence(), self_.attempt);
  }
  [[nodiscard]] std::int32_t fence() const { return (*read_fence(elsewhere_, volume_->layout))->attempt; }

  Identity newer_ = self_;
  PosixFiles elsewhere_{std::make_shared<VolumeCalls>(), root()};
};

TEST_F(LoweredFence, is_raised_again_with_the_newer_attempts_next_heartbeat_and_ends_the_older) {
  HeartbeatWriter newer(elsewhere_, volume_->layout, newer_, 1s);
  newer.own_fence_raised();
  EXPECT_TRUE(newer.next().raised_again);
  EXPECT_EQ(fence(), newer_.attempt);
  EXPECT_FALSE(newer.next().raised_again);
  HeartbeatWriter older(volume_->files, volume_->layout, self_, 1s);
  older.own_fence_raised();
  EXPECT_THAT(older.next().fenced, HasSubstr("attempt " + std::to_string(newer_.attempt)));
}

TEST_F(LoweredFence, is_left_alone_by_a_rank_that_has_not_raised_it) {
  HeartbeatWriter rank(elsewhere_, volume_->layout, newer_, 1s);
  EXPECT_FALSE(rank.next().raised_again);
  EXPECT_EQ(fence(), self_.attempt);
}

TEST_F(LoweredFence, does_not_hide_the_newer_attempt_from_the_older_one) {
  put_heartbeat(volume_->layout, newer_);
  put_heartbeat(volume_->layout, {.job_uid = "former", .pod_uid = "settled", .attempt = self_.attempt + 2});
  WriterSearch search(volume_->files, volume_->layout, self_);
  search.look_ahead();
  search.look_in({{{.first = self_.attempt - 1, .last = self_.attempt}}});
  const auto seen = search.look([] { return runtime::Instant(); });
  ASSERT_TRUE(seen);
  ASSERT_THAT(*seen, SizeIs(1));
  EXPECT_THAT(seen->front().who, HasSubstr("newer pod"));
}

}  // namespace
}  // namespace reprise::agent
