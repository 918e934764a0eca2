// An informer's handling of all that a server may send, in both encodings.
#include "runtime/cache/informer_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::EncodingNames;
using testing::Encodings;
using testing::Seen;
using testing::World;

template <class Script>
struct InformerTest : ::testing::Test, World<Script> {};

TYPED_TEST_SUITE(InformerTest, Encodings, EncodingNames);

TYPED_TEST(InformerTest, asks_for_a_streaming_list_with_bookmarks_and_its_selector) {
  this->start();
  for (const char* part : {"watch=true", "allowWatchBookmarks=true", "sendInitialEvents=true",
                           "resourceVersionMatch=NotOlderThan", "labelSelector=app%3Dx"}) {
    EXPECT_TRUE(this->last_request_has(part)) << part;
  }
  EXPECT_FALSE(this->last_request_has("resourceVersion="));
}

TYPED_TEST(InformerTest, nobody_sees_a_half_filled_cache) {
  this->start();
  this->stream().status(200);
  this->send("ADDED", {.name = "a", .version = 90});
  EXPECT_FALSE(this->informer.synced());
  EXPECT_EQ(this->informer.store().size(), 0U);
  EXPECT_EQ(this->recorder.take(), Seen{});
  this->bookmark(100, true);
  EXPECT_TRUE(this->informer.synced());
  EXPECT_EQ(this->informer.store().resource_version(), "100");
  EXPECT_EQ(this->recorder.take(), Seen{"+a"});
}

TYPED_TEST(InformerTest, what_goes_while_the_list_streams_is_not_in_it) {
  this->start();
  this->stream().status(200);
  for (const char* name : {"a", "b"}) this->send("ADDED", {.name = name, .version = 90});
  this->send("MODIFIED", {.name = "b", .version = 95});
  this->send("DELETED", {.name = "a", .version = 96});
  this->bookmark(100, true);
  EXPECT_EQ(this->recorder.take(), Seen{"+b"});
  ASSERT_EQ(this->informer.store().size(), 1U);
  EXPECT_EQ(this->informer.store().all()[0]->meta.resource_version, "95");
}

TYPED_TEST(InformerTest, a_list_that_comes_again_keeps_the_objects_that_did_not_change) {
  this->go_live();
  this->send("ADDED", {.name = "b", .version = 101});
  const auto before = this->informer.store().all();
  this->gone();
  this->executor.advance(seconds(60));
  this->stream().status(200);
  this->send("ADDED", {.name = "a", .version = 90});
  this->send("ADDED", {.name = "b", .version = 150});
  this->bookmark(200, true);
  const auto after = this->informer.store().all();
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  EXPECT_EQ(this->recorder.take(), (Seen{"+b", "~b:101>150"}));
}

// A reader that misses an object in the store asks at once who has gone.
template <class Object>
struct Witness final : Listener<Object> {
  explicit Witness(const Store<Object>& watched) : store(watched) {}
  void on_add(const Object&) override {}
  void on_update(const Object&, const Object&) override {}
  void on_leaving(const std::shared_ptr<const Object>& last, bool unknown) override {
    left.push_back(last->meta.name + (unknown ? "?" : ""));
    still_there = still_there && store.get("n", last->meta.name) != nullptr;
  }
  void on_delete(std::shared_ptr<const Object>, bool) override {}
  const Store<Object>& store;
  Seen left;
  bool still_there = true;
};

TYPED_TEST(InformerTest, says_who_leaves_before_the_store_lets_go) {
  Witness<typename TypeParam::Object> witness(this->informer.store());
  this->informer.add_listener(witness);
  this->go_live();
  for (const char* name : {"b", "c"}) this->send("ADDED", {.name = name, .version = 101});
  this->send("DELETED", {.name = "a", .version = 102});
  EXPECT_EQ(witness.left, Seen{"a"});
  this->gone();
  this->executor.advance(seconds(60));
  this->stream().status(200);
  this->send("ADDED", {.name = "c", .version = 101});
  this->bookmark(200, true);
  EXPECT_EQ(witness.left, (Seen{"a", "b?"}));
  EXPECT_TRUE(witness.still_there);
}

TYPED_TEST(InformerTest, tells_how_many_objects_it_holds_and_in_how_much_memory) {
  const std::string kind = "{kind=\"" + std::string(TypeParam::kind) + "\"} ";
  EXPECT_TRUE(this->metrics_have("reprise_cache_objects" + kind + "0"));
  this->go_live();
  EXPECT_TRUE(this->metrics_have("reprise_cache_objects" + kind + "1"));
  EXPECT_FALSE(this->metrics_have("reprise_cache_bytes" + kind + "0"));
}

TYPED_TEST(InformerTest, objects_share_what_is_equal_in_them) {
  this->go_live();
  this->send("ADDED", {.name = "b", .version = 101, .color = "a color that many have"});
  this->send("ADDED", {.name = "c", .version = 102, .color = "a color that many have"});
  const auto b = this->informer.store().get("n", "b");
  const auto c = this->informer.store().get("n", "c");
  ASSERT_TRUE(b && c);
  EXPECT_EQ(b->meta.label("color"), "a color that many have");
  EXPECT_EQ(b->meta.labels.entries().block(), c->meta.labels.entries().block());
}

TYPED_TEST(InformerTest, an_event_over_many_chunks_is_one_event) {
  this->go_live();
  for (const char c : TypeParam::event("MODIFIED", {.name = "a", .version = 101})) {
    this->stream().bytes(std::string(1, c));
  }
  EXPECT_EQ(this->recorder.take(), Seen{"~a:90>101"});
}

TYPED_TEST(InformerTest, a_stream_that_is_cut_anywhere_is_the_same_stream) {
  const auto bytes = TypeParam::event("ADDED", {.name = "b", .version = 101}) +
                     TypeParam::event("MODIFIED", {.name = "b", .version = 102, .color = "red"}) +
                     TypeParam::event("DELETED", {.name = "b", .version = 103});
  this->go_live();
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    this->stream().bytes(std::string_view(bytes).substr(0, cut));
    this->stream().bytes(std::string_view(bytes).substr(cut));
    ASSERT_EQ(this->recorder.take(), (Seen{"+b", "~b:101>102", "-b"})) << cut;
  }
}

TYPED_TEST(InformerTest, several_events_in_one_chunk_come_in_order) {
  this->go_live();
  this->stream().bytes(TypeParam::event("ADDED", {.name = "b", .version = 101}) +
                       TypeParam::event("MODIFIED", {.name = "b", .version = 102}) +
                       TypeParam::event("DELETED", {.name = "b", .version = 103}) +
                       TypeParam::event("ADDED", {.name = "c", .version = 104}).substr(0, 20));
  EXPECT_EQ(this->recorder.take(), (Seen{"+b", "~b:101>102", "-b"}));
  EXPECT_EQ(this->informer.store().resource_version(), "103");
}

TYPED_TEST(InformerTest, an_event_of_a_mebibyte_arrives_whole) {
  this->go_live();
  const auto event = TypeParam::event("ADDED", {.name = "b", .version = 101, .padding = 1U << 20U});
  for (std::size_t at = 0; at < event.size(); at += 16384) {
    this->stream().bytes(std::string_view(event).substr(at, 16384));
  }
  EXPECT_EQ(this->recorder.take(), Seen{"+b"});
}

TYPED_TEST(InformerTest, an_event_beyond_the_limit_ends_the_stream_and_keeps_the_version) {
  this->go_live();
  const auto event = TypeParam::event("ADDED", {.name = "b", .version = 101, .padding = 17U << 20U});
  for (std::size_t at = 0; at < event.size() && this->stream().open(); at += 1U << 20U) {
    this->stream().bytes(std::string_view(event).substr(at, 1U << 20U));
  }
  EXPECT_FALSE(this->stream().open());
  this->executor.advance(seconds(1));
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
}

TYPED_TEST(InformerTest, an_object_that_does_not_decode_is_left_out_and_counted) {
  this->go_live();
  this->send("ADDED", {.name = "bad", .version = 101, .broken = true});
  this->send("ADDED", {.name = "good", .version = 102});
  EXPECT_EQ(this->recorder.take(), Seen{"+good"});
  EXPECT_TRUE(this->metrics_have("reprise_undecodable_objects_total{kind=\"" + std::string(TypeParam::kind) + "\"} 1"));
}

TYPED_TEST(InformerTest, an_object_that_stops_decoding_stays_as_it_last_was_until_it_is_deleted) {
  this->go_live();
  this->send("MODIFIED", {.name = "a", .version = 101, .broken = true});
  EXPECT_EQ(this->informer.store().get("n", "a")->meta.resource_version, "90");
  this->gone();
  this->executor.advance(seconds(1));
  this->stream().status(200);
  this->send("ADDED", {.name = "a", .version = 101, .broken = true});
  this->bookmark(200, true);
  EXPECT_EQ(this->recorder.take(), Seen{});
  this->send("DELETED", {.name = "a", .version = 201, .broken = true});
  EXPECT_EQ(this->recorder.take(), Seen{"-a"});
  EXPECT_EQ(this->informer.store().get("n", "a"), nullptr);
}

TYPED_TEST(InformerTest, what_is_no_event_ends_the_stream_and_not_the_process) {
  this->go_live();
  this->stream().bytes(TypeParam::framed("<html>proxy error</html>"));
  EXPECT_FALSE(this->stream().open());
  this->executor.advance(seconds(1));
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
}

TYPED_TEST(InformerTest, a_name_taken_by_another_object_is_a_deletion_and_an_addition) {
  this->go_live();
  this->gone();
  this->executor.advance(seconds(1));
  this->stream().status(200);
  this->send("ADDED", {.name = "a", .version = 190, .uid = "u-z"});
  this->bookmark(200, true);
  EXPECT_EQ(this->recorder.take(), (Seen{"-a?", "+a"}));
}

TYPED_TEST(InformerTest, an_index_follows_its_objects) {
  this->informer.store().add_index("color", [](const typename TypeParam::Object& thing) {
    return std::vector<std::string>{std::string(thing.meta.label("color"))};
  });
  this->go_live();
  this->send("MODIFIED", {.name = "a", .version = 101, .color = "red"});
  EXPECT_EQ(this->informer.store().by_index("color", "red").size(), 1U);
  EXPECT_EQ(this->informer.store().by_index("color", "").size(), 0U);
  this->send("DELETED", {.name = "a", .version = 102, .color = "red"});
  EXPECT_EQ(this->informer.store().by_index("color", "red").size(), 0U);
  EXPECT_EQ(this->informer.store().by_uid("u-a"), nullptr);
}

TYPED_TEST(InformerTest, what_comes_is_counted_by_kind_and_type) {
  const std::string kind = "kind=\"" + std::string(TypeParam::kind) + "\"";
  EXPECT_TRUE(this->metrics_have("reprise_watch_relists_total{" + kind + "} 0"));
  this->go_live();
  this->send("MODIFIED", {.name = "a", .version = 101});
  this->executor.advance(seconds(9));
  EXPECT_TRUE(this->metrics_have("reprise_watch_events_total{" + kind + ",type=\"ADDED\"} 1"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_events_total{" + kind + ",type=\"MODIFIED\"} 1"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_events_total{" + kind + ",type=\"DELETED\"} 0"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_events_total{" + kind + ",type=\"BOOKMARK\"} 1"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_age_seconds{" + kind + ",label_selector=\"app=x\"} 9"));
  EXPECT_FALSE(this->metrics_have("reprise_watch_bytes_total{" + kind + "} 0"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_rewatches_total{" + kind + "} 0"));
  this->stream().close();
  this->executor.settle();
  EXPECT_TRUE(this->metrics_have("reprise_watch_rewatches_total{" + kind + "} 1"));
  this->stream().status(200);
  this->gone();
  this->executor.advance(seconds(1));
  this->stream().status(200);
  EXPECT_TRUE(this->metrics_have("reprise_watch_relists_total{" + kind + "} 1"));
  EXPECT_TRUE(this->metrics_have("reprise_watch_rewatches_total{" + kind + "} 1"));
}

TYPED_TEST(InformerTest, a_listener_may_stop_the_informer_in_the_middle_of_a_chunk) {
  this->go_live();
  this->informer.on_any([this](const auto& thing) {
    if (thing.meta.name == "b") this->informer.stop();
  });
  this->stream().bytes(TypeParam::event("ADDED", {.name = "b", .version = 101}) +
                       TypeParam::event("ADDED", {.name = "c", .version = 102}));
  EXPECT_EQ(this->recorder.take(), Seen{"+b"});
  EXPECT_FALSE(this->stream().open());
}

}  // namespace
}  // namespace reprise::runtime
