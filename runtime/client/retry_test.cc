#include "runtime/client/retry.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::VirtualClock;

struct MiddleRandom final : Random {
  double uniform() override { return 0.5; }
};

Result<Response> answered(int status, std::optional<Duration> retry_after = {}) {
  return Response{.status = status, .retry_after = retry_after};
}
Result<Response> lost(bool not_sent) {
  auto failure = fail(ErrorClass::Unavailable, "lost");
  failure.error().not_sent = not_sent;
  return failure;
}

TEST(RetryDelay, only_what_is_safe_is_asked_again) {
  const struct {
    const char* invariant;
    Method method;
    Result<Response> result;
    bool want;
  } cases[] = {
      {"a read whose answer was lost", Method::Get, lost(false), true},
      {"a write whose answer was lost: it may have been carried out", Method::Post, lost(false), false},
      {"a deletion whose answer was lost", Method::Delete, lost(false), false},
      {"a write that never left", Method::Patch, lost(true), true},
      {"a write that was told to come back", Method::Post, answered(429, seconds(1)), true},
      {"a write rejected by something else, for instance a disruption budget", Method::Post, answered(429), false},
      {"a read that was rejected without a time", Method::Get, answered(429), true},
      {"a write to a server that is going away", Method::Patch, answered(503, seconds(1)), true},
      {"a write that a 503 without a time answered", Method::Patch, answered(503), false},
      {"a write that failed inside: it may have been carried out", Method::Post, answered(500, seconds(1)), false},
      {"a write that took too long inside", Method::Post, answered(504, seconds(1)), false},
      {"a read that failed inside, with a time", Method::Get, answered(500, seconds(1)), true},
      {"a read that failed inside, without", Method::Get, answered(500), false},
      {"a success", Method::Get, answered(200), false},
      {"a conflict", Method::Patch, answered(409), false},
      {"no permit", Method::Patch, fail(ErrorClass::NoPermit, ""), false},
      {"what no retry mends", Method::Get, fail(ErrorClass::Terminal, ""), false},
      {"no credential", Method::Get, fail(ErrorClass::Unauthorized, ""), false},
      {"shutting down", Method::Get, fail(ErrorClass::Cancelled, ""), false},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(retry_delay({}, test.method, test.result, 0, 0.5).has_value(), test.want) << test.invariant;
  }
}

TEST(RetryDelay, the_server_s_word_is_the_least_and_jitter_comes_on_top) {
  EXPECT_EQ(retry_delay({}, Method::Post, answered(429, seconds(8)), 0, 0.0), seconds(8));
  EXPECT_EQ(retry_delay({}, Method::Post, answered(429, seconds(8)), 0, 0.5), seconds(9));
  EXPECT_EQ(retry_delay({}, Method::Post, answered(429, seconds(0)), 0, 0.5), milliseconds(50));
}

TEST(RetryDelay, without_a_word_it_doubles_up_to_the_cap) {
  EXPECT_EQ(retry_delay({}, Method::Get, lost(false), 0, 0.0), milliseconds(50));
  EXPECT_EQ(retry_delay({}, Method::Get, lost(false), 2, 0.0), milliseconds(200));
  EXPECT_EQ(retry_delay({}, Method::Get, lost(false), 9, 0.0), milliseconds(2500));
}

TEST(RetryDelay, ten_times_and_no_more) {
  EXPECT_TRUE(retry_delay({}, Method::Get, lost(false), 9, 0.5));
  EXPECT_FALSE(retry_delay({}, Method::Get, lost(false), 10, 0.5));
}

struct RetryTest : ::testing::Test {
  void ask(Request request = {}) {
    transport->send_async(std::move(request), [this](Result<Response> result) { ended = std::move(result); });
    executor.settle();
  }
  void script(std::vector<Result<Response>> answers) {
    inner.on_request([answers = std::move(answers), next = std::size_t{0}](const Request&) mutable {
      return answers[std::min(next++, answers.size() - 1)];
    });
  }
  double retries(const char* code, const char* verb) {
    return metrics.counter("rest_client_request_retries_total", "", {{"code", code}, {"host", "h"}, {"verb", verb}})
        .value();
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport inner{executor};
  MiddleRandom random;
  MetricsRegistry metrics;
  std::unique_ptr<Transport> transport = with_retries(inner, executor, clock, random, metrics, "h");
  std::optional<Result<Response>> ended;
};

TEST_F(RetryTest, a_throttled_write_is_sent_again_when_the_server_said) {
  script({answered(429, seconds(2)), answered(200)});
  ask({.method = Method::Post, .body = "x"});
  EXPECT_FALSE(ended);
  executor.advance(milliseconds(1999));
  EXPECT_EQ(inner.requests().size(), 1U);
  executor.advance(seconds(1));
  ASSERT_TRUE(ended);
  EXPECT_EQ((*ended)->status, 200);
  EXPECT_EQ(inner.requests()[1].body, "x");
  EXPECT_EQ(retries("429", "POST"), 1);
}

TEST_F(RetryTest, all_tries_together_take_no_longer_than_the_timeout) {
  inner.on_request([this](const Request&) {
    clock.advance(seconds(4));
    return lost(false);
  });
  ask({.timeout = seconds(10)});
  executor.advance(seconds(10));
  ASSERT_TRUE(ended);
  EXPECT_FALSE(*ended);
  ASSERT_EQ(inner.requests().size(), 3U);
  EXPECT_LT(inner.requests()[1].timeout, seconds(6));
  EXPECT_LT(inner.requests()[2].timeout, seconds(2));
  EXPECT_EQ(retries("<error>", "GET"), 2);
}

TEST_F(RetryTest, a_time_beyond_the_timeout_is_handed_on_at_once) {
  script({answered(429, seconds(60))});
  ask({.timeout = seconds(30)});
  ASSERT_TRUE(ended);
  EXPECT_EQ((*ended)->retry_after, seconds(60));
}

TEST_F(RetryTest, a_permit_that_ended_while_waiting_sends_nothing) {
  script({answered(429, seconds(2)), answered(200)});
  Request request{.method = Method::Post};
  const Instant end = clock.steady() + seconds(1);
  request.before_send = [this, end]() -> Result<void> {
    if (clock.steady() < end) return {};
    return fail(ErrorClass::NoPermit, "ended");
  };
  ask(std::move(request));
  executor.advance(seconds(5));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->error().error_class, ErrorClass::NoPermit);
  EXPECT_EQ(inner.requests().size(), 1U);
}

TEST_F(RetryTest, what_waits_at_the_end_is_cancelled) {
  script({answered(429, seconds(2))});
  ask();
  transport.reset();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->error().error_class, ErrorClass::Cancelled);
}

TEST_F(RetryTest, counters_exist_before_anything_happens) {
  EXPECT_NE(metrics.expose().find(R"(rest_client_request_retries_total{code="429",host="h",verb="PATCH"} 0)"),
            std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
