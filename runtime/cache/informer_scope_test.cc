// The requests of an informer, and its fallback where a server has no protobuf.
#include <gtest/gtest.h>

#include "runtime/cache/informer.h"
#include "runtime/kube/metadata.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/watch_script.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::InJson;
using testing::InProtobuf;
using testing::Thing;
using testing::WireThing;

struct InformerScopeTest : ::testing::Test {
  WatchEnvironment environment() { return {transport, executor, clock, random, *logger, metrics, policy}; }
  template <class T>
  std::unique_ptr<Informer<T>> started(InformerScope scope = {}) {
    auto informer = std::make_unique<Informer<T>>(environment(), std::move(scope));
    informer->start();
    executor.settle();
    return informer;
  }
  [[nodiscard]] std::string last_accept() const { return transport.requests().back().headers.at(0).second; }
  [[nodiscard]] bool asks_for_protobuf() const { return last_accept().find("protobuf") != std::string::npos; }

  testing::VirtualClock clock;
  testing::ManualExecutor executor{clock};
  testing::ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  MetricsRegistry metrics;
  WatchPolicy policy;
};

TEST_F(InformerScopeTest, a_kind_that_has_protobuf_is_asked_for_in_it_and_any_other_in_json) {
  const auto wire = started<WireThing>();
  EXPECT_TRUE(asks_for_protobuf());
  const auto json = started<Thing>();
  EXPECT_EQ(last_accept(), "application/json");
}

TEST_F(InformerScopeTest, one_line_chooses_json_for_a_kind_or_for_all) {
  const auto one = started<WireThing>({.encoding = Encoding::Json});
  EXPECT_FALSE(asks_for_protobuf());
  policy.encoding = Encoding::Json;
  const auto all = started<WireThing>();
  EXPECT_FALSE(asks_for_protobuf());
  const auto but = started<WireThing>({.encoding = Encoding::Protobuf});
  EXPECT_TRUE(asks_for_protobuf());
}

TEST_F(InformerScopeTest, an_answer_in_json_is_read_and_json_is_asked_for_from_then_on) {
  const auto informer = started<WireThing>();
  transport.last_stream().status(200);
  transport.last_stream().bytes(InJson::event("ADDED", {.name = "a", .version = 90}));
  transport.last_stream().bytes(InJson::bookmark(100, true));
  EXPECT_TRUE(informer->synced());
  EXPECT_NE(informer->store().get("n", "a"), nullptr);
  transport.last_stream().close();
  executor.advance(WatchPolicy{}.short_watch);
  EXPECT_FALSE(asks_for_protobuf());
}

TEST_F(InformerScopeTest, rejected_protobuf_is_asked_for_in_json_at_once_by_all_watches_of_the_kind) {
  const auto informer = started<WireThing>({.namespaces = {"a", "b"}});
  ASSERT_EQ(transport.streams().size(), 2U);
  transport.streams()[0]->status(406);
  transport.streams()[0]->bytes(InProtobuf::status(406, "NotAcceptable", "only JSON", ""));
  transport.streams()[0]->close();
  executor.settle();
  ASSERT_EQ(transport.streams().size(), 3U);
  EXPECT_FALSE(asks_for_protobuf());
  transport.streams()[1]->close(Error{ErrorClass::Unavailable, "reset", {}});
  executor.advance(seconds(1));
  ASSERT_EQ(transport.streams().size(), 4U);
  EXPECT_FALSE(asks_for_protobuf());
}

TEST_F(InformerScopeTest, pages_in_json_are_read_where_protobuf_was_asked_for) {
  policy.streaming_list = false;
  transport.on_request([](const Request&) -> Result<Response> {
    return Response{.status = 200, .body = InJson::page(100, "", {.name = "a", .version = 50})};
  });
  const auto informer = started<WireThing>();
  EXPECT_TRUE(informer->synced());
  EXPECT_NE(informer->store().get("n", "a"), nullptr);
  EXPECT_FALSE(asks_for_protobuf());
}

TEST_F(InformerScopeTest, an_event_in_json_is_understood_however_it_is_written) {
  const auto informer = started<Thing>();
  transport.last_stream().status(200);
  transport.last_stream().bytes(InJson::bookmark(100, true));
  transport.last_stream().line(R"({ "object" : )" + testing::thing_json("a", 101) + R"(, "type" : "ADDED" })");
  transport.last_stream().line(R"({"type":"ADDED","object":)" + testing::thing_json("b", 102) + R"(,"more":{}})");
  EXPECT_NE(informer->store().get("n", "a"), nullptr);
  EXPECT_NE(informer->store().get("n", "b"), nullptr);
  EXPECT_EQ(informer->store().resource_version(), "102");
}

TEST_F(InformerScopeTest, labels_with_other_keys_than_the_kept_ones_are_left_out_of_the_cache) {
  for (const auto& [kept, size] : {std::pair<std::string_view, std::size_t>{"col", 1}, {"reprise.dev/", 0}}) {
    const auto informer = started<Thing>({.kept_keys = {kept}});
    transport.last_stream().status(200);
    transport.last_stream().bytes(InJson::event("ADDED", {.name = "listed", .version = 90, .color = "red"}));
    transport.last_stream().bytes(InJson::bookmark(100, true));
    transport.last_stream().bytes(InJson::event("ADDED", {.name = "watched", .version = 101, .color = "red"}));
    EXPECT_EQ(informer->store().get("n", "listed")->meta.labels.size(), size);
    EXPECT_EQ(informer->store().get("n", "watched")->meta.labels.size(), size);
  }
}

TEST_F(InformerScopeTest, several_namespaces_are_several_watches_and_synced_when_all_are) {
  const auto informer = started<Thing>({.namespaces = {"a", "b"}});
  ASSERT_EQ(transport.streams().size(), 2U);
  EXPECT_NE(transport.requests()[0].path_and_query.find("/namespaces/a/things?"), std::string::npos);
  EXPECT_NE(transport.requests()[1].path_and_query.find("/namespaces/b/things?"), std::string::npos);
  for (const auto& stream : transport.streams()) {
    EXPECT_FALSE(informer->synced());
    stream->status(200);
    stream->bytes(InJson::bookmark(100, true));
  }
  EXPECT_TRUE(informer->synced());
}

TEST_F(InformerScopeTest, metadata_alone_comes_in_protobuf_for_every_kind) {
  const auto informer = started<kube::Metadata<Thing>>();
  EXPECT_TRUE(asks_for_protobuf());
  EXPECT_NE(last_accept().find("as=PartialObjectMetadata;"), std::string::npos);
  EXPECT_NE(transport.requests().back().path_and_query.find("/things?"), std::string::npos);
  transport.last_stream().status(200);
  transport.last_stream().bytes(InProtobuf::event("ADDED", {.name = "a", .version = 90}));
  transport.last_stream().bytes(InProtobuf::bookmark(100, true));
  ASSERT_NE(informer->store().get("n", "a"), nullptr);
  EXPECT_EQ(informer->store().get("n", "a")->meta.uid, "u-a");
}

}  // namespace
}  // namespace reprise::runtime
