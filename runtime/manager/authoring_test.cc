// The tools of controller authors: watches, predicates, finalizers, statuses, owner references.
#include <gtest/gtest.h>

#include "runtime/kube/owner_reference.h"
#include "runtime/manager/controller_world_for_tests.h"
#include "runtime/manager/finalizers.h"
#include "runtime/manager/removal.h"
#include "runtime/manager/status_writer.h"
#include "runtime/manager/watches.h"

namespace reprise::runtime {

// A kind with a status, made of nothing.
struct Valve {
  struct Status {
    std::int64_t observed_generation = -1;
    std::string state;
    bool operator==(const Status&) const = default;
  };
  kube::ObjectMeta meta;
  Status status;
};

std::string encode_status_patch(const Valve::Status& status, std::string_view resource_version) {
  return "{" + std::string(resource_version) + ":" + status.state + "}";
}

}  // namespace reprise::runtime

namespace reprise::kube {

template <>
struct KindOf<runtime::Valve> {
  static constexpr KindInfo info() { return {"test.dev", "v1", "Valve", "valves", true}; }
  [[nodiscard]] static std::expected<runtime::Valve, DecodeError> decode(std::string_view) { return runtime::Valve{}; }
};

}  // namespace reprise::kube

namespace reprise::runtime {
namespace {

using testing::Thing;
using testing::thing_json;

struct AuthoringTest : ControllerTest {
  // Runs `work` as the next reconcile.
  template <class Work>
  void in_reconcile(Work work) {
    reconciler.run = [work](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
      work(context);
      return Next::done();
    };
    enqueue();
  }
  Thing with_finalizers(std::vector<std::string> finalizers, bool deleting = false) {
    Thing thing = *kube::KindOf<Thing>::decode(thing_json("a", 90));
    thing.meta.finalizers = std::move(finalizers);
    if (deleting) thing.meta.deletion_timestamp = kube::Time{};
    return thing;
  }
  std::string last_body() { return transport.requests().back().body; }
};

struct WatchesTest : AuthoringTest {
  WatchesTest() {
    controller.stop();
    watched.start_on_executor();
  }
  ~WatchesTest() override { watched.stop(); }
  struct Seeing final : Reconciler {
    Result<Next> reconcile(ReconcileContext&, const ObjectKey& key) override {
      keys.push_back(to_string(key));
      return Next::done();
    }
    std::vector<std::string> keys;
  };
  void send(const std::string& type, const std::string& object) {
    transport.last_stream().line(R"({"type":")" + type + R"(","object":)" + object + "}");
  }
  // Starts the informer, whose first list brings `objects`.
  void list(const std::vector<std::string>& objects) {
    things.start();
    executor.settle();
    transport.last_stream().status(200);
    for (const std::string& object : objects) send("ADDED", object);
    send("BOOKMARK", R"({"metadata":{"resourceVersion":"100","annotations":{"k8s.io/initial-events-end":"true"}}})");
  }
  double waiting(Priority priority) {
    return metrics.gauge("workqueue_depth", "", {{"controller", "w"}, {"name", "w"}, {"priority", to_string(priority)}})
        .value();
  }
  // The keys reconciled since the last call.
  std::vector<std::string> seen() {
    executor.settle();
    return std::exchange(seeing.keys, {});
  }
  using Keys = std::vector<std::string>;

  Seeing seeing;
  Controller watched{"w",
                     seeing,
                     {transport, permits, watermarks, events, executor, clock, random, *logger, metrics},
                     ControllerOptions{}};
  Informer<Thing> things{{transport, executor, clock, random, *logger, metrics, {}}, {}};
};

TEST_F(WatchesTest, what_a_list_brings_is_background_and_what_a_watch_brings_is_news) {
  watch_primary(watched, things);
  list({thing_json("old", 90)});
  EXPECT_EQ(waiting(Priority::Background), 1);
  EXPECT_EQ(waiting(Priority::News), 0);
  send("ADDED", thing_json("fresh", 101));
  EXPECT_EQ(waiting(Priority::News), 1);
  EXPECT_EQ(seen(), (Keys{"n/fresh", "n/old"}));
}

TEST_F(WatchesTest, a_change_that_leaves_the_generation_wakes_no_primary_but_its_deletion_does) {
  watch_primary(watched, things);
  list({thing_json("a", 90)});
  (void)seen();
  send("MODIFIED", thing_json("a", 101));
  EXPECT_EQ(seen(), Keys{});
  send("DELETED", thing_json("a", 102));
  EXPECT_EQ(seen(), Keys{"n/a"});
}

TEST_F(WatchesTest, an_object_of_the_same_name_and_another_uid_is_no_mere_change) {
  watch_primary(watched, things);
  list({thing_json("a", 90)});
  (void)seen();
  std::string another = thing_json("a", 101);
  another.replace(another.find("u-a"), 3, "u-z");
  send("MODIFIED", another);
  EXPECT_EQ(seen(), Keys{"n/a"});
}

TEST_F(WatchesTest, a_mapper_is_asked_about_both_sides_of_a_change) {
  watch_mapped<Thing>(watched, things, [](const Thing& thing) {
    return std::vector{ObjectKey{"n", std::string(thing.meta.label("color"))}};
  });
  list({thing_json("a", 90, R"(,"color":"red")")});
  EXPECT_EQ(seen(), Keys{"n/red"});
  send("MODIFIED", thing_json("a", 101, R"(,"color":"blue")"));
  EXPECT_EQ(seen(), (Keys{"n/red", "n/blue"}));
}

TEST_F(WatchesTest, predicates_judge_what_they_are_named_after) {
  Thing before = with_finalizers({}), after = before;
  EXPECT_TRUE(any_change<Thing>()(before, after));
  EXPECT_FALSE(generation_changed<Thing>()(before, after));
  EXPECT_FALSE(either(labels_changed<Thing>(), annotations_changed<Thing>())(before, after));
  after.meta.labels["a"] = "b";
  EXPECT_TRUE(labels_changed<Thing>()(before, after));
  EXPECT_FALSE(annotations_changed<Thing>()(before, after));
  EXPECT_TRUE(either(labels_changed<Thing>(), annotations_changed<Thing>())(before, after));
  after = before;
  after.meta.annotations["a"] = "b";
  EXPECT_TRUE(annotations_changed<Thing>()(before, after));
  after.meta.generation = 2;
  EXPECT_TRUE(generation_changed<Thing>()(before, after));
  after = before;
  after.meta.deletion_timestamp = kube::Time{};
  EXPECT_TRUE(generation_changed<Thing>()(before, after));
}

TEST(OwnerReference, names_the_owner_as_the_controller_and_leads_back_to_it) {
  Valve valve;
  valve.meta.name = "v";
  valve.meta.uid = "u";
  const kube::OwnerReference reference = kube::owner_reference(valve);
  EXPECT_EQ(reference, (kube::OwnerReference{"test.dev/v1", "Valve", "v", "u", true, true}));
  const OwnerOf<Valve> owner;
  kube::ObjectMeta child;
  child.namespace_ = "n";
  EXPECT_TRUE(owner(child).empty());
  child.owner_references = {reference};
  EXPECT_EQ(owner(child), (std::vector{ObjectKey{"n", "v"}}));
  child.owner_references[0].api_version = "test.dev/v2";
  EXPECT_EQ(owner(child), (std::vector{ObjectKey{"n", "v"}}));
  child.owner_references[0].api_version = "other.dev/v1";
  EXPECT_TRUE(owner(child).empty());
}

TEST_F(AuthoringTest, a_finalizer_is_added_with_a_test_of_the_whole_list) {
  accept_writes();
  in_reconcile([&](ReconcileContext& context) {
    EXPECT_EQ(ensure_finalizer(context, with_finalizers({"other"}), "mine"), true);
  });
  EXPECT_EQ(last_body(), R"([{"op":"test","path":"/metadata/uid","value":"u-a"},)"
                         R"({"op":"test","path":"/metadata/finalizers","value":["other"]},)"
                         R"({"op":"add","path":"/metadata/finalizers","value":["other","mine"]}])");
}

TEST_F(AuthoringTest, a_finalizer_that_is_there_or_that_comes_too_late_is_not_added) {
  in_reconcile([&](ReconcileContext& context) {
    EXPECT_EQ(ensure_finalizer(context, with_finalizers({"mine"}), "mine"), true);
    EXPECT_EQ(ensure_finalizer(context, with_finalizers({}, true), "mine"), false);
  });
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(AuthoringTest, a_finalizer_is_removed_by_its_place_with_a_test_of_its_name) {
  accept_writes();
  in_reconcile([&](ReconcileContext& context) {
    EXPECT_TRUE(remove_finalizer(context, with_finalizers({"other", "mine"}, true), "mine"));
  });
  EXPECT_EQ(last_body(), R"([{"op":"test","path":"/metadata/uid","value":"u-a"},)"
                         R"({"op":"test","path":"/metadata/finalizers/1","value":"mine"},)"
                         R"({"op":"remove","path":"/metadata/finalizers/1"}])");
}

TEST_F(AuthoringTest, removing_a_finalizer_from_what_is_gone_is_success) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 404}; });
  in_reconcile([&](ReconcileContext& context) {
    EXPECT_TRUE(remove_finalizer(context, with_finalizers({"mine"}, true), "mine"));
  });
}

TEST_F(AuthoringTest, nothing_is_applied_before_the_finalizer_is_there_and_it_stays_until_the_cleanup_is_done) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 409}; });
  const auto never = []() -> Result<Next> {
    ADD_FAILURE() << "must not run";
    return Next::done();
  };
  in_reconcile([&](ReconcileContext& context) {
    EXPECT_FALSE(with_finalizer(context, with_finalizers({}), "mine", never, never));
  });
  EXPECT_EQ(transport.requests().size(), 1U);
  in_reconcile([&](ReconcileContext& context) {
    const auto busy = []() -> Result<Next> { return Next::in(std::chrono::seconds(5)); };
    const auto fails = []() -> Result<Next> { return fail(ErrorClass::Unavailable, "not yet"); };
    EXPECT_TRUE(with_finalizer(context, with_finalizers({"mine"}, true), "mine", never, busy));
    EXPECT_FALSE(with_finalizer(context, with_finalizers({"mine"}, true), "mine", never, fails));
    EXPECT_TRUE(with_finalizer(context, with_finalizers({"other"}, true), "mine", never, never));
  });
  EXPECT_EQ(transport.requests().size(), 1U);
  accept_writes();
  in_reconcile([&](ReconcileContext& context) {
    const auto cleaned = []() -> Result<Next> { return Next::done(); };
    EXPECT_TRUE(with_finalizer(context, with_finalizers({"mine"}, true), "mine", never, cleaned));
  });
  EXPECT_EQ(transport.requests().size(), 2U);
}

TEST_F(AuthoringTest, a_removal_by_uid_asks_for_that_uid_and_no_version) {
  accept_writes();
  in_reconcile([](ReconcileContext& context) { EXPECT_TRUE(remove_by_uid<Thing>(context, "n", "a", "u-a", 30)); });
  EXPECT_EQ(transport.requests().back().method, Method::Delete);
  EXPECT_NE(last_body().find(R"("gracePeriodSeconds":30)"), std::string::npos);
  EXPECT_NE(last_body().find(R"("preconditions":{"uid":"u-a"})"), std::string::npos);
}

TEST_F(AuthoringTest, removing_by_uid_what_is_gone_or_has_a_successor_of_its_name_is_success) {
  for (const int status : {404, 409}) {
    transport.on_request([status](const Request&) -> Result<Response> { return Response{.status = status}; });
    in_reconcile([](ReconcileContext& context) { EXPECT_TRUE(remove_by_uid<Thing>(context, "n", "a", "u-a")); });
  }
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 403}; });
  in_reconcile([](ReconcileContext& context) { EXPECT_FALSE(remove_by_uid<Thing>(context, "n", "a", "u-a")); });
}

TEST_F(AuthoringTest, an_equal_status_is_not_sent) {
  in_reconcile([](ReconcileContext& context) {
    Valve valve;
    EXPECT_EQ(write_status_if_changed(context, valve, valve.status), StatusWrite::Unchanged);
  });
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(AuthoringTest, another_status_is_sent_to_the_subresource_under_the_version_it_was_decided_on) {
  accept_writes();
  in_reconcile([](ReconcileContext& context) {
    Valve valve;
    valve.meta.name = "v";
    valve.meta.namespace_ = "n";
    valve.meta.resource_version = "7";
    EXPECT_EQ(write_status_if_changed(context, valve, {1, "open"}), StatusWrite::Written);
  });
  EXPECT_EQ(transport.requests().back().path_and_query, "/apis/test.dev/v1/namespaces/n/valves/v/status");
  EXPECT_EQ(last_body(), "{7:open}");
}

TEST_F(AuthoringTest, the_status_of_what_is_gone_is_nobodys_concern_and_a_conflict_is_an_error) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 404}; });
  in_reconcile([](ReconcileContext& context) {
    EXPECT_EQ(write_status_if_changed(context, Valve{}, {1, "open"}), StatusWrite::Gone);
  });
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 409}; });
  in_reconcile([](ReconcileContext& context) {
    const auto written = write_status_if_changed(context, Valve{}, {1, "open"});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().error_class, ErrorClass::Conflict);
  });
}

}  // namespace
}  // namespace reprise::runtime
