// Events that the server cannot take now are tried again, and hold up no others.
#include "runtime/events/events_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct EventsRetryTest : testing::EventsWorld {};

TEST_F(EventsRetryTest, what_the_server_cannot_take_now_is_tried_five_times_ever_later) {
  for (const int status : {500, 503, 429, 0}) {
    transport.on_request([status](const Request&) -> Result<Response> {
      if (status == 0) return fail(ErrorClass::Unavailable, "reset");
      return Response{.status = status};
    });
    const std::size_t before = transport.requests().size();
    const Instant begun = clock.steady();
    record("R" + std::to_string(status));
    executor.advance(seconds(7));
    EXPECT_LT(transport.requests().size() - before, 5U) << status;
    executor.advance(seconds(60));
    EXPECT_EQ(transport.requests().size() - before, 5U) << status;
    EXPECT_GT(clock.steady() - begun, seconds(15));
  }
  EXPECT_EQ(dropped("unreachable"), 4);
}

TEST_F(EventsRetryTest, one_that_the_server_cannot_take_holds_up_no_other) {
  answer_500_in_bad();
  pod.namespace_ = "bad";
  record("A");
  record("B");
  pod.namespace_ = "n";
  record("Complete");
  executor.settle();
  EXPECT_EQ(requests_with("/namespaces/n/"), 1);
  record("Later");
  executor.settle();
  EXPECT_EQ(requests_with("/namespaces/n/"), 2);
  executor.advance(minutes(1));
  EXPECT_EQ(requests_with("/namespaces/bad/"), 2 * 5);
  EXPECT_EQ(dropped("unreachable"), 2);
}

TEST_F(EventsRetryTest, what_failed_is_tried_again_in_order_of_when_it_is_due) {
  answer(500);
  record("Old");
  while (requests_with("Old") < 3) executor.advance(seconds(1));
  record("New");
  executor.advance(seconds(2));
  EXPECT_EQ(requests_with("Old"), 3);
  EXPECT_EQ(requests_with("New"), 2);
}

TEST_F(EventsRetryTest, what_was_not_tried_yet_goes_before_what_failed_and_is_due) {
  answer(500);
  record("Old");
  executor.settle();
  clock.advance(minutes(1));
  answer(200);
  record("New");
  executor.settle();
  ASSERT_EQ(methods().size(), 3U);
  EXPECT_NE(transport.requests()[1].body.find("New"), std::string::npos);
}

TEST_F(EventsRetryTest, what_failed_and_what_waits_are_bounded_together) {
  answer_500_in_bad();
  pod.namespace_ = "bad";
  record("A");
  record("B");
  executor.settle();
  record("C");
  record("D");
  EXPECT_EQ(dropped("queue_full"), 1);
  executor.advance(minutes(1));
  record("D");
  EXPECT_EQ(dropped("queue_full"), 1);
}

TEST_F(EventsRetryTest, one_under_way_counts_as_waiting) {
  std::vector<double> full_by_then;
  transport.on_request([&](const Request&) -> Result<Response> {
    if (full_by_then.empty()) {
      for (int i = 0; i < 3; ++i) record("More" + std::to_string(i));
      full_by_then.push_back(dropped("queue_full"));
    }
    return Response{.status = 201, .body = "{}"};
  });
  record("First");
  executor.settle();
  EXPECT_EQ(full_by_then, std::vector<double>{1});
  EXPECT_EQ(methods().size(), 3U);
}

TEST_F(EventsRetryTest, the_servers_word_on_when_to_come_back_is_heeded) {
  transport.on_request(
      [](const Request&) -> Result<Response> { return Response{.status = 429, .retry_after = seconds(30)}; });
  record("Placed");
  executor.advance(seconds(29));
  EXPECT_EQ(methods().size(), 1U);
  executor.advance(seconds(2));
  EXPECT_EQ(methods().size(), 2U);
}

TEST_F(EventsRetryTest, until_the_server_says_to_come_back_the_others_wait_too) {
  transport.on_request(
      [](const Request&) -> Result<Response> { return Response{.status = 429, .retry_after = seconds(30)}; });
  record("A");
  record("B");
  executor.settle();
  record("C");
  executor.advance(seconds(29));
  EXPECT_EQ(methods().size(), 1U);
  answer(200);
  executor.advance(seconds(2));
  EXPECT_EQ(methods().size(), 4U);
}

TEST_F(EventsRetryTest, a_flush_sends_what_it_can_and_waits_for_what_failed) {
  answer_500_in_bad();
  pod.namespace_ = "bad";
  record("A");
  pod.namespace_ = "n";
  record("Complete");
  record("Placed");
  bool done = false;
  recorder.flush([&] { done = true; });
  executor.settle();
  EXPECT_EQ(requests_with("/namespaces/n/"), 2);
  EXPECT_FALSE(done);
  executor.advance(minutes(1));
  EXPECT_TRUE(done);
}

TEST_F(EventsRetryTest, the_end_of_a_series_is_written_however_much_else_fails) {
  answer_500_in_bad();
  for (int second = 0; second < 500; ++second) {
    pod.namespace_ = "bad";
    if (second % 20 == 0) record("Bad" + std::to_string(second));
    pod.namespace_ = "n";
    if (second < 9) record("Placed");
    executor.advance(seconds(1));
  }
  EXPECT_EQ(requests_with(R"("count":9)"), 1);
}

}  // namespace
}  // namespace reprise::runtime
