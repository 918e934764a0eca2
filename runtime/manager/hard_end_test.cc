// A process that may not write any more ends, whatever keeps its threads.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "runtime/manager/manager.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::VirtualClock;

struct Doing final : Reconciler {
  explicit Doing(std::function<void()> what) : work(std::move(what)) {}
  Result<Next> reconcile(ReconcileContext&, const ObjectKey&) override {
    work();
    return Next::done();
  }
  std::function<void()> work;
};

// A real process as far as threads go, with a clock and an end that the test holds.
struct LeaderOnThreads : ::testing::Test {
  LeaderOnThreads() {
    transport.on_request([](const Request& request) -> Result<Response> {
      if (request.method == Method::Get) return Response{.status = 404};
      return Response{.status = 200,
                      .body = R"({"metadata":{"resourceVersion":"1"},"spec":{"holderIdentity":"me",)"
                              R"("leaseDurationSeconds":15}})"};
    });
  }
  ~LeaderOnThreads() override {
    stopped = true;
    if (loop.joinable()) loop.join();
  }
  ManagerOptions options() {
    ManagerOptions chosen;
    chosen.lease_namespace = "n";
    chosen.identity = "me";
    chosen.abort = [this](std::string_view why) {
      if (!reported.exchange(true)) aborted.set_value(std::string(why));
    };
    return chosen;
  }
  void run_loop() {
    loop = std::thread([this] {
      while (!stopped) {
        executor.settle();
        std::this_thread::yield();
      }
    });
  }
  std::string reason() { return aborted.get_future().get(); }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  std::atomic<bool> reported{false}, stopped{false};
  std::promise<std::string> aborted;
  Manager manager{options(), {transport, executor, clock, random, *logger}};
  std::thread loop;
};

TEST_F(LeaderOnThreads, a_stuck_loop_does_not_keep_the_process_alive_past_its_lease) {
  ASSERT_TRUE(manager.start());
  executor.settle();
  ASSERT_TRUE(manager.leading());
  clock.advance(seconds(15));  // nobody drives the loop
  EXPECT_NE(reason().find("The lease is over"), std::string::npos);
  run_loop();  // for an orderly end of the test
  manager.stop();
}

TEST_F(LeaderOnThreads, a_drain_that_hangs_does_not_keep_the_process_alive_past_its_lease) {
  std::promise<void> begun, let_go;
  auto& controller = manager.add_controller("c", std::make_unique<Doing>([&] {
                                              begun.set_value();
                                              let_go.get_future().wait();
                                            }));
  controller.enqueue({"n", "a"});
  ASSERT_TRUE(manager.start());
  run_loop();
  begun.get_future().wait();
  std::thread stopping([this] { manager.stop(); });
  clock.advance(seconds(15));
  EXPECT_NE(reason().find("The lease is over"), std::string::npos);
  let_go.set_value();
  stopping.join();
}

}  // namespace
}  // namespace reprise::runtime
