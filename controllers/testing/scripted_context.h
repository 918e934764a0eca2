// A ReconcileContext, and the Client behind it, whose answers a test writes down: for the thin shells around decisions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/manager/reconciler.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::testing {

// Answers a request of which the test has said nothing: a read finds nothing, a list is empty, a write fails the test
// (throws).
class ScriptedContext final : public runtime::ReconcileContext {
 public:
  ScriptedContext();
  ~ScriptedContext() override;
  [[nodiscard]] const runtime::Clock& clock() const override { return clock_; }
  [[nodiscard]] runtime::Logger& logger() override { return *logger_; }
  [[nodiscard]] runtime::Result<runtime::WritePermit> permit() override;
  [[nodiscard]] runtime::EventRecorder& events() override;
  [[nodiscard]] runtime::Instant deadline() const override { return runtime::Instant::max(); }
  [[nodiscard]] runtime::Client& client() override;
  void set_owner(std::string_view) override {}

  using Answer = runtime::Result<std::string>;
  std::map<std::string, std::string, std::less<>> objects;  // "Pod/fit-1-0": as the API server shows it
  std::map<std::string, std::string, std::less<>> lists;    // "Pod": the items of a list, joined by commas
  std::function<Answer(const kube::KindInfo&, const std::string& body)> on_create;
  std::function<Answer(const kube::KindInfo&, const std::string& body)> on_patch;
  std::function<runtime::Result<void>(const kube::KindInfo&, const kube::ObjectMeta&)> on_remove;
  // In order: "get Pod/fit-1-0", "list Pod", "create Pod", "patch Pod/fit-1-0/status", "remove Pod/fit-1-0".
  std::vector<std::string> requests;
  [[nodiscard]] std::size_t times(std::string_view request) const;

 protected:
  [[nodiscard]] Answer create_json(const kube::KindInfo& kind, const std::string& ns, std::string body) override;
  [[nodiscard]] Answer patch_json(const kube::KindInfo& kind, const std::string& ns, const std::string& name,
                                  runtime::PatchType type, std::string body, std::string_view subresource) override;
  [[nodiscard]] runtime::Result<void> remove_object(const kube::KindInfo& kind, const kube::ObjectMeta& meta,
                                                    runtime::DeleteOptions options) override;
  [[nodiscard]] Answer get_json(const kube::KindInfo& kind, const std::string& ns, const std::string& name) override;
  void remember_write(const kube::KindInfo&, const std::string&, const std::string&) override {}

 private:
  class Reads;
  class NoEvents;
  std::unique_ptr<Reads> reads_;
  std::unique_ptr<NoEvents> events_;
  runtime::testing::VirtualClock clock_;
  std::unique_ptr<runtime::Logger> logger_;
};

}  // namespace reprise::controllers::testing
