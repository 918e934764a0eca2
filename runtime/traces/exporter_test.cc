// When spans are sent, sent again, dropped and counted: under virtual time, the receiver is played.
#include "runtime/traces/exporter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::VirtualClock;

class Lines final : public Logger {
 public:
  void log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    text += format_log_line(LogFormat::Text, message, fields) + "\n";
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::string text;
};

std::vector<Span> spans(std::size_t count, const std::string& name = "a") {
  Span span;
  span.trace = trace_id_of("job");
  span.id = span_id_of(name);
  span.name = name;
  return {count, span};
}

class Exporter : public ::testing::Test {
 protected:
  Exporter() {
    transport.on_request([this](const Request&) { return answer; });
  }
  static ExporterOptions options() {
    return {.headers = {{"Authorization", "Bearer s3cret"}}, .queue_limit = 10, .batch_limit = 4};
  }
  [[nodiscard]] double dropped(const char* reason) {
    return metrics.counter("reprise_trace_spans_dropped_total", "", {{"reason", reason}}).value();
  }
  [[nodiscard]] double sent() { return metrics.counter("reprise_trace_spans_sent_total", "").value(); }
  [[nodiscard]] std::size_t requests() const { return transport.requests().size(); }
  [[nodiscard]] static std::size_t spans_in(const Request& request) {
    std::size_t count = 0;
    for (auto at = request.body.find("traceId"); at != std::string::npos; at = request.body.find("traceId", at + 1))
      ++count;
    return count;
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  MetricsRegistry metrics;
  Lines lines;
  Result<Response> answer = Response{.status = 200, .body = "{}"};
  SpanExporter exporter{options(), transport, executor, random, metrics, lines};
};

TEST_F(Exporter, sends_what_came_within_five_seconds_in_one_request) {
  exporter.add(spans(1));
  exporter.add(spans(2));
  executor.settle();
  EXPECT_EQ(requests(), 0U);
  executor.advance(seconds(5));
  ASSERT_EQ(requests(), 1U);
  const Request& request = transport.requests().front();
  EXPECT_EQ(request.method, Method::Post);
  EXPECT_EQ(request.path_and_query, "/v1/traces");
  EXPECT_EQ(spans_in(request), 3U);
  const auto has = [&](const char* name, const char* value) {
    return std::ranges::find(request.headers, std::pair<std::string, std::string>(name, value)) !=
           request.headers.end();
  };
  EXPECT_TRUE(has("Content-Type", "application/json"));
  EXPECT_TRUE(has("Authorization", "Bearer s3cret"));
  EXPECT_EQ(sent(), 3);
  executor.advance(minutes(10));
  EXPECT_EQ(requests(), 1U) << "nothing new came";
}

TEST_F(Exporter, sends_a_full_batch_at_once_and_the_rest_in_its_time) {
  exporter.add(spans(9));
  executor.settle();
  EXPECT_EQ(requests(), 2U);
  executor.advance(seconds(5));
  ASSERT_EQ(requests(), 3U);
  EXPECT_EQ(spans_in(transport.requests().back()), 1U);
}

TEST_F(Exporter, drops_and_counts_what_does_not_fit_into_the_queue) {
  exporter.add(spans(25));
  EXPECT_EQ(dropped("queue_full"), 15);
  executor.advance(minutes(1));
  EXPECT_EQ(sent(), 10);
}

TEST_F(Exporter, asks_again_where_the_receiver_cannot_now) {
  for (const int status : {429, 502, 503, 504}) {
    const std::size_t before = requests();
    answer = Response{.status = status};
    exporter.add(spans(4));
    executor.settle();
    EXPECT_EQ(requests(), before + 1) << status;
    executor.advance(seconds(1));
    ASSERT_EQ(requests(), before + 2) << status;
    EXPECT_EQ(transport.requests()[before].body, transport.requests()[before + 1].body) << status;
    answer = Response{.status = 200};
    executor.advance(seconds(2));
    EXPECT_EQ(requests(), before + 3) << status;
  }
  EXPECT_EQ(sent(), 16);
  EXPECT_EQ(dropped("unreachable"), 0);
}

TEST_F(Exporter, asks_again_not_before_the_receiver_says) {
  answer = Response{.status = 429, .retry_after = Duration(20'000)};
  exporter.add(spans(4));
  executor.advance(seconds(19));
  EXPECT_EQ(requests(), 1U);
  executor.advance(seconds(1));
  EXPECT_EQ(requests(), 2U);
}

TEST_F(Exporter, gives_a_batch_up_after_six_tries_and_goes_on_with_the_next) {
  answer = fail(ErrorClass::Unavailable, "connection refused");
  exporter.add(spans(4));
  executor.settle();
  exporter.add(spans(2, "later"));
  const Instant begun = clock.steady();
  while (dropped("unreachable") == 0 && executor.next_timer()) executor.advance(Duration(100));
  EXPECT_EQ(requests(), 6U);
  EXPECT_EQ(dropped("unreachable"), 4);
  EXPECT_GE(clock.steady() - begun, seconds(15)) << "the pauses grow";
  EXPECT_LE(clock.steady() - begun, seconds(31));
  EXPECT_NE(lines.text.find("connection refused"), std::string::npos);
  answer = Response{.status = 200};
  executor.advance(seconds(5));
  EXPECT_EQ(sent(), 2);
}

TEST_F(Exporter, drops_at_once_what_the_receiver_rejects) {
  for (const int status : {400, 401, 404, 500}) {
    const std::size_t before = requests();
    answer = Response{.status = status, .body = "token s3cret is unknown"};
    exporter.add(spans(4));
    executor.advance(minutes(2));
    EXPECT_EQ(requests(), before + 1) << status;
  }
  EXPECT_EQ(dropped("rejected"), 16);
  EXPECT_NE(lines.text.find("HTTP status 401"), std::string::npos);
  EXPECT_EQ(lines.text.find("s3cret"), std::string::npos);
}

TEST_F(Exporter, counts_what_the_receiver_has_taken_but_for_some) {
  answer = Response{.status = 200, .body = R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})"};
  exporter.add(spans(4));
  executor.advance(minutes(2));
  EXPECT_EQ(requests(), 1U) << "never again: some are there";
  EXPECT_EQ(dropped("rejected"), 3);
  EXPECT_EQ(sent(), 1);
}

TEST_F(Exporter, flushes_all_that_waits_without_waiting) {
  bool done = false;
  exporter.add(spans(9));
  exporter.flush([&] { done = true; });
  executor.settle();
  EXPECT_TRUE(done);
  EXPECT_EQ(sent(), 9);
}

TEST_F(Exporter, tries_each_batch_once_more_at_the_end_where_the_receiver_is_gone) {
  answer = fail(ErrorClass::Unavailable, "connection refused");
  exporter.add(spans(9));
  executor.settle();
  ASSERT_EQ(requests(), 1U);
  bool done = false;
  exporter.flush([&] { done = true; });
  executor.settle();
  EXPECT_TRUE(done);
  EXPECT_EQ(requests(), 4U);
  EXPECT_EQ(dropped("unreachable"), 9);
}

}  // namespace
}  // namespace reprise::runtime
