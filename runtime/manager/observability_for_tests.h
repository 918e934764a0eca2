// For the tests of a manager's probes, dump, metrics and log: a manager in virtual time whose lease and reconciles the
// test steers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/manager/manager.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime::testing {

using std::chrono::seconds;

// Keeps lines as they would be written.
struct Lines final : Logger {
  void log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    const std::lock_guard lock(mutex);
    text += format_log_line(LogFormat::Json, message, fields) + "\n";
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::mutex mutex;
  std::string text;
};

struct Probe final : Reconciler {
  explicit Probe(std::function<Result<Next>(ReconcileContext&)> what) : work(std::move(what)) {}
  Result<Next> reconcile(ReconcileContext& context, const ObjectKey&) override { return work(context); }
  std::function<Result<Next>(ReconcileContext&)> work;
};

inline ManagerOptions options(std::vector<std::string>& aborts, const std::string& identity = "me") {
  ManagerOptions chosen;
  chosen.name = "operator";
  chosen.version = "1";
  chosen.workers = WorkerMode::Executor;
  chosen.lease_namespace = "n";
  chosen.identity = identity;
  chosen.abort = [&aborts](std::string_view why) { aborts.emplace_back(why); };
  return chosen;
}

inline std::string lease(const std::string& holder, int version, int duration = 15) {
  return R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("},"spec":{"holderIdentity":")" + holder +
         R"(","leaseDurationSeconds":)" + std::to_string(duration) + "}}";
}

struct ObservabilityTest : ::testing::Test {
  ObservabilityTest() {
    transport.on_request([this](const Request& request) -> Result<Response> {
      if (request.path_and_query.find("/leases") == std::string::npos) return Response{.status = other_status};
      if (request.method == Method::Get && other_holder.empty()) return Response{.status = 404};
      if (request.method == Method::Get) return Response{.status = 200, .body = lease(other_holder, version, duration)};
      return Response{.status = lease_status, .body = lease("me", ++version)};
    });
    things.on_any([this](const Thing& thing) { controller.enqueue(key_of(thing)); });
  }
  void sync() {
    auto& stream = transport.last_stream();
    stream.status(200);
    stream.line(R"({"type":"ADDED","object":)" + thing_json("a", 90) + "}");
    stream.line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"100",)"
                R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
  }
  void run() {
    ASSERT_TRUE(manager.start());
    executor.settle();
    sync();
    executor.settle();
  }
  [[nodiscard]] std::string dump() const {
    std::string text;
    for (const std::string& line : manager.dump()) text += line + "\n";
    return text;
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  Lines lines;
  std::vector<std::string> aborts;
  std::string other_holder;
  int version = 1, duration = 15, lease_status = 200, other_status = 404, reconciles = 0;
  std::function<Result<Next>(ReconcileContext&)> work = [](ReconcileContext&) { return Next::done(); };
  Manager manager{options(aborts), {transport, executor, clock, random, lines}};
  Informer<Thing>& things = manager.add_informer<Thing>();
  Controller& controller = manager.add_controller("things", std::make_unique<Probe>([this](ReconcileContext& context) {
                                                    ++reconciles;
                                                    return work(context);
                                                  }));
};

}  // namespace reprise::runtime::testing
