#include "runtime/cache/watch_machine.h"

#include <gtest/gtest.h>

#include <memory>

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(double value) : value_(value) {}
  double uniform() override { return value_; }

 private:
  double value_;
};

const Error lost{ErrorClass::Unavailable, "connection reset", {}};
const Error gone{ErrorClass::Expired, "too old resource version", {}};

struct WatchMachineTest : ::testing::Test {
  template <class Output>
  static const Output* find(const std::vector<WatchOutput>& outputs) {
    for (const WatchOutput& output : outputs) {
      if (const auto* found = std::get_if<Output>(&output)) return found;
    }
    return nullptr;
  }
  std::vector<WatchOutput> step(const WatchInput& input) {
    WatchMachine::Outputs outputs;
    machine->step(now, input, outputs);
    return outputs;
  }
  std::vector<WatchOutput> event(WatchEventType type, const std::string& version, bool end = false) {
    WatchEvent seen;
    seen.type = type;
    seen.resource_version = version;
    seen.initial_events_end = end;
    return step(&seen);
  }
  std::vector<WatchOutput> error_event(const Error& error) {
    WatchEvent seen;
    seen.type = WatchEventType::Error;
    seen.error = error;
    return step(&seen);
  }
  void use(const WatchPolicy& policy, Encoding encoding = Encoding::Protobuf) {
    machine = std::make_unique<WatchMachine>(policy, encoding, random, refusals);
  }
  // To Live at version 100.
  void go_live() {
    step(WatchStarted{});
    step(WatchOpened{});
    event(WatchEventType::Added, "7");
    event(WatchEventType::Bookmark, "100", true);
    ASSERT_EQ(machine->state(), WatchState::Live);
  }
  std::vector<WatchOutput> wait_out() {
    now = *machine->deadline();
    return step(WatchTick{});
  }
  Duration backoff() const { return std::chrono::duration_cast<Duration>(*machine->deadline() - now); }

  Instant now{std::chrono::hours{1}};
  FixedRandom random{0.999};
  WatchRefusals refusals;
  std::unique_ptr<WatchMachine> machine =
      std::make_unique<WatchMachine>(WatchPolicy{}, Encoding::Protobuf, random, refusals);
};

TEST_F(WatchMachineTest, a_cache_begins_with_a_streaming_list_of_the_newest_state) {
  const auto outputs = step(WatchStarted{});
  const auto* open = find<OpenWatch>(outputs);
  ASSERT_NE(open, nullptr);
  EXPECT_TRUE(open->initial_events);
  EXPECT_EQ(open->resource_version, "");
  EXPECT_GE(open->server_timeout, seconds(180));
  EXPECT_LT(open->server_timeout, seconds(230));
}

TEST_F(WatchMachineTest, initial_events_build_a_snapshot_that_is_committed_at_once) {
  step(WatchStarted{});
  EXPECT_NE(find<BeginSnapshot>(step(WatchOpened{})), nullptr);
  const auto added = event(WatchEventType::Added, "90");
  EXPECT_NE(find<AddToSnapshot>(added), nullptr);
  EXPECT_EQ(find<ApplyEvent>(added), nullptr);
  const auto ended = event(WatchEventType::Bookmark, "100", true);
  ASSERT_NE(find<CommitSnapshot>(ended), nullptr);
  EXPECT_EQ(find<CommitSnapshot>(ended)->resource_version, "100");
}

TEST_F(WatchMachineTest, versions_of_initial_events_are_never_resumed_from) {
  step(WatchStarted{});
  step(WatchOpened{});
  event(WatchEventType::Added, "90");
  event(WatchEventType::Bookmark, "95");
  EXPECT_EQ(machine->resource_version(), "");
  step(WatchClosed{lost});
  const auto outputs = wait_out();
  ASSERT_NE(find<OpenWatch>(outputs), nullptr);
  EXPECT_TRUE(find<OpenWatch>(outputs)->initial_events);
}

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

TEST_F(WatchMachineTest, the_first_list_after_gone_is_not_older_than_what_was_seen_and_the_next_the_newest) {
  go_live();
  event(WatchEventType::Modified, "101");
  error_event(gone);
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "101");
  step(WatchClosed{lost});  // a lost connection says nothing about the version
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "101");
  step(WatchClosed{gone, 410});
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "");
  step(WatchOpened{});
  error_event(gone);
  const auto outputs = wait_out();
  EXPECT_TRUE(find<OpenWatch>(outputs)->initial_events);
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "");
}

TEST_F(WatchMachineTest, a_list_that_arrived_is_watched_from_its_own_version_whatever_was_asked_for) {
  go_live();
  error_event(gone);
  wait_out();
  step(WatchOpened{});
  event(WatchEventType::Bookmark, "80", true);  // a cluster restored from a backup
  EXPECT_EQ(machine->resource_version(), "80");
  error_event(gone);
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "80");
}

TEST_F(WatchMachineTest, pages_never_name_a_version) {
  refusals.streaming_lists = true;
  use(WatchPolicy{});
  step(WatchStarted{});
  step(PageArrived{"100", ""});
  step(WatchOpened{});
  error_event(gone);
  const auto outputs = wait_out();
  ASSERT_NE(find<FetchPage>(outputs), nullptr);
  EXPECT_EQ(find<FetchPage>(outputs)->continue_token, "");
}

TEST_F(WatchMachineTest, gone_as_a_status_lists_again_after_a_backoff) {
  go_live();
  step(WatchClosed{lost});
  wait_out();
  step(WatchClosed{gone, 410});
  EXPECT_EQ(machine->resource_version(), "");
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, an_error_event_that_is_not_gone_keeps_the_version) {
  go_live();
  error_event({ErrorClass::Unavailable, "etcd leader changed", {}});
  EXPECT_EQ(find<OpenWatch>(wait_out())->resource_version, "100");
}

TEST_F(WatchMachineTest, a_refused_connection_watches_again_and_never_lists) {
  go_live();
  for (int i = 0; i < 20; ++i) {
    step(WatchClosed{lost});
    const auto outputs = wait_out();
    ASSERT_NE(find<OpenWatch>(outputs), nullptr);
    EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "100");
  }
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

TEST_F(WatchMachineTest, silence_does_not_lengthen_the_backoff) {
  go_live();
  for (int i = 0; i < 4; ++i) {
    wait_out();
    step(WatchOpened{});
  }
  step(WatchClosed{lost});
  EXPECT_EQ(backoff(), milliseconds(799));
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

TEST_F(WatchMachineTest, a_missing_end_of_initial_events_falls_back_to_pages_for_good) {
  step(WatchStarted{});
  step(WatchOpened{});
  now += seconds(59);
  event(WatchEventType::Added, "5");
  now += seconds(1);
  const auto outputs = step(WatchTick{});
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  EXPECT_NE(find<FetchPage>(outputs), nullptr);
  EXPECT_TRUE(machine->uses_paged_lists());
  step(PageArrived{"100", ""});
  step(WatchOpened{});
  error_event(gone);
  EXPECT_NE(find<FetchPage>(wait_out()), nullptr);
}

TEST_F(WatchMachineTest, a_server_that_refuses_streaming_lists_is_asked_for_pages) {
  for (const int status : {400, 405, 422}) {
    refusals = {};
    use(WatchPolicy{});
    step(WatchStarted{});
    const auto outputs = step(WatchClosed{Error{ErrorClass::Invalid, "no", {}}, status});
    EXPECT_NE(find<FetchPage>(outputs), nullptr) << status;
  }
}

TEST_F(WatchMachineTest, forbidden_is_no_reason_to_fall_back_but_to_wait) {
  step(WatchStarted{});
  const auto outputs = step(WatchClosed{Error{ErrorClass::Forbidden, "no", {}}, 403});
  EXPECT_EQ(find<FetchPage>(outputs), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
  EXPECT_FALSE(machine->uses_paged_lists());
}

TEST_F(WatchMachineTest, pages_are_followed_to_the_end_then_watched_from_their_version) {
  WatchPolicy paged;
  paged.streaming_list = false;
  use(paged);
  EXPECT_NE(find<BeginSnapshot>(step(WatchStarted{})), nullptr);
  EXPECT_EQ(find<FetchPage>(step(PageArrived{"100", "more"}))->continue_token, "more");
  const auto outputs = step(PageArrived{"100", ""});
  EXPECT_EQ(find<CommitSnapshot>(outputs)->resource_version, "100");
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "100");
  EXPECT_FALSE(find<OpenWatch>(outputs)->initial_events);
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

TEST_F(WatchMachineTest, a_refused_streaming_list_is_remembered_by_the_other_watches_of_the_kind) {
  step(WatchStarted{});
  step(WatchClosed{Error{ErrorClass::Invalid, "no", {}}, 400});
  use(WatchPolicy{});
  EXPECT_NE(find<FetchPage>(step(WatchStarted{})), nullptr);
}

TEST_F(WatchMachineTest, refused_protobuf_is_asked_for_in_json_at_once_and_remembered) {
  for (const int status : {406, 415}) {
    refusals = {};
    use(WatchPolicy{});
    EXPECT_EQ(find<OpenWatch>(step(WatchStarted{}))->encoding, Encoding::Protobuf);
    const auto outputs = step(WatchClosed{Error{ErrorClass::Invalid, "not acceptable", {}}, status});
    ASSERT_NE(find<OpenWatch>(outputs), nullptr) << status;
    EXPECT_EQ(find<OpenWatch>(outputs)->encoding, Encoding::Json);
    EXPECT_TRUE(find<OpenWatch>(outputs)->initial_events);
    EXPECT_NE(find<Note>(outputs), nullptr);
    EXPECT_TRUE(refusals.protobuf);
  }
}

TEST_F(WatchMachineTest, refused_json_is_an_error_and_no_reason_to_ask_at_once) {
  use(WatchPolicy{}, Encoding::Json);
  step(WatchStarted{});
  EXPECT_EQ(find<OpenWatch>(step(WatchClosed{Error{ErrorClass::Invalid, "not acceptable", {}}, 406})), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
}

TEST_F(WatchMachineTest, a_page_refused_in_protobuf_is_fetched_in_json) {
  refusals.streaming_lists = true;
  use(WatchPolicy{});
  EXPECT_EQ(find<FetchPage>(step(WatchStarted{}))->encoding, Encoding::Protobuf);
  const auto outputs = step(PageFailed{Error{ErrorClass::Invalid, "not acceptable", {}}, 406});
  ASSERT_NE(find<FetchPage>(outputs), nullptr);
  EXPECT_EQ(find<FetchPage>(outputs)->encoding, Encoding::Json);
}

TEST_F(WatchMachineTest, an_answer_in_json_is_noted_once_and_json_is_asked_for_from_then_on) {
  step(WatchStarted{});
  step(WatchOpened{});
  EXPECT_NE(find<Note>(step(AnsweredInJson{})), nullptr);
  EXPECT_EQ(find<Note>(step(AnsweredInJson{})), nullptr);
  step(WatchClosed{lost});
  EXPECT_EQ(find<OpenWatch>(wait_out())->encoding, Encoding::Json);
}

TEST_F(WatchMachineTest, nothing_happens_after_stop) {
  go_live();
  EXPECT_NE(find<CloseWatch>(step(WatchStop{})), nullptr);
  EXPECT_TRUE(step(WatchClosed{lost}).empty());
  EXPECT_EQ(machine->deadline(), std::nullopt);
}

}  // namespace
}  // namespace reprise::runtime
