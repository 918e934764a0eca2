#include "runtime/observe/events.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::TestPermits;
using testing::VirtualClock;

struct EventsTest : ::testing::Test {
  EventsTest() {
    pod.namespace_ = "n";
    pod.name = "p";
    pod.uid = "u";
    answer(200);
  }
  void answer(int status) {
    transport.on_request(
        [status](const Request&) -> Result<Response> { return Response{.status = status, .body = "{}"}; });
  }
  void record(const std::string& reason, const std::string& note = "It happened") {
    recorder.record(kind, pod, EventType::Normal, reason, "Act", note);
  }
  [[nodiscard]] std::vector<Method> methods() const {
    std::vector<Method> seen;
    for (const Request& request : transport.requests()) seen.push_back(request.method);
    return seen;
  }
  double dropped() { return metrics.counter("reprise_events_dropped_total", "").value(); }

  static constexpr api::KindInfo kind{"", "v1", "Pod", "pods", true};
  api::ObjectMeta pod;
  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  MetricsRegistry metrics;
  TestPermits permits;
  std::unique_ptr<Logger> logger = make_null_logger();
  std::unique_ptr<Client> client = make_client(transport, clock);
  ApiEventRecorder recorder{EventOptions{.controller = "reprise.dev/operator", .instance = "pod-1", .queue_limit = 3},
                            *client,
                            permits,
                            executor,
                            clock,
                            random,
                            metrics,
                            *logger};
};
using Methods = std::vector<Method>;

TEST_F(EventsTest, an_event_names_what_it_is_about) {
  record("Placed");
  EXPECT_TRUE(transport.requests().empty());
  executor.settle();
  ASSERT_EQ(methods(), Methods{Method::Post});
  EXPECT_EQ(transport.requests()[0].path_and_query, "/apis/events.k8s.io/v1/namespaces/n/events");
  for (const char* part :
       {R"("regarding":{"apiVersion":"v1","kind":"Pod","name":"p","namespace":"n","uid":"u"})", R"("reason":"Placed")",
        R"("action":"Act")", R"("note":"It happened")", R"("reportingInstance":"pod-1")", R"("type":"Normal")"}) {
    EXPECT_NE(transport.requests()[0].body.find(part), std::string::npos) << part;
  }
}

TEST_F(EventsTest, a_repeat_becomes_a_series_and_another_reason_does_not) {
  record("Placed");
  executor.settle();
  record("Placed");
  executor.settle();
  record("Lost");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Patch, Method::Post}));
  EXPECT_NE(transport.requests()[1].body.find(R"("count":2)"), std::string::npos);
}

TEST_F(EventsTest, a_series_is_over_after_six_minutes_of_silence) {
  record("Placed");
  executor.settle();
  clock.advance(minutes(7));
  record("Placed");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Post}));
}

TEST_F(EventsTest, a_series_whose_event_expired_begins_anew) {
  record("Placed");
  executor.settle();
  transport.on_request([](const Request& request) -> Result<Response> {
    if (request.method == Method::Patch) return Response{.status = 404};
    return Response{.status = 201, .body = "{}"};
  });
  record("Placed");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Patch, Method::Post}));
}

TEST_F(EventsTest, too_many_are_dropped_and_counted_and_never_block) {
  for (int i = 0; i < 10; ++i) record("R" + std::to_string(i));
  executor.settle();
  EXPECT_EQ(methods().size(), 3U);
  EXPECT_EQ(dropped(), 7);
}

TEST_F(EventsTest, without_a_permit_nothing_is_written) {
  permits.set(std::nullopt);
  record("Placed");
  executor.settle();
  EXPECT_TRUE(transport.requests().empty());
  EXPECT_EQ(dropped(), 1);
}

TEST_F(EventsTest, an_unreachable_server_is_tried_three_times) {
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "reset"); });
  record("Placed");
  executor.advance(seconds(30));
  EXPECT_EQ(methods().size(), 3U);
  EXPECT_EQ(dropped(), 1);
}

TEST_F(EventsTest, flush_says_when_all_is_sent) {
  record("A");
  record("B");
  std::size_t sent_by_then = 0;
  recorder.flush([&] { sent_by_then = transport.requests().size(); });
  executor.settle();
  EXPECT_EQ(sent_by_then, 2U);
  bool again = false;
  recorder.flush([&] { again = true; });
  executor.settle();
  EXPECT_TRUE(again);
}

}  // namespace
}  // namespace reprise::runtime
