// No secret leaves the process by its logs, metrics, dump or probes.
#include <optional>
#include <utility>

#include "runtime/client/credentials/credentials.h"
#include "runtime/client/metered_transport.h"
#include "runtime/manager/observability_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::Lines;
using testing::ManualExecutor;
using testing::options;
using testing::Probe;
using testing::ScriptedTransport;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

// Blocking calls on the executor's own thread: the executor is driven meanwhile, as a simulator does.
struct DrivenTransport final : Transport {
  DrivenTransport(Transport& transport, ManualExecutor& driven) : inner(transport), executor(driven) {}
  Result<Response> send(const Request& request) override {
    std::optional<Result<Response>> answer;
    inner.send_async(request, [&answer](Result<Response> response) { answer = std::move(response); });
    executor.settle();
    return answer ? *std::move(answer) : fail(ErrorClass::Unavailable, "nothing was answered");
  }
  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    inner.send_async(std::move(request), std::move(done));
  }
  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner.open(std::move(request), sink);
  }
  Transport& inner;
  ManualExecutor& executor;
};

// Searches all output of a process, at the lowest log level, after every failure that can happen.
TEST(Secrets, appear_in_no_log_no_metric_no_dump_and_no_probe) {
  const std::string secret = "eyJhbGciOiJSUzI1NiJ9.s3cr3ts3cr3ts3cr3t.c2lnbmF0dXJl";
  VirtualClock clock;
  ManualExecutor executor(clock);
  ScriptedTransport wire(executor);
  SeededRandom random(1);
  Lines lines;
  MetricsRegistry metrics;
  const auto metered = with_request_metrics(wire, metrics, clock, "host");
  const auto credentialed = with_credentials(*metered, make_static_token(secret), executor, clock);
  DrivenTransport transport(*credentialed, executor);
  std::vector<std::string> aborts;
  Manager manager(options(aborts), {transport, executor, clock, random, lines});
  auto& things = manager.add_informer<Thing>();
  auto& controller = manager.add_controller("things", std::make_unique<Probe>([&](ReconcileContext& context) {
                                              auto read = context.read_live<Thing>("n", "a");
                                              if (!read) return Result<Next>(std::unexpected(read.error()));
                                              return Result<Next>(Next::done());
                                            }));
  things.on_any([&controller](const Thing& thing) { controller.enqueue(key_of(thing)); });
  ASSERT_TRUE(manager.start());
  bool sent = false;
  for (const int status : {401, 403, 500, 0, 200}) {
    // A server, or a box in between, that repeats what it was sent.
    wire.on_request([&, status](const Request& request) -> Result<Response> {
      std::string echo;
      for (const auto& [key, value] : request.headers) echo += key + ": " + value + "\n";
      sent = sent || echo.find(secret) != std::string::npos;
      if (status == 0) return fail(ErrorClass::Unavailable, "cannot send " + echo);
      return Response{.status = status,
                      .body = R"({"kind":"Status","message":")" + request.headers.back().second + R"("})"};
    });
    executor.advance(seconds(10));
    if (!manager.synced()) {
      auto& first = wire.last_stream();
      first.status(200);
      first.line(R"({"type":"ADDED","object":)" + thing_json("a", 90) + "}");
      first.line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"100",)"
                 R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
      executor.advance(seconds(10));
    }
    for (int i = 0; i < 3; ++i) {
      auto& stream = wire.last_stream();
      if (status != 200) stream.status(status == 0 ? 500 : status);
      stream.bytes(R"({"kind":"Status","message":"Bearer )" + secret + R"("})");
      stream.close(Error{ErrorClass::Unavailable, "refused Bearer " + secret, {}});
      executor.advance(seconds(40));
    }
  }
  std::string everything = lines.text + metrics.expose() + manager.metrics().expose() + manager.liveness().run().text +
                           manager.readiness().run().text;
  for (const std::string& line : manager.dump()) everything += line;
  EXPECT_TRUE(sent);
  EXPECT_GT(lines.text.size(), 1000U);
  EXPECT_EQ(everything.find("s3cr3t"), std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
