#include "runtime/cache/watch/watch_machine_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::lost;
using testing::WatchMachineTest;

TEST_F(WatchMachineTest, a_lost_stream_is_resumed_from_the_last_version_seen) {
  go_live();
  event(WatchEventType::Modified, "101");
  event(WatchEventType::Bookmark, "150");
  step(WatchClosed{lost});
  EXPECT_EQ(machine->state(), WatchState::Waiting);
  const auto outputs = wait_out();
  ASSERT_NE(find<OpenWatch>(outputs), nullptr);
  EXPECT_FALSE(find<OpenWatch>(outputs)->initial_events);
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "150");
}

TEST_F(WatchMachineTest, an_orderly_end_is_resumed_at_once) {
  go_live();
  now += WatchPolicy{}.short_watch;
  event(WatchEventType::Modified, "101");
  EXPECT_NE(find<OpenWatch>(step(WatchClosed{})), nullptr);
}

TEST_F(WatchMachineTest, an_error_event_that_is_not_gone_keeps_the_version) {
  go_live();
  error_event({ErrorClass::Unavailable, "etcd leader changed", {}});
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "100");
}

TEST_F(WatchMachineTest, a_stream_without_a_byte_for_75_s_is_opened_again_at_once) {
  go_live();
  now += seconds(70);
  step(WatchBytes{});
  now += seconds(74);
  EXPECT_TRUE(step(WatchTick{}).empty());
  now += seconds(1);
  const auto outputs = step(WatchTick{});
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  ASSERT_NE(find<OpenWatch>(outputs), nullptr);
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "100");
}

TEST_F(WatchMachineTest, a_kind_to_which_nothing_happens_is_asked_for_ever_less_often_until_a_bookmark_comes) {
  go_live();
  std::vector<seconds::rep> silences;
  for (int i = 0; i < 4; ++i) {
    silences.push_back(std::chrono::duration_cast<seconds>(*machine->deadline() - now).count());
    const auto outputs = wait_out();
    ASSERT_NE(find<OpenWatch>(outputs), nullptr);
    EXPECT_FALSE(find<Note>(outputs)->warning);
    step(WatchOpened{});
  }
  EXPECT_EQ(silences, (std::vector<seconds::rep>{75, 150, 244, 244}));  // the server's 230 s and 15 s
  event(WatchEventType::Bookmark, "150");
  EXPECT_EQ(*machine->deadline() - now, seconds(75));
  step(WatchClosed{lost});
  EXPECT_EQ(find<OpenWatch>(wait_out())->idle_timeout, seconds(75));
}

TEST_F(WatchMachineTest, a_stream_of_bookmarks_only_stays_alive_and_moves_on) {
  go_live();
  for (int i = 0; i < 10; ++i) {
    now += seconds(60);
    EXPECT_TRUE(step(WatchTick{}).empty());
    event(WatchEventType::Bookmark, std::to_string(200 + i));
  }
  EXPECT_EQ(machine->state(), WatchState::Live);
  EXPECT_EQ(machine->resource_version(), "209");
}

TEST_F(WatchMachineTest, no_answer_to_an_open_is_given_up_after_30_s) {
  step(WatchStarted{});
  now += seconds(30);
  EXPECT_NE(find<CloseWatch>(step(WatchTick{})), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
}

TEST_F(WatchMachineTest, nothing_happens_after_stop) {
  go_live();
  EXPECT_NE(find<CloseWatch>(step(WatchStop{})), nullptr);
  EXPECT_TRUE(step(WatchClosed{lost}).empty());
  EXPECT_EQ(machine->deadline(), std::nullopt);
}

}  // namespace
}  // namespace reprise::runtime
