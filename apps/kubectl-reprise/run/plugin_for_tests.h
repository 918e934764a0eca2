// The plugin on a scripted API server: the test sets paths and their answers.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/run/run_plugin.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::plugin {

inline constexpr const char* kJobsPath = "/apis/reprise.dev/v1alpha1/namespaces/vision/resumablejobs";
inline constexpr const char* kPoolsPath = "/apis/reprise.dev/v1alpha1/gpupools";

// A job called `name` in namespace vision; `status` and `more` (members of spec) are JSON without braces.
inline std::string job_json(const std::string& name, const std::string& status = {}, const std::string& more = {}) {
  return R"({"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","metadata":{"name":")" + name +
         R"(","namespace":"vision","uid":"uid-)" + name +
         R"(","resourceVersion":"7","creationTimestamp":"2025-12-31T23:00:00Z"},"spec":{"poolName":"t4","parallelism":2,)" +
         (more.empty() ? "" : more + ",") +
         R"("checkpoint":{"path":"/c","volume":{"claimName":"c"}},"template":{"spec":{"containers":[{"name":"trainer",)"
         R"("image":"i","command":["train"],"resources":{"limits":{"reprise.dev/gpu":1}}}]}}},"status":{)" +
         status + "}}";
}

inline std::string list_of(const std::vector<std::string>& objects) {
  std::string text = R"({"kind":"List","apiVersion":"v1","metadata":{},"items":[)";
  for (const std::string& each : objects) text += (text.ends_with('[') ? "" : ",") + each;
  return text + "]}";
}

inline std::string ready_condition(const std::string& reason, const std::string& message = {}) {
  return R"("conditions":[{"type":"PodsReady","status":"False","reason":")" + reason + R"(","message":")" + message +
         R"("}])";
}

struct PluginTest : ::testing::Test {
  // By path without its query, or "METHOD path" for requests that change something. Several answers come one after the
  // other, the last for good.
  std::map<std::string, std::vector<std::pair<int, std::string>>> answers;
  std::string typed;  // at the input
  bool asks = false;

  runtime::testing::VirtualClock clock;  // begins on 2026-01-01T00:00:00Z
  runtime::testing::ManualExecutor executor{clock};
  runtime::testing::ScriptedTransport transport{executor};
  std::string out, err;
  std::vector<ClusterChoice> chosen;
  std::string own_namespace = "vision";
  std::function<void()> while_waiting = [] {};
  std::function<std::unique_ptr<LiveTerminal>()> live = []() -> std::unique_ptr<LiveTerminal> { return nullptr; };

  void answer(const std::string& path, std::string body, int status = 200) {
    answers[path].emplace_back(status, std::move(body));
  }

  ExitCode run(const std::vector<std::string>& arguments) {
    transport.on_request([this](const runtime::Request& request) { return answer_to(request); });
    std::ostringstream output, errors;
    std::istringstream input(typed);
    World world{.out = output,
                .err = errors,
                .in = input,
                .clock = clock,
                .asks = asks,
                .connect = [this](const ClusterChoice& choice) -> runtime::Result<std::unique_ptr<Cluster>> {
                  chosen.push_back(choice);
                  return std::make_unique<TestCluster>(*this);
                },
                .pause =
                    [this](runtime::Duration time) {
                      executor.advance(time);
                      while_waiting();
                    },
                .open_terminal = live};
    const ExitCode code = run_plugin(arguments, world);
    out = output.str();
    err = errors.str();
    return code;
  }

  // The requests that change something, as "METHOD path body".
  [[nodiscard]] std::vector<std::string> writes() const {
    std::vector<std::string> all;
    for (const auto& each : transport.requests()) {
      if (each.method != runtime::Method::Get)
        all.push_back(std::string(runtime::name(each.method)) + " " + each.path_and_query + " " + each.body);
    }
    return all;
  }

 private:
  class TestCluster final : public Cluster {
   public:
    explicit TestCluster(PluginTest& test) : test_(test), client_(runtime::make_client(test.transport, test.clock)) {}
    runtime::Client& client() override { return *client_; }
    runtime::Transport& transport() override { return test_.transport; }
    runtime::Executor& executor() override { return test_.executor; }
    [[nodiscard]] std::string context_namespace() const override { return test_.own_namespace; }
    [[nodiscard]] runtime::WritePermit permit() const override { return runtime::testing::TestPermits::always(); }

   private:
    PluginTest& test_;
    std::unique_ptr<runtime::Client> client_;
  };

  runtime::Result<runtime::Response> answer_to(const runtime::Request& request) {
    std::string path = request.path_and_query.substr(0, request.path_and_query.find('?'));
    if (request.method != runtime::Method::Get) path = std::string(runtime::name(request.method)) + " " + path;
    const auto found = answers.find(path);
    if (found == answers.end())
      return runtime::Response{.status = 404, .body = R"({"kind":"Status","message":"nothing at )" + path + R"("})"};
    auto& row = found->second;
    const auto [status, body] = row.front();
    if (row.size() > 1) row.erase(row.begin());
    return runtime::Response{.status = status, .body = body};
  }
};

}  // namespace reprise::plugin
