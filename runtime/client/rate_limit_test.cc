#include "runtime/client/rate_limit.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TokenBucket, a_burst_is_free_and_then_each_waits_its_share) {
  const Instant begin{};
  TokenBucket bucket({.per_second = 10, .burst = 2}, begin);
  EXPECT_EQ(bucket.take(begin, seconds(1)), milliseconds(0));
  EXPECT_EQ(bucket.take(begin, seconds(1)), milliseconds(0));
  EXPECT_EQ(bucket.take(begin, seconds(1)), milliseconds(100));
  EXPECT_EQ(bucket.take(begin, seconds(1)), milliseconds(200));
  EXPECT_EQ(bucket.take(begin + seconds(1), seconds(1)), milliseconds(0));
}

TEST(TokenBucket, rest_fills_it_to_the_burst_and_no_more) {
  const Instant begin{};
  TokenBucket bucket({.per_second = 10, .burst = 2}, begin);
  const Instant later = begin + seconds(100);
  EXPECT_EQ(bucket.take(later, seconds(1)), milliseconds(0));
  EXPECT_EQ(bucket.take(later, seconds(1)), milliseconds(0));
  EXPECT_EQ(bucket.take(later, seconds(1)), milliseconds(100));
}

TEST(TokenBucket, who_cannot_wait_that_long_takes_nothing_from_others) {
  const Instant begin{};
  TokenBucket bucket({.per_second = 1, .burst = 1}, begin);
  EXPECT_EQ(bucket.take(begin, seconds(1)), milliseconds(0));
  EXPECT_FALSE(bucket.take(begin, milliseconds(500)));
  EXPECT_EQ(bucket.take(begin, seconds(1)), seconds(1));
}

struct RateLimitTest : ::testing::Test {
  void ask(Duration timeout) {
    transport->send_async({.timeout = timeout},
                          [this](Result<Response> result) { ended.push_back(std::move(result)); });
    executor.settle();
  }

  testing::VirtualClock clock;
  testing::ManualExecutor executor{clock};
  testing::ScriptedTransport inner{executor};
  MetricsRegistry metrics;
  std::unique_ptr<Transport> transport =
      with_rate_limit(inner, executor, clock, metrics, "h", {.per_second = 1, .burst = 1});
  std::vector<Result<Response>> ended;
};

TEST_F(RateLimitTest, a_request_waits_for_its_turn_within_its_own_timeout) {
  inner.on_request([](const Request&) { return Response{.status = 200}; });
  ask(seconds(5));
  ask(seconds(5));
  EXPECT_EQ(ended.size(), 1U);
  executor.advance(seconds(1));
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(inner.requests()[1].timeout, seconds(4));
  EXPECT_NE(metrics.expose().find(R"(rest_client_rate_limiter_duration_seconds_sum{host="h",verb="GET"} 1)"),
            std::string::npos)
      << metrics.expose();
}

TEST_F(RateLimitTest, who_would_be_too_late_is_throttled_at_once_and_unsent) {
  inner.on_request([](const Request&) { return Response{.status = 200}; });
  ask(seconds(5));
  ask(milliseconds(500));
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[1].error().error_class, ErrorClass::Throttled);
  EXPECT_TRUE(ended[1].error().not_sent);
  EXPECT_EQ(inner.requests().size(), 1U);
}

TEST_F(RateLimitTest, an_urgent_request_waits_for_no_turn) {
  inner.on_request([](const Request&) { return Response{.status = 200}; });
  for (int i = 0; i < 3; ++i) ask(seconds(5));
  transport->send_async({.timeout = milliseconds(500), .urgent = true}, [](const Result<Response>&) {});
  executor.settle();
  EXPECT_TRUE(inner.requests().back().urgent);
  executor.advance(seconds(5));
  EXPECT_EQ(ended.size(), 3U);
}

}  // namespace
}  // namespace reprise::runtime
