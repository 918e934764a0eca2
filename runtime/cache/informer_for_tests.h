// For the tests of informers: one informer and the server that the test plays, in the encoding of the script.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cache/informer.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/watch_script.h"

namespace reprise::runtime::testing {

template <class T>
struct Recorder final : Listener<T> {
  void on_add(const T& now) override { seen.push_back("+" + now.meta.name); }
  void on_update(const T& old, const T& now) override {
    seen.push_back("~" + now.meta.name + ":" + old.meta.resource_version + ">" + now.meta.resource_version);
  }
  void on_delete(std::shared_ptr<const T> last, bool unknown) override {
    seen.push_back("-" + last->meta.name + (unknown ? "?" : ""));
  }
  std::vector<std::string> take() { return std::exchange(seen, {}); }
  std::vector<std::string> seen;
};
using Seen = std::vector<std::string>;

template <class Script>
struct World {
  using Object = typename Script::Object;

  World() { informer.add_listener(recorder); }
  ScriptedTransport::ServedStream& stream() { return transport.last_stream(); }
  void send(const std::string& type, const ThingSpec& thing) { stream().bytes(Script::event(type, thing)); }
  void bookmark(int version, bool end = false) { stream().bytes(Script::bookmark(version, end)); }
  void gone() { stream().bytes(Script::error(410, "Expired", "too old resource version", "")); }
  void start() {
    informer.start();
    executor.settle();
  }
  // One object "a" at version 90, live at 100.
  void go_live() {
    start();
    stream().status(200);
    send("ADDED", {.name = "a", .version = 90});
    bookmark(100, true);
    ASSERT_EQ(recorder.take(), Seen{"+a"});
  }
  [[nodiscard]] bool last_request_has(const std::string& part) const {
    return transport.requests().back().path_and_query.find(part) != std::string::npos;
  }
  [[nodiscard]] bool metrics_have(const std::string& part) const {
    return metrics.expose().find(part) != std::string::npos;
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  MetricsRegistry metrics;
  kube::InterningPool pool;
  Informer<Object> informer{WatchEnvironment{transport, executor, clock, random, *logger, metrics, {}, &pool},
                            InformerScope{.namespaces = {}, .label_selector = "app=x", .field_selector = {}}};
  Recorder<Object> recorder;
};

// The suites of the informer run in both.
using Encodings = ::testing::Types<InJson, InProtobuf>;
struct EncodingNames {
  template <class Script>
  static std::string GetName(int) {
    return Script::name;
  }
};

}  // namespace reprise::runtime::testing
