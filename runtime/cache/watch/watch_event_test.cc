// Bytes that are no event and no page become an error that says so, in both encodings.
#include "runtime/cache/watch/watch_event.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/kube/internal/wire_for_tests.h"
#include "runtime/testing/watch_script.h"

namespace reprise::runtime {
namespace {

using kube::internal::wire_envelope;
using kube::internal::WireWriter;
using testing::InJson;
using testing::InProtobuf;

std::string wire_event(std::string_view type, std::string_view document) {
  return WireWriter().bytes(1, type).message(2, WireWriter().bytes(1, document)).str();
}
std::string without_length(const std::string& framed) {
  return framed.substr(4);
}

TEST(WatchEvent, shows_type_object_and_version_in_both_encodings) {
  const testing::ThingSpec thing{.name = "a", .version = 90};
  const std::string line = InJson::event("MODIFIED", thing);
  const std::string frame = without_length(InProtobuf::event("MODIFIED", thing));
  for (const auto& event : {parse_watch_event(line), parse_protobuf_watch_event(frame)}) {
    ASSERT_TRUE(event);
    EXPECT_EQ(event->type, WatchEventType::Modified);
    EXPECT_EQ(event->resource_version, "90");
    EXPECT_EQ(peek_key(event->object), (ObjectKey{"n", "a"}));
  }
}

TEST(WatchEvent, split_without_parsing_it_is_what_parsing_finds) {
  for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
    const std::string line = InJson::event(type, {.name = "a", .version = 90, .color = "red\\\"}}"});
    const std::string_view bare = std::string_view(line).substr(0, line.find('\n'));
    const auto whole = parse_watch_event(bare);
    const auto split = split_watch_event(bare);
    ASSERT_TRUE(whole && split) << bare;
    EXPECT_EQ(split->type, whole->type);
    EXPECT_EQ(split->object.bytes, whole->object.bytes);
  }
}

TEST(WatchEvent, lines_of_another_shape_are_left_to_the_parser) {
  for (const char* line :
       {R"({"type": "ADDED","object":{}})", R"({"object":{},"type":"ADDED"})", R"({"type":"ADDED","object":{})",
        R"({"type":"ADDED","object":null})", R"({"type":"ADDED)", R"({"type":"RENAMED","object":{}})",
        R"({"type":"BOOKMARK","object":{}})", R"({"type":"ERROR","object":{}})", "", "<html>"}) {
    EXPECT_FALSE(split_watch_event(line)) << line;
  }
}

TEST(WatchEvent, the_bookmark_that_ends_the_initial_events_is_known_by_its_annotation) {
  for (const bool end : {false, true}) {
    EXPECT_EQ(parse_watch_event(InJson::bookmark(7, end))->initial_events_end, end);
    EXPECT_EQ(parse_protobuf_watch_event(without_length(InProtobuf::bookmark(7, end)))->initial_events_end, end);
  }
}

TEST(WatchEvent, a_status_has_the_same_class_in_both_encodings) {
  struct Case {
    int code;
    const char *reason, *message, *cause;
    ErrorClass expected;
  };
  for (const Case& one :
       {Case{410, "Expired", "too old", "", ErrorClass::Expired}, Case{410, "Gone", "gone", "", ErrorClass::Expired},
        Case{504, "Timeout", "wait", "ResourceVersionTooLarge", ErrorClass::Expired},
        Case{500, "InternalError", "Too large resource version: 9", "", ErrorClass::Expired},
        Case{500, "InternalError", "etcd", "", ErrorClass::Unavailable},
        Case{403, "Forbidden", "no", "", ErrorClass::Forbidden},
        Case{429, "TooManyRequests", "slow", "", ErrorClass::Throttled}}) {
    const auto json = parse_watch_event(InJson::error(one.code, one.reason, one.message, one.cause));
    const auto wire =
        parse_protobuf_watch_event(without_length(InProtobuf::error(one.code, one.reason, one.message, one.cause)));
    ASSERT_TRUE(json && wire);
    EXPECT_EQ(json->error.error_class, one.expected) << one.code << one.reason;
    EXPECT_EQ(wire->error.error_class, one.expected) << one.code << one.reason;
    EXPECT_EQ(json->error.message, wire->error.message);
  }
}

TEST(WatchEvent, what_is_no_event_is_an_error) {
  ASSERT_TRUE(parse_watch_event(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}})"));
  EXPECT_FALSE(parse_watch_event(R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})"));
  EXPECT_FALSE(parse_watch_event(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":""}}})"));
  const std::string object = wire_envelope("v1", "Pod", WireWriter().message(1, WireWriter().bytes(6, "7")).str());
  ASSERT_TRUE(parse_protobuf_watch_event(wire_event("ADDED", object)));
  EXPECT_FALSE(parse_protobuf_watch_event(wire_event("RENAMED", object)));
  EXPECT_FALSE(parse_protobuf_watch_event(wire_event("ADDED", "{}")));
  EXPECT_FALSE(parse_protobuf_watch_event(wire_event("ADDED", "")));
  EXPECT_FALSE(parse_protobuf_watch_event(wire_event("ADDED", wire_envelope("v1", "Pod", ""))));
  EXPECT_FALSE(parse_protobuf_watch_event(wire_event("ADDED", wire_envelope("v1", "Pod", "\x08\x01"))));
  EXPECT_FALSE(parse_protobuf_watch_event("<html>"));
  EXPECT_FALSE(parse_protobuf_watch_event(""));
  EXPECT_FALSE(parse_protobuf_list_page(wire_envelope("v1", "PodList", ""), [](std::string_view) {}));
  EXPECT_FALSE(parse_protobuf_list_page("{}", [](std::string_view) {}));
}

TEST(WatchEvent, bytes_cut_or_changed_anywhere_are_an_event_or_an_error) {
  const std::string frame = without_length(InProtobuf::event("ADDED", {.name = "a", .version = 90, .color = "red"}));
  const std::string page = InProtobuf::page(90, "token", {.name = "a", .version = 90});
  std::mt19937 random(7);
  const auto feed = [](std::string_view bytes) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const std::string_view view(exact.data(), exact.size());
    if (const auto event = parse_protobuf_watch_event(view); event && event->type != WatchEventType::Error) {
      (void)peek_key(event->object);
    }
    (void)parse_protobuf_list_page(view, [](std::string_view item) { (void)peek_key({item, Encoding::Protobuf}); });
  };
  for (const std::string& whole : {frame, page}) {
    for (std::size_t cut = 0; cut < whole.size(); ++cut) feed(std::string_view(whole).substr(0, cut));
    for (int i = 0; i < 20'000; ++i) {
      std::string changed = whole;
      for (int n = 0; n < 2; ++n) changed[random() % changed.size()] = static_cast<char>(random());
      feed(changed);
    }
  }
}

}  // namespace
}  // namespace reprise::runtime
