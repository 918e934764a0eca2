#include "runtime/cache/watch/watch_machine_for_tests.h"
#include "runtime/http/retry_after.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::gone;
using testing::lost;
using testing::WatchMachineTest;

TEST_F(WatchMachineTest, watches_that_end_after_each_event_follow_each_other_no_faster_than_a_short_watch) {
  go_live();
  for (int version = 101; version < 110; ++version) {
    const Instant opened = now;
    now += milliseconds(10);
    event(WatchEventType::Modified, std::to_string(version));
    EXPECT_EQ(find<OpenWatch>(step(WatchClosed{})), nullptr);
    const auto outputs = wait_out();
    ASSERT_NE(find<OpenWatch>(outputs), nullptr);
    EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, std::to_string(version));
    EXPECT_EQ(now - opened, WatchPolicy{}.short_watch);
    step(WatchOpened{});
  }
}

TEST_F(WatchMachineTest, a_watch_that_ends_at_once_with_no_event_backs_off) {
  go_live();
  now += WatchPolicy{}.short_watch;
  event(WatchEventType::Modified, "101");
  step(WatchClosed{});
  step(WatchOpened{});
  EXPECT_EQ(find<OpenWatch>(step(WatchClosed{})), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "101");
}

TEST_F(WatchMachineTest, gone_as_an_error_event_lists_again_after_a_backoff) {
  go_live();
  const auto outputs = error_event(gone);
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, gone_as_a_status_lists_again_after_a_backoff) {
  go_live();
  step(WatchClosed{lost});
  wait_out();
  step(WatchClosed{gone, 410});
  EXPECT_EQ(machine->resource_version(), "");
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, backoff_doubles_from_800_ms_to_30_s) {
  go_live();
  std::vector<milliseconds::rep> delays;
  for (int i = 0; i < 8; ++i) {
    step(WatchClosed{lost});
    delays.push_back(backoff().count());
    wait_out();
  }
  EXPECT_EQ(delays, (std::vector<milliseconds::rep>{799, 1598, 3196, 6393, 12787, 25574, 29970, 29970}));
}

TEST_F(WatchMachineTest, backoff_begins_anew_after_two_healthy_minutes) {
  go_live();
  for (int i = 0; i < 6; ++i) {
    step(WatchClosed{lost});
    wait_out();
  }
  step(WatchOpened{});
  now += seconds(121);
  step(WatchBytes{});
  step(WatchClosed{lost});
  EXPECT_EQ(backoff(), milliseconds(799));
}

TEST_F(WatchMachineTest, a_silent_stream_is_not_healthy_however_long_it_was_open) {
  WatchPolicy patient;
  patient.idle_timeout = seconds(300);
  use(patient);
  go_live();
  for (int i = 0; i < 3; ++i) {
    step(WatchClosed{lost});
    wait_out();
  }
  step(WatchOpened{});
  now += seconds(200);
  step(WatchClosed{lost});
  EXPECT_EQ(backoff(), milliseconds(6393));
}

TEST_F(WatchMachineTest, lists_and_watches_back_off_apart) {
  go_live();
  for (int i = 0; i < 4; ++i) {
    step(WatchClosed{lost});
    wait_out();
  }
  step(WatchClosed{gone, 410});
  EXPECT_EQ(backoff(), milliseconds(799));
  wait_out();
  step(WatchOpened{});
  event(WatchEventType::Bookmark, "200", true);
  step(WatchClosed{lost});
  EXPECT_EQ(backoff(), milliseconds(12787));
}

TEST_F(WatchMachineTest, lists_that_are_gone_again_and_again_back_off_ever_longer) {
  go_live();
  std::vector<milliseconds::rep> delays;
  for (int i = 0; i < 3; ++i) {
    error_event(gone);
    delays.push_back(backoff().count());
    wait_out();
    step(WatchOpened{});
    event(WatchEventType::Bookmark, std::to_string(200 + i), true);
  }
  EXPECT_EQ(delays, (std::vector<milliseconds::rep>{799, 1598, 3196}));
}

TEST_F(WatchMachineTest, forbidden_and_error_events_back_off_ever_longer) {
  step(WatchStarted{});
  step(WatchClosed{Error{ErrorClass::Forbidden, "no", {}}, 403});
  EXPECT_EQ(backoff(), milliseconds(799));
  wait_out();
  step(WatchOpened{});
  error_event({ErrorClass::Unavailable, "etcd leader changed", {}});
  EXPECT_EQ(backoff(), milliseconds(1598));
  wait_out();
  step(WatchClosed{Error{ErrorClass::Forbidden, "no", {}}, 403});
  EXPECT_EQ(backoff(), milliseconds(3196));
}

TEST_F(WatchMachineTest, a_watch_that_brings_only_what_was_known_and_ends_at_once_backs_off) {
  go_live();
  step(WatchClosed{lost});
  wait_out();
  step(WatchOpened{});
  event(WatchEventType::Bookmark, "100");
  EXPECT_EQ(find<OpenWatch>(step(WatchClosed{})), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
}

TEST_F(WatchMachineTest, the_first_request_leaves_at_a_random_moment_of_the_spread) {
  WatchPolicy spread;
  spread.start_spread = seconds(2);
  use(spread);
  EXPECT_TRUE(step(WatchStarted{}).empty());
  EXPECT_EQ(backoff(), milliseconds(1998));
  EXPECT_NE(find<OpenWatch>(wait_out()), nullptr);
}

TEST_F(WatchMachineTest, the_servers_retry_after_is_the_least_delay) {
  go_live();
  step(WatchClosed{lost});
  wait_out();
  step(WatchClosed{Error{ErrorClass::Throttled, "slow down", seconds(17)}, 429});
  EXPECT_EQ(backoff(), seconds(17));
}

TEST_F(WatchMachineTest, no_retry_after_blinds_a_watch_for_more_than_a_minute) {
  go_live();
  for (const auto retry_after :
       {milliseconds(seconds(61)), milliseconds(seconds(3'600)), Duration::max() / 2, Duration::max()}) {
    step(WatchClosed{Error{ErrorClass::Unavailable, "a gateway's page", retry_after}, 503});
    EXPECT_EQ(backoff(), longest_retry_after) << retry_after.count();
    wait_out();
  }
}

TEST_F(WatchMachineTest, silence_does_not_lengthen_the_backoff) {
  go_live();
  for (int i = 0; i < 4; ++i) {
    wait_out();
    step(WatchOpened{});
  }
  step(WatchClosed{lost});
  EXPECT_EQ(backoff(), milliseconds(799));
}

TEST_F(WatchMachineTest, a_streaming_list_that_freezes_is_listed_in_pages_once_and_streamed_the_next_time) {
  step(WatchStarted{});
  step(WatchOpened{});
  now += seconds(59);
  event(WatchEventType::Added, "5");
  EXPECT_EQ(backoff(), seconds(1));
  now += seconds(1);
  const auto outputs = step(WatchTick{});
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  EXPECT_NE(find<FetchPage>(outputs), nullptr);
  EXPECT_FALSE(rejections.streaming_lists);
  step(PageArrived{"100", ""});
  step(WatchOpened{});
  error_event(gone);
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, a_page_that_fails_after_a_freeze_leads_back_to_a_streaming_list) {
  step(WatchStarted{});
  step(WatchOpened{});
  EXPECT_NE(find<FetchPage>(wait_out()), nullptr);
  step(PageFailed{lost});
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, bookmarks_without_the_end_of_the_initial_state_tell_a_server_without_streaming_lists) {
  step(WatchStarted{});
  step(WatchOpened{});
  event(WatchEventType::Added, "5");
  event(WatchEventType::Bookmark, "100");
  EXPECT_NE(find<FetchPage>(wait_out()), nullptr);
  EXPECT_TRUE(machine->uses_paged_lists());
  step(PageArrived{"100", ""});
  step(WatchOpened{});
  error_event(gone);
  EXPECT_NE(find<FetchPage>(wait_out()), nullptr);
}

TEST_F(WatchMachineTest, forbidden_is_no_reason_to_fall_back_but_to_wait) {
  step(WatchStarted{});
  const auto outputs = step(WatchClosed{Error{ErrorClass::Forbidden, "no", {}}, 403});
  EXPECT_EQ(find<FetchPage>(outputs), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
  EXPECT_FALSE(machine->uses_paged_lists());
}

TEST_F(WatchMachineTest, a_page_that_fails_begins_the_list_anew_after_a_backoff) {
  WatchPolicy paged;
  paged.streaming_list = false;
  use(paged);
  step(WatchStarted{});
  step(PageArrived{"100", "more"});
  step(PageFailed{gone});
  const auto outputs = wait_out();
  EXPECT_NE(find<BeginSnapshot>(outputs), nullptr);
  EXPECT_EQ(find<FetchPage>(outputs)->continue_token, "");
}

}  // namespace
}  // namespace reprise::runtime
