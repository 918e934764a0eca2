#include "runtime/manager/internal/cancellation.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/testing/manual_executor.h"

namespace reprise::runtime::internal {
namespace {

// Takes requests and answers none until told to.
struct SilentTransport final : Transport {
  Result<Response> send(const Request&) override { return fail(ErrorClass::Terminal, "must not block here"); }
  void send_async(Request, std::function<void(Result<Response>)> done) override {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(done));
    taken.notify_all();
  }
  std::unique_ptr<Stream> open(Request, StreamSink&) override { return nullptr; }
  void await_request() {
    std::unique_lock lock(mutex);
    taken.wait(lock, [this] { return !waiting.empty(); });
  }
  std::mutex mutex;
  std::condition_variable taken;
  std::vector<std::function<void(Result<Response>)>> waiting;
};

struct CancellationTest : ::testing::Test {
  // The class of the error that a blocking call ends with after `meanwhile`.
  ErrorClass end_of(Method method, const std::function<void()>& meanwhile) {
    Result<Response> result;
    std::thread caller([&] { result = cancellation.send(transport, {.method = method}); });
    transport.await_request();
    meanwhile();
    caller.join();
    return result ? ErrorClass::Terminal : result.error().error_class;
  }
  SilentTransport transport;
  Cancellation cancellation;
};

TEST_F(CancellationTest, a_blocking_read_ends_with_cancelled_and_cuts_no_write) {
  EXPECT_EQ(end_of(Method::Get, [this] { cancellation.cancel(); }), ErrorClass::Cancelled);
  EXPECT_FALSE(cancellation.cut_a_write());
  transport.waiting.front()(Response{.status = 200});  // too late, and harmless
}

TEST_F(CancellationTest, a_blocking_write_that_is_cut_off_is_known) {
  EXPECT_EQ(end_of(Method::Post, [this] { cancellation.cancel(); }), ErrorClass::Cancelled);
  EXPECT_TRUE(cancellation.cut_a_write());
}

TEST_F(CancellationTest, after_it_nothing_is_sent) {
  cancellation.cancel();
  EXPECT_EQ(cancellation.send(transport, {.method = Method::Post}).error().error_class, ErrorClass::Cancelled);
  EXPECT_TRUE(transport.waiting.empty());
  EXPECT_FALSE(cancellation.cut_a_write());
}

TEST_F(CancellationTest, an_answer_is_handed_on) {
  EXPECT_EQ(end_of(Method::Get, [this] { transport.waiting.front()(fail(ErrorClass::Throttled, "later")); }),
            ErrorClass::Throttled);
}

TEST_F(CancellationTest, a_transport_that_drops_a_request_ends_its_call) {
  EXPECT_EQ(end_of(Method::Get, [this] { transport.waiting.clear(); }), ErrorClass::Cancelled);
}

// Answers on the caller's thread.
struct BrokenTransport final : Transport {
  Result<Response> send(const Request&) override { return fail(ErrorClass::Unavailable, "the connection broke"); }
  void send_async(Request, std::function<void(Result<Response>)>) override {}
  std::unique_ptr<Stream> open(Request, StreamSink&) override { return nullptr; }
};

TEST_F(CancellationTest, where_one_thread_does_all_calls_run_on_it_and_what_may_still_arrive_is_known_too) {
  testing::VirtualClock clock;
  BrokenTransport broken;
  Cancellation own(false);
  own.cancel();
  BoundedTransport bounded(broken, clock, clock.steady() + std::chrono::seconds(30), &own);
  EXPECT_EQ(bounded.send({.method = Method::Get}).error().error_class, ErrorClass::Unavailable);
  EXPECT_FALSE(own.unanswered_since(Instant::min() + std::chrono::seconds(1)));
  EXPECT_EQ(bounded.send({.method = Method::Patch}).error().error_class, ErrorClass::Unavailable);
  EXPECT_TRUE(own.unanswered_since(clock.steady()));
}

TEST_F(CancellationTest, a_write_that_may_still_arrive_is_known_with_the_time_of_its_end) {
  using std::chrono::seconds;
  struct Ending {
    const char* invariant;
    Method method;
    Result<Response> result;
    bool may_arrive;
  };
  auto unsent = fail(ErrorClass::Unavailable, "no route");
  unsent.error().not_sent = true;
  const Ending endings[] = {
      {"no answer came", Method::Post, fail(ErrorClass::Unavailable, "timed out"), true},
      {"it never left", Method::Post, unsent, false},
      {"it was not allowed", Method::Post, fail(ErrorClass::NoPermit, "over"), false},
      {"a read", Method::Get, fail(ErrorClass::Unavailable, "timed out"), false},
      {"carried out", Method::Post, Response{.status = 201}, false},
      {"rejected", Method::Post, Response{.status = 409}, false},
      {"the server gave up waiting", Method::Delete, Response{.status = 504}, true},
      {"rejected before anything was done", Method::Patch, Response{.status = 503, .retry_after = seconds(1)}, false},
  };
  for (const Ending& ending : endings) {
    testing::VirtualClock clock;
    SilentTransport silent;
    Cancellation own;
    BoundedTransport bounded(silent, clock, clock.steady() + seconds(30), &own);
    const Instant begin = clock.steady();
    std::thread caller([&] { (void)bounded.send({.method = ending.method}); });
    silent.await_request();
    silent.waiting.front()(ending.result);
    caller.join();
    EXPECT_EQ(own.unanswered_since(begin), ending.may_arrive) << ending.invariant;
    EXPECT_FALSE(own.unanswered_since(begin + seconds(1))) << ending.invariant;
    EXPECT_FALSE(own.cut_a_write()) << ending.invariant;
  }
}

}  // namespace
}  // namespace reprise::runtime::internal
