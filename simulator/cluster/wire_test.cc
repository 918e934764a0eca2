#include "simulator/cluster/wire.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace reprise::simulator {
namespace {

using runtime::ErrorClass;
using runtime::Method;
using runtime::Request;

const Request create{.method = Method::Post,
                     .path_and_query = "/api/v1/namespaces/default/configmaps",
                     .headers = {{"Content-Type", "application/json"}},
                     .body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"};
const Request follow{.path_and_query = "/api/v1/configmaps?watch=true&allowWatchBookmarks=true"};

class ScriptedWireFaults final : public WireFaults {
 public:
  std::deque<ExchangeFault> exchanges;
  WatchFault next_watch;
  [[nodiscard]] ExchangeFault exchange(const Request&, std::uint64_t) override {
    if (exchanges.empty()) return {};
    ExchangeFault fault = exchanges.front();
    exchanges.pop_front();
    return fault;
  }
  [[nodiscard]] WatchFault watch(const Request&) override { return next_watch; }
};

class Lines final : public runtime::StreamSink {
 public:
  std::string text;
  int status = 0;
  bool closed = false, broken = false;
  void on_status(int code, std::optional<Duration>) override { status = code; }
  void on_bytes(std::string_view bytes) override { text += bytes; }
  void on_closed(std::optional<runtime::Error> error) override {
    closed = true;
    broken = error.has_value();
  }
};

class WireTest : public testing::Test {
 protected:
  [[nodiscard]] bool created() const { return api.get({api.resource("", "configmaps"), "default", "a"}) != nullptr; }
  void rename_labels(const std::string& to) {
    ASSERT_TRUE(api.update({api.resource("", "configmaps"), "default", "a"}, [&](Value& value) {
      set(value, {"metadata", "labels", "to"}, Value(to));
    }));
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  EventLog log{loop};
  Cluster cluster{loop, random, api, log};
  ScriptedWireFaults wire_faults;
  int crashes = 0;
  Wire wire{cluster, wire_faults, "operator", [this] { ++crashes; }};
};

TEST_F(WireTest, a_blocking_call_takes_its_time_and_lets_others_act) {
  wire_faults.exchanges.push_back({.there = Duration{30}, .back = Duration{20}});
  bool seen_before = true;
  loop.after(Duration{10}, [&] { seen_before = created(); });
  const auto answer = wire.send(create);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201);
  EXPECT_FALSE(seen_before);
  EXPECT_EQ(loop.now(), Duration{50});
}

TEST_F(WireTest, a_lost_request_has_no_effect_and_a_lost_answer_has_one) {
  wire_faults.exchanges.push_back({.kind = ExchangeFault::Kind::LostRequest});
  wire_faults.exchanges.push_back({.kind = ExchangeFault::Kind::LostAnswer});
  const auto first = wire.send(create);
  EXPECT_EQ(first.error().error_class, ErrorClass::Unavailable);
  EXPECT_FALSE(first.error().not_sent);
  EXPECT_FALSE(created());
  EXPECT_EQ(wire.send(create).error().error_class, ErrorClass::Unavailable);
  EXPECT_TRUE(created());
}

TEST_F(WireTest, a_rejection_carries_its_status_and_changes_nothing) {
  wire_faults.exchanges.push_back(
      {.kind = ExchangeFault::Kind::Rejected, .status = 429, .retry_after = std::chrono::seconds(2)});
  const auto answer = wire.send(create);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, std::chrono::seconds(2));
  EXPECT_FALSE(created());
}

TEST_F(WireTest, a_crash_after_a_write_leaves_the_write_and_ends_every_call) {
  wire_faults.exchanges.push_back({.kind = ExchangeFault::Kind::CrashAfter});
  EXPECT_EQ(wire.send(create).error().error_class, ErrorClass::Cancelled);
  EXPECT_TRUE(created());
  EXPECT_EQ(crashes, 1);
  EXPECT_EQ(wire.send(create).error().error_class, ErrorClass::Cancelled);
}

TEST_F(WireTest, a_crash_before_a_write_leaves_nothing) {
  wire_faults.exchanges.push_back({.kind = ExchangeFault::Kind::CrashBefore});
  EXPECT_EQ(wire.send(create).error().error_class, ErrorClass::Cancelled);
  EXPECT_FALSE(created());
  EXPECT_EQ(crashes, 1);
}

TEST_F(WireTest, a_write_on_the_lips_of_a_process_that_stands_still_leaves_when_it_goes_on_and_is_looked_at_then) {
  int stood_still = 0;
  wire.stand_still_at_next_write(Duration{20'000}, [&] { ++stood_still; });
  bool may_leave = true;
  loop.after(Duration{10'000}, [&] { may_leave = false; });
  Request late = create;
  late.before_send = [&]() -> runtime::Result<void> {
    if (may_leave) return {};
    return runtime::fail(ErrorClass::NoPermit, "no lease");
  };
  EXPECT_TRUE(wire.send({.path_and_query = "/api/v1/configmaps"})) << "a read does not count";
  EXPECT_EQ(stood_still, 0);
  EXPECT_EQ(wire.send(late).error().error_class, ErrorClass::NoPermit);
  EXPECT_EQ(stood_still, 1);
  EXPECT_GE(loop.now(), Duration{20'000});
  EXPECT_FALSE(created());
  EXPECT_TRUE(wire.send(create)) << "once";
}

TEST_F(WireTest, no_frame_reaches_a_process_that_stands_still) {
  Lines lines;
  const auto stream = wire.open(follow, lines);
  loop.run_until(Duration{100});
  ASSERT_EQ(lines.status, 200);
  wire.stand_still_at_next_write(Duration{20'000}, [] {});
  wire.send_async(create, [](const auto&) {});
  loop.after(Duration{1'000}, [&] {
    (void)api.create(api.resource("", "configmaps"),
                     JsonObject{{"apiVersion", "v1"},
                                {"kind", "ConfigMap"},
                                {"metadata", JsonObject{{"name", "b"}, {"namespace", "default"}}}});
  });
  loop.run_until(Duration{20'000});
  EXPECT_EQ(lines.text.find("ADDED"), std::string::npos);
  loop.run_until(Duration{20'200});
  EXPECT_NE(lines.text.find("ADDED"), std::string::npos);
}

TEST_F(WireTest, what_may_not_leave_does_not_leave) {
  Request forbidden = create;
  forbidden.before_send = [] { return runtime::fail(ErrorClass::NoPermit, "no lease"); };
  EXPECT_EQ(wire.send(forbidden).error().error_class, ErrorClass::NoPermit);
  EXPECT_FALSE(created());
}

TEST_F(WireTest, a_slow_answer_is_an_error_in_time_and_its_write_happens) {
  wire_faults.exchanges.push_back({.there = Duration{40'000}});
  EXPECT_EQ(wire.send(create).error().error_class, ErrorClass::Unavailable);
  EXPECT_EQ(loop.now(), Duration{30'000});
  EXPECT_FALSE(created());
  loop.run_until(Duration{50'000});
  EXPECT_TRUE(created());
}

TEST_F(WireTest, a_watch_hears_of_changes_late) {
  Lines lines;
  wire_faults.next_watch = {.delay = Duration{100}};
  const auto stream = wire.open(follow, lines);
  loop.run_until(Duration{1'000});
  EXPECT_EQ(lines.status, 200);
  ASSERT_TRUE(wire.send(create));
  EXPECT_EQ(lines.text, "");
  loop.run_until(loop.now() + Duration{100});
  EXPECT_NE(lines.text.find("\"ADDED\""), std::string::npos);
}

TEST_F(WireTest, a_held_watch_hears_everything_in_the_end) {
  Lines lines;
  wire_faults.next_watch = {.held_from = Duration{0}, .held_for = Duration{5'000}};
  const auto stream = wire.open(follow, lines);
  ASSERT_TRUE(wire.send(create));
  rename_labels("b");
  loop.run_until(Duration{4'900});
  EXPECT_EQ(lines.text, "");
  loop.run_until(Duration{5'100});
  EXPECT_NE(lines.text.find("\"b\""), std::string::npos);
}

TEST_F(WireTest, a_watch_that_was_let_go_of_hears_nothing_more) {
  Lines lines;
  auto stream = wire.open(follow, lines);
  loop.run_until(Duration{1'000});
  stream.reset();
  ASSERT_TRUE(wire.send(create));
  loop.run_until(Duration{2'000});
  EXPECT_EQ(lines.text, "");
  EXPECT_FALSE(lines.closed);
}

TEST_F(WireTest, partitioned_from_the_server_watches_break_and_requests_are_refused) {
  Lines lines;
  const auto stream = wire.open(follow, lines);
  loop.run_until(Duration{1'000});
  wire.partition(true);
  EXPECT_TRUE(wire.send(create).error().not_sent);
  loop.run_until(Duration{1'010});
  EXPECT_TRUE(lines.broken);
  wire.partition(false);
  EXPECT_TRUE(wire.send(create));
}

}  // namespace
}  // namespace reprise::simulator
