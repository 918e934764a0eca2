#include "runtime/cache/watch/watch_machine_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::gone;
using testing::lost;
using testing::WatchMachineTest;

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
  EXPECT_NE(find<BeginSnapshot>(step(WatchStarted{})), nullptr);
  step(WatchOpened{});
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
  rejections.streaming_lists = true;
  use(WatchPolicy{});
  step(WatchStarted{});
  step(PageArrived{"100", ""});
  step(WatchOpened{});
  error_event(gone);
  const auto outputs = wait_out();
  ASSERT_NE(find<FetchPage>(outputs), nullptr);
  EXPECT_EQ(find<FetchPage>(outputs)->continue_token, "");
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

TEST_F(WatchMachineTest, a_server_that_rejects_streaming_lists_is_asked_for_pages) {
  for (const int status : {400, 405, 422}) {
    rejections = {};
    use(WatchPolicy{});
    step(WatchStarted{});
    const auto outputs = step(WatchClosed{Error{ErrorClass::Invalid, "no", {}}, status});
    EXPECT_NE(find<FetchPage>(outputs), nullptr) << status;
  }
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

TEST_F(WatchMachineTest, a_rejected_streaming_list_is_remembered_by_the_other_watches_of_the_kind) {
  step(WatchStarted{});
  step(WatchClosed{Error{ErrorClass::Invalid, "no", {}}, 400});
  use(WatchPolicy{});
  EXPECT_NE(find<FetchPage>(step(WatchStarted{})), nullptr);
}

TEST_F(WatchMachineTest, looking_again_continues_from_the_version_with_a_watch_that_soon_brings_a_bookmark) {
  go_live();
  const auto outputs = step(LookAgain{});
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  ASSERT_NE(find<OpenWatch>(outputs), nullptr);
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "100");
  EXPECT_FALSE(find<OpenWatch>(outputs)->initial_events);
  EXPECT_EQ(find<OpenWatch>(outputs)->server_timeout, seconds(3));
  step(WatchOpened{});
  event(WatchEventType::Bookmark, "140");
  now += seconds(3);
  EXPECT_GE(find<OpenWatch>(step(WatchClosed{}))->server_timeout, seconds(180));
}

TEST_F(WatchMachineTest, looking_again_at_everything_lists_the_newest_state_and_keeps_the_old_one_until_then) {
  go_live();
  const auto outputs = step(LookAgain{.list = true});
  EXPECT_NE(find<CloseWatch>(outputs), nullptr);
  EXPECT_NE(find<BeginSnapshot>(outputs), nullptr);
  EXPECT_EQ(find<CommitSnapshot>(outputs), nullptr);
  ASSERT_NE(find<OpenWatch>(outputs), nullptr);
  EXPECT_TRUE(find<OpenWatch>(outputs)->initial_events);
  EXPECT_EQ(find<OpenWatch>(outputs)->resource_version, "");
}

TEST_F(WatchMachineTest, looking_again_disturbs_neither_a_request_under_way_nor_a_backoff) {
  step(WatchStarted{});
  EXPECT_TRUE(step(LookAgain{.list = true}).empty());
  step(WatchOpened{});
  EXPECT_TRUE(step(LookAgain{.list = true}).empty());
  event(WatchEventType::Bookmark, "100", true);
  step(WatchClosed{lost});
  const auto due = machine->deadline();
  EXPECT_TRUE(step(LookAgain{.list = true}).empty());
  EXPECT_EQ(machine->deadline(), due);
  EXPECT_TRUE(find<OpenWatch>(wait_out())->initial_events);
}

TEST_F(WatchMachineTest, rejected_protobuf_is_asked_for_in_json_at_once_and_remembered) {
  for (const int status : {406, 415}) {
    rejections = {};
    use(WatchPolicy{});
    EXPECT_EQ(find<OpenWatch>(step(WatchStarted{}))->encoding, Encoding::Protobuf);
    const auto outputs = step(WatchClosed{Error{ErrorClass::Invalid, "not acceptable", {}}, status});
    ASSERT_NE(find<OpenWatch>(outputs), nullptr) << status;
    EXPECT_EQ(find<OpenWatch>(outputs)->encoding, Encoding::Json);
    EXPECT_TRUE(find<OpenWatch>(outputs)->initial_events);
    EXPECT_NE(find<Note>(outputs), nullptr);
    EXPECT_TRUE(rejections.protobuf);
  }
}

TEST_F(WatchMachineTest, rejected_json_is_an_error_and_no_reason_to_ask_at_once) {
  use(WatchPolicy{}, Encoding::Json);
  step(WatchStarted{});
  EXPECT_EQ(find<OpenWatch>(step(WatchClosed{Error{ErrorClass::Invalid, "not acceptable", {}}, 406})), nullptr);
  EXPECT_EQ(machine->state(), WatchState::Waiting);
}

TEST_F(WatchMachineTest, a_page_rejected_in_protobuf_is_fetched_in_json) {
  rejections.streaming_lists = true;
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

}  // namespace
}  // namespace reprise::runtime
