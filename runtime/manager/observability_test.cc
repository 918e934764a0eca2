// What a manager shows of itself: metrics, probes, state dump, and no secrets.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "runtime/client/credentials.h"
#include "runtime/client/metered_transport.h"
#include "runtime/manager/manager.h"
#include "runtime/observe/log_metrics.h"
#include "runtime/observe/log_object.h"
#include "runtime/observe/process_metrics.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

// Keeps what it is told, as it would be written.
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

ManagerOptions options(std::vector<std::string>& aborts, const std::string& identity = "me") {
  ManagerOptions chosen;
  chosen.name = "operator";
  chosen.version = "1";
  chosen.workers = WorkerMode::Executor;
  chosen.lease_namespace = "n";
  chosen.identity = identity;
  chosen.abort = [&aborts](std::string_view why) { aborts.emplace_back(why); };
  return chosen;
}

std::string lease(const std::string& holder, int version, int duration = 15) {
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

// "name type {label,label}" of every family that is shown.
std::set<std::string> families(const std::string& exposed) {
  std::map<std::string, std::string> types;
  std::map<std::string, std::set<std::string>> labels;
  std::istringstream text(exposed);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string hash, what, name, type;
    if (line.starts_with("# TYPE ")) {
      words >> hash >> what >> name >> type;
      types[name] = type;
    }
    if (line.starts_with("#")) continue;
    std::string family = line.substr(0, line.find_first_of("{ "));
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      if (!types.contains(family) && family.ends_with(suffix)) family.resize(family.size() - std::strlen(suffix));
    }
    auto& known = labels[family];
    if (line.find('{') == std::string::npos) continue;
    std::istringstream pairs(line.substr(line.find('{') + 1, line.rfind('}') - line.find('{') - 1));
    for (std::string pair; std::getline(pairs, pair, ',');) {
      const std::string label = pair.substr(0, pair.find('='));
      if (label != "le") known.insert(label);
    }
  }
  std::set<std::string> all;
  for (const auto& [name, type] : types) {
    std::string line = name + " " + type;
    for (const std::string& label : labels[name]) line += " " + label;
    all.insert(line);
  }
  return all;
}

// The rows "| `name` | type | `label`, `label` | meaning |" of the documentation.
std::set<std::string> documented() {
  std::ifstream file(REPRISE_METRICS_DOCUMENT);
  std::set<std::string> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line);
    std::string cell, name, type, labels;
    std::getline(cells, cell, '|');
    std::getline(cells, name, '|');
    std::getline(cells, type, '|');
    std::getline(cells, labels, '|');
    const auto bare = [](std::string text) {
      std::erase_if(text, [](char c) { return c == '`' || c == ' '; });
      return text;
    };
    std::set<std::string> sorted;
    std::istringstream list(bare(labels));
    for (std::string label; std::getline(list, label, ',');) sorted.insert(label);
    std::string row = bare(name) + " " + bare(type);
    for (const std::string& label : sorted) row += " " + label;
    all.insert(row);
  }
  return all;
}

TEST_F(ObservabilityTest, every_metric_is_there_from_the_start_and_is_in_the_documentation_and_no_other) {
  add_process_metrics(manager.metrics());
  const SamplingLogger sampling(make_null_logger(), clock);
  add_log_metrics(manager.metrics(), sampling);
  const auto metered = with_request_metrics(transport, manager.metrics(), clock, "host");
  EXPECT_EQ(families(manager.metrics().expose()), documented());
}

TEST_F(ObservabilityTest, every_counter_starts_at_zero) {
  const auto metered = with_request_metrics(transport, manager.metrics(), clock, "host");
  std::istringstream text(manager.metrics().expose());
  std::string type;
  int counters = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("# TYPE ")) type = line.substr(line.rfind(' ') + 1);
    if (line.starts_with("#") || type != "counter") continue;
    ++counters;
    EXPECT_TRUE(line.ends_with(" 0")) << line;
  }
  EXPECT_GE(counters, 20);
}

TEST_F(ObservabilityTest, no_name_of_an_object_becomes_a_label) {
  run();
  work = [](ReconcileContext&) -> Result<Next> { return fail(ErrorClass::Unavailable, "no"); };
  const auto lines_now = [this] {
    const std::string text = manager.metrics().expose();
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = lines_now();
  for (int i = 0; i < 500; ++i) controller.enqueue({"n", "object-" + std::to_string(i)});
  executor.advance(seconds(5));
  EXPECT_GT(reconciles, 500);
  EXPECT_EQ(lines_now(), before);
}

TEST_F(ObservabilityTest, the_leader_metric_follows_the_lease) {
  const auto master = [this] {
    return manager.metrics().expose().find("leader_election_master_status{name=\"reprise-operator\"} 1") !=
           std::string::npos;
  };
  EXPECT_FALSE(master());
  run();
  EXPECT_TRUE(master());
  lease_status = 500;
  executor.advance(seconds(11));
  EXPECT_FALSE(master());
}

TEST_F(ObservabilityTest, a_leader_that_outlives_its_lease_is_aborted_once_and_not_alive) {
  run();
  EXPECT_TRUE(manager.liveness().run().ok);
  lease_status = 500;
  executor.advance(seconds(14));
  EXPECT_TRUE(manager.liveness().run().ok);
  EXPECT_TRUE(aborts.empty());
  executor.advance(seconds(1));
  ASSERT_EQ(aborts.size(), 1U);
  const HealthReport health = manager.liveness().run();
  EXPECT_FALSE(health.ok);
  EXPECT_NE(health.text.find("[-]leaderElection failed: the lease ended"), std::string::npos);
}

TEST_F(ObservabilityTest, a_server_out_of_reach_makes_a_standby_neither_dead_nor_unready) {
  other_holder = "other";
  run();
  transport.last_stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "no route"); });
  for (int i = 0; i < 60; ++i) {
    executor.advance(minutes(1));
    if (transport.last_stream().open()) transport.last_stream().close(Error{ErrorClass::Unavailable, "reset", {}});
    const HealthReport health = manager.liveness().run();
    ASSERT_TRUE(health.ok) << health.text;
    ASSERT_TRUE(manager.readiness().run().ok);
  }
}

TEST_F(ObservabilityTest, a_reconcile_that_runs_a_minute_longer_than_it_may_is_named) {
  work = [this](ReconcileContext&) {
    clock.advance(seconds(180));
    EXPECT_EQ(manager.liveness().run().text.find("[-]workers"), std::string::npos);
    clock.advance(seconds(1));
    const HealthReport health = manager.liveness().run();
    EXPECT_NE(health.text.find("[-]workers failed: controller things: n/a has been running for 181 s, at most 180 s"),
              std::string::npos)
        << health.text;
    EXPECT_NE(dump().find("reconcile controller=things key=n/a age=181000ms"), std::string::npos);
    return Next::done();
  };
  run();
  EXPECT_EQ(reconciles, 1);
  EXPECT_EQ(manager.liveness().run().text.find("[-]workers"), std::string::npos);
}

TEST_F(ObservabilityTest, a_watch_that_forgot_to_act_is_named) {
  run();
  clock.advance(minutes(5) + seconds(1));  // and the loop does nothing
  const HealthReport health = manager.liveness().run();
  EXPECT_FALSE(health.ok);
  EXPECT_NE(health.text.find("[-]watches failed: the watch of things: no byte for 301 s though connected"),
            std::string::npos)
      << health.text;
  EXPECT_NE(health.text.find("[-]loop failed"), std::string::npos);
}

TEST_F(ObservabilityTest, readiness_does_not_end_before_the_work_does) {
  run();
  lease_status = 500;
  executor.advance(seconds(11));  // lost: the process is to stop
  EXPECT_TRUE(manager.readiness().run().ok);
  EXPECT_TRUE(manager.liveness().run().ok);
}

TEST_F(ObservabilityTest, the_dump_tells_of_lease_watches_queues_floors_and_requests) {
  EXPECT_NE(dump().find("lease phase=Following"), std::string::npos);
  work = [](ReconcileContext&) -> Result<Next> { return fail(ErrorClass::Unavailable, "no"); };
  run();
  clock.advance(seconds(3));
  const std::string text = dump();
  for (const char* part :
       {"lease phase=Leading holder=me transitions=0 renewed=3000ms ago permitsEndIn=11500ms leaseEndsIn=11500ms",
        "informer kind=Thing namespace= state=Live synced=true objects=1 resourceVersion=100 lastByteAge=3000ms",
        "controller name=things ready=0 working=0 delayed=1 failing=1 mostFailures=1", "floors ownersWaiting=0",
        "requests underWay=0"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(ObservabilityTest, lines_of_a_reconcile_name_controller_object_and_id) {
  work = [](ReconcileContext& context) {
    Thing thing;
    thing.meta.namespace_ = "n";
    thing.meta.name = "other";
    thing.meta.uid = "u";
    context.logger().info("Did it", {about(thing), uid_of(thing)});
    return Next::done();
  };
  run();
  EXPECT_NE(lines.text.find(R"("msg":"Did it","controller":"things","namespace":"n","name":"a","reconcileID":")"),
            std::string::npos)
      << lines.text;
  EXPECT_NE(lines.text.find(R"(,"Thing":"n/other","uid":"u")"), std::string::npos) << lines.text;
}

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

// Everything that can be read of a process, after all went wrong that can, at the lowest level.
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
    // A server, or something between, that repeats what it was sent.
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
