// Read your writes, as a controller keeps it: the invariants of runtime/cache/watch/watermarks.h.
#include <gtest/gtest.h>

#include "runtime/manager/controller_world_for_tests.h"

namespace reprise::runtime {

struct Unfollowed {
  kube::ObjectMeta meta;
};

}  // namespace reprise::runtime

template <>
struct reprise::kube::KindOf<reprise::runtime::Unfollowed> {
  static constexpr KindInfo info() { return {"test.dev", "v1", "Unfollowed", "unfollowed", true}; }
  [[nodiscard]] static std::expected<runtime::Unfollowed, DecodeError> decode(std::string_view) {
    return runtime::Unfollowed{};
  }
};

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Thing;
using testing::thing_json;

struct OwnWritesTest : ControllerTest {
  // The reconcile creates "child".
  void creates(const std::string& body = R"({"metadata":{"name":"child"}})") {
    reconciler.run = [body](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
      context.set_owner("job-uid");
      auto made = context.create<Thing>("n", body);
      if (!made) return std::unexpected(std::move(made).error());
      return Next::done();
    };
  }
  // Writes are lost; reads get `answer`.
  void lose_writes(std::function<Result<Response>()> answer) {
    transport.on_request([answer = std::move(answer)](const Request& request) -> Result<Response> {
      if (request.method != Method::Get) return fail(ErrorClass::Unavailable, "the answer was lost");
      return answer();
    });
  }
  void show_version(const std::string& version) {
    store.advance("", version);
    watermarks.advanced();
    executor.settle();
  }
};

TEST_F(OwnWritesTest, after_a_write_the_key_waits_until_the_cache_shows_it) {
  accept_writes();
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    EXPECT_TRUE(context.create<Thing>("n", "{}"));
    return Next::done();
  };
  enqueue();
  reconciler.run = nullptr;
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count("stale_sync_skips_total"), 1);
  store.advance("", "105");
  watermarks.advanced();
  executor.settle();
  EXPECT_EQ(reconciler.calls, 2);
}

// Otherwise no status could say that the kind is missing.
TEST_F(OwnWritesTest, a_lost_write_of_a_kind_that_is_not_served_any_more_holds_nothing_up) {
  creates();
  lose_writes([]() -> Result<Response> { return Response{.status = 404, .body = "404 page not found\n"}; });
  enqueue();
  executor.advance(minutes(1));
  EXPECT_EQ(reconciler.calls, 1) << "an outage, for all that is known";
  (void)store.withdraw("");
  watermarks.advanced();
  executor.advance(minutes(5));
  EXPECT_GT(reconciler.calls, 1);
}

TEST_F(OwnWritesTest, after_a_removal_the_key_waits_until_the_cache_shows_it) {
  accept_writes();
  const auto child = std::make_shared<const Thing>(*kube::KindOf<Thing>::decode(testing::thing_json("child", 90)));
  (void)store.upsert("", child);
  reconciler.run = [&](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    EXPECT_TRUE(context.remove(*child));
    return Next::done();
  };
  enqueue();
  EXPECT_NE(transport.requests().back().body.find(R"("preconditions":{"resourceVersion":"90","uid":"u-child"})"),
            std::string::npos);
  reconciler.run = nullptr;
  enqueue();
  EXPECT_EQ(reconciler.calls, 1);
  (void)store.erase("", key_of(*child), "106");
  watermarks.advanced();
  executor.settle();
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, after_a_conflict_what_was_written_before_it_is_still_waited_for) {
  accept_writes();
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    EXPECT_TRUE(context.create<Thing>("n", "{}"));
    return fail(ErrorClass::Conflict, "someone else wrote");
  };
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  show_version("104");
  EXPECT_EQ(reconciler.calls, 1);
  reconciler.run = nullptr;
  show_version("105");
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, after_a_lost_answer_the_key_waits_for_the_version_that_the_server_then_names) {
  creates();
  lose_writes([] { return Response{.status = 200, .body = R"({"items":[)" + thing_json("child", 107) + "]}"}; });
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(transport.requests().back().path_and_query,
            "/apis/test.dev/v1/namespaces/n/things?fieldSelector=metadata.name%3Dchild&limit=1");
  EXPECT_EQ(reconciler.calls, 1);
  reconciler.run = nullptr;
  show_version("106");
  EXPECT_EQ(reconciler.calls, 1);
  show_version("107");
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, while_the_server_does_not_say_what_became_of_a_write_nothing_is_done_for_its_owner) {
  creates();
  lose_writes([] { return fail(ErrorClass::Unavailable, "still down"); });
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_GT(transport.requests().size(), 10U);
  reconciler.run = nullptr;
  lose_writes([] { return Response{.status = 200, .body = R"({"items":[]})"}; });
  executor.advance(minutes(6));
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, after_a_lost_create_under_a_name_of_the_servers_choice_the_whole_kind_is_waited_for) {
  creates(R"({"metadata":{"generateName":"child-"}})");
  lose_writes([] { return Response{.status = 200, .body = R"({"metadata":{"resourceVersion":"300"},"items":[]})"}; });
  enqueue();
  executor.advance(seconds(1));
  EXPECT_EQ(transport.requests().back().path_and_query, "/apis/test.dev/v1/namespaces/n/things?limit=1");
  show_version("299");
  EXPECT_EQ(reconciler.calls, 1);
  reconciler.run = nullptr;
  show_version("300");
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, after_a_lost_removal_of_what_is_gone_the_key_waits_until_the_cache_lacks_it) {
  const auto child = std::make_shared<const Thing>(*kube::KindOf<Thing>::decode(thing_json("child", 90)));
  (void)store.upsert("", child);
  lose_writes([] { return Response{.status = 200, .body = R"({"items":[]})"}; });
  reconciler.run = [&](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    auto removed = context.remove(*child);
    if (!removed) return std::unexpected(std::move(removed).error());
    return Next::done();
  };
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  reconciler.run = nullptr;
  (void)store.erase("", key_of(*child), "120");
  watermarks.advanced();
  executor.settle();
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(OwnWritesTest, what_became_of_a_write_of_a_kind_that_no_cache_follows_is_not_asked) {
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    return std::unexpected(context.patch<Unfollowed>("n", "x", PatchType::Merge, "{}").error());
  };
  lose_writes([] { return fail(ErrorClass::Forbidden, "no right to list that"); });
  enqueue();
  reconciler.run = nullptr;
  executor.advance(seconds(1));
  EXPECT_EQ(reconciler.calls, 2);
  EXPECT_EQ(transport.requests().size(), 1U);
}

TEST_F(OwnWritesTest, a_write_that_the_server_rejected_is_not_waited_for) {
  creates();
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 409}; });
  enqueue();
  reconciler.run = nullptr;
  executor.advance(seconds(1));
  EXPECT_EQ(reconciler.calls, 2);
  EXPECT_EQ(transport.requests().size(), 1U);
}

TEST_F(OwnWritesTest, however_often_a_waiting_key_is_woken_it_is_reconciled_once_when_the_cache_shows_its_write) {
  accept_writes();
  creates();
  enqueue();
  reconciler.run = nullptr;
  for (int i = 0; i < 100; ++i) enqueue();
  EXPECT_EQ(reconciler.calls, 1);
  show_version("105");
  EXPECT_EQ(reconciler.calls, 2);
  EXPECT_EQ(watermarks.waiting(), 0U);
}

}  // namespace
}  // namespace reprise::runtime
