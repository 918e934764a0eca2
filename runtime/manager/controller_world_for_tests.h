// A controller in a world of values, for tests: one thread, virtual time, one store of Things at version 100.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/cache/store.h"
#include "runtime/manager/controller.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {

struct FunctionReconciler final : Reconciler {
  Result<Next> reconcile(ReconcileContext& context, const ObjectKey& key) override {
    ++calls;
    return run ? run(context, key) : Next::done();
  }
  std::function<Result<Next>(ReconcileContext&, const ObjectKey&)> run;
  int calls = 0;
};

struct NullEvents final : EventRecorder {
  void record(const kube::KindInfo&, const kube::ObjectMeta&, EventType, std::string, std::string,
              std::string) override {}
};

struct ControllerTest : ::testing::Test {
  ControllerTest() {
    watermarks.add_store(kube::KindOf<testing::Thing>::info(), store);
    store.begin_list("");
    (void)store.replace("", {}, "100");
    controller.start_on_executor();
    executor.settle();
  }
  ~ControllerTest() override { controller.stop(); }
  void enqueue() {
    controller.enqueue(key);
    executor.settle();
  }
  double count(const std::string& name, Labels labels = {{"controller", "c"}}) {
    return metrics.counter(name, "", labels).value();
  }
  double count_result(const std::string& result) {
    return count("controller_runtime_reconcile_total", {{"controller", "c"}, {"result", result}});
  }
  void fails_with(ErrorClass error_class, std::optional<Duration> retry_after = {}) {
    reconciler.run = [=](ReconcileContext&, const ObjectKey&) -> Result<Next> {
      return std::unexpected(Error{error_class, "no", retry_after});
    };
  }
  // The server's answer to a write: version 105.
  void accept_writes() {
    transport.on_request([](const Request&) -> Result<Response> {
      return Response{.status = 200, .body = testing::thing_json("child", 105)};
    });
  }

  testing::VirtualClock clock;
  testing::ManualExecutor executor{clock};
  testing::ScriptedTransport transport{executor};
  SeededRandom random{1};
  MetricsRegistry metrics;
  testing::TestPermits permits;
  Watermarks watermarks;
  NullEvents events;
  Store<testing::Thing> store;
  std::unique_ptr<Logger> logger = make_null_logger();
  FunctionReconciler reconciler;
  Controller controller{"c",
                        reconciler,
                        {transport, permits, watermarks, events, executor, clock, random, *logger, metrics},
                        ControllerOptions{}};
  const ObjectKey key{"n", "job"};
};

}  // namespace reprise::runtime
