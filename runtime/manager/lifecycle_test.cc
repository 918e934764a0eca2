// Stopping a manager whose workers are threads, while one of them is blocked in an API server that never answers.
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>

#include "runtime/http/asio_executor.h"
#include "runtime/manager/manager.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using testing::Thing;

// Answers for the lease only; everything else waits for ever, or ends with an error.
struct LeaseOnlyTransport final : Transport {
  explicit LeaseOnlyTransport(Executor& runs) : executor(runs) {}
  Result<Response> send(const Request&) override { return fail(ErrorClass::Terminal, "must not block here"); }
  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    const std::lock_guard lock(mutex);
    if (request.path_and_query.find("/leases") == std::string::npos) {
      if (accepts && request.method != Method::Get) {
        written_before_lease = lease_writes.size();
        ++accepted;
        executor.post([done = std::move(done), answer = Response{.status = 200, .body = testing::thing_json("a", 7)}] {
          done(answer);
        });
        return;
      }
      if (!ends_with) {
        waiting.push_back(std::move(done));
        arrived.notify_all();
        return;
      }
      executor.post([done = std::move(done), error = *ends_with] { done(std::unexpected(error)); });
      return;
    }
    if (request.method != Method::Get) lease_writes.push_back(request.body);
    Response answer{.status = 404, .body = R"({"kind":"Status","reason":"NotFound","code":404})"};
    if (request.method != Method::Get) {
      answer = {.status = 200,
                .body = R"({"metadata":{"resourceVersion":"1"},"spec":{"holderIdentity":"me",)"
                        R"("leaseDurationSeconds":15}})"};
    }
    executor.post([done = std::move(done), answer = std::move(answer)] { done(answer); });
  }
  std::unique_ptr<Stream> open(Request, StreamSink&) override { return nullptr; }
  void await_request() {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [this] { return !waiting.empty(); });
  }

  Executor& executor;
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::function<void(Result<Response>)>> waiting;
  std::vector<std::string> lease_writes;
  bool accepts = false;  // writes
  int accepted = 0;
  std::size_t written_before_lease = 0;  // how often the lease had been written at the last write of something else
  std::optional<Error> ends_with;
};

struct Blocking final : Reconciler {
  Blocking(bool writing, ErrorClass& seen) : writes(writing), end(seen) {}
  Result<Next> reconcile(ReconcileContext& context, const ObjectKey&) override {
    if (writes) {
      end = context.create<Thing>("n", "{}").error().error_class;
    } else {
      end = context.read_live<Thing>("n", "a").error().error_class;
    }
    return fail(end, "no answer");
  }
  bool writes;
  ErrorClass& end;
};

struct Writing final : Reconciler {
  explicit Writing(std::promise<ErrorClass>& what) : end(what) {}
  Result<Next> reconcile(ReconcileContext& context, const ObjectKey&) override {
    end.set_value(context.create<Thing>("n", "{}").error().error_class);
    return fail(ErrorClass::Terminal, "once is enough");
  }
  std::promise<ErrorClass>& end;
};

// Keeps back all that it was asked for.
struct HoldingBack final : Reconciler {
  HoldingBack(int count, std::promise<void>& led) : keys(count), leads(led) {}
  Result<Next> reconcile(ReconcileContext&, const ObjectKey&) override {
    leads.set_value();
    return Next::done();
  }
  std::vector<ObjectKey> held_back() override {
    std::vector<ObjectKey> held;
    for (int i = 0; i < keys; ++i) held.push_back({"n", std::to_string(i)});
    return held;
  }
  Result<void> write_back(ReconcileContext& context, const ObjectKey& key) override {
    auto done = context.patch<Thing>(key.namespace_, key.name, PatchType::Merge, "{}", "status");
    if (!done) return std::unexpected(done.error());
    return {};
  }
  int keys;
  std::promise<void>& leads;
};

struct LifecycleTest : ::testing::Test {
  // Stops a manager whose reconciler holds something back.
  void stop_while_holding(int keys) {
    std::promise<void> leads;
    ManagerOptions limited = options();
    limited.drain_timeout = milliseconds(400);
    Manager manager(limited, {transport, executor, clock, random, *logger});
    manager.add_controller("c", std::make_unique<HoldingBack>(keys, leads)).enqueue({"n", "a"});
    EXPECT_TRUE(manager.start());
    leads.get_future().get();
    manager.stop();
  }
  // Stops a manager while a reconcile is blocked in a read or a write; how its call ended.
  ErrorClass stop_while_blocked(bool in_write) {
    ErrorClass end = ErrorClass::Terminal;
    Manager manager(options(), {transport, executor, clock, random, *logger});
    Controller& controller = manager.add_controller("c", std::make_unique<Blocking>(in_write, end));
    controller.enqueue({"n", "a"});
    EXPECT_TRUE(manager.start());
    transport.await_request();
    manager.stop();
    return end;
  }
  // Stops a manager after a write that ended with this error.
  void stop_after_a_write_that_ends_with(Error error) {
    transport.ends_with = std::move(error);
    std::promise<ErrorClass> end;
    Manager manager(options(), {transport, executor, clock, random, *logger});
    Controller& controller = manager.add_controller("c", std::make_unique<Writing>(end));
    controller.enqueue({"n", "a"});
    EXPECT_TRUE(manager.start());
    EXPECT_EQ(end.get_future().get(), ErrorClass::Unavailable);
    manager.stop();
  }
  static ManagerOptions options() {
    ManagerOptions options;
    options.lease_namespace = "n";
    options.identity = "me";
    options.drain_timeout = milliseconds(10);
    return options;
  }
  bool lease_given_back() { return transport.lease_writes.back().find(R"("holderIdentity":"")") != std::string::npos; }

  SystemClock clock;
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  AsioExecutor executor;
  LeaseOnlyTransport transport{executor};
};

TEST_F(LifecycleTest, a_blocked_read_ends_with_cancelled_and_the_lease_is_given_back) {
  EXPECT_EQ(stop_while_blocked(false), ErrorClass::Cancelled);
  EXPECT_TRUE(lease_given_back());
}

TEST_F(LifecycleTest, a_write_that_had_to_be_cut_off_keeps_the_lease_until_it_runs_out) {
  EXPECT_EQ(stop_while_blocked(true), ErrorClass::Cancelled);
  EXPECT_FALSE(lease_given_back());
}

TEST_F(LifecycleTest, a_write_that_ended_without_an_answer_a_moment_ago_keeps_the_lease_too) {
  stop_after_a_write_that_ends_with({ErrorClass::Unavailable, "timed out", {}});
  EXPECT_FALSE(lease_given_back());
}

TEST_F(LifecycleTest, what_is_held_back_is_written_before_the_lease_is_given_back) {
  transport.accepts = true;
  stop_while_holding(10);
  EXPECT_EQ(transport.accepted, 10);
  EXPECT_TRUE(lease_given_back());
  EXPECT_LT(transport.written_before_lease, transport.lease_writes.size());
}

TEST_F(LifecycleTest, an_api_server_that_does_not_answer_costs_what_is_held_back_and_not_the_shutdown) {
  stop_while_holding(1000);
  EXPECT_EQ(transport.accepted, 0);
  EXPECT_LE(transport.waiting.size(), 4U) << "as many as there are workers";
  EXPECT_FALSE(lease_given_back()) << "these writes may still arrive";
}

TEST_F(LifecycleTest, a_write_that_never_left_does_not_keep_the_lease) {
  stop_after_a_write_that_ends_with({ErrorClass::Unavailable, "no route", {}, true});
  EXPECT_TRUE(lease_given_back());
}

}  // namespace
}  // namespace reprise::runtime
