// For the tests of the recorder of Events: an API server that answers as the test says, in virtual time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/events/events.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime::testing {

struct EventsWorld : ::testing::Test {
  EventsWorld() {
    pod.namespace_ = "n";
    pod.name = "p";
    pod.uid = "u";
    answer(200);
  }
  void answer(int status) {
    transport.on_request([status](const Request&) -> Result<Response> {
      return Response{.status = status, .body = status < 400 ? "{}" : R"({"kind":"Status"})"};
    });
  }
  void record(const std::string& reason, const std::string& note = "It happened") {
    recorder.record(kind, pod, EventType::Normal, reason, "Act", note);
  }
  // Answers 500 for objects of the namespace "bad", as a failing webhook of it would.
  void answer_500_in_bad() {
    transport.on_request([](const Request& request) -> Result<Response> {
      const bool bad = request.path_and_query.find("/namespaces/bad/") != std::string::npos;
      return Response{.status = bad ? 500 : 201, .body = "{}"};
    });
  }
  [[nodiscard]] std::ptrdiff_t requests_with(const std::string& text) const {
    return std::ranges::count_if(transport.requests(), [&text](const Request& request) {
      return (request.path_and_query + request.body).find(text) != std::string::npos;
    });
  }
  [[nodiscard]] std::vector<Method> methods() const {
    std::vector<Method> seen;
    for (const Request& request : transport.requests()) seen.push_back(request.method);
    return seen;
  }
  double dropped(const std::string& reason) {
    return metrics.counter("reprise_events_dropped_total", "", {{"reason", reason}}).value();
  }
  [[nodiscard]] const std::string& last_body() const { return transport.requests().back().body; }

  static constexpr kube::KindInfo kind{"", "v1", "Pod", "pods", true};
  kube::ObjectMeta pod;
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

}  // namespace reprise::runtime::testing
