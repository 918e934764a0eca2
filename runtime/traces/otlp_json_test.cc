// The JSON of OTLP, read back by a reader that knows nothing of the writer.
#include "runtime/traces/otlp_json.h"

#include <gtest/gtest.h>

#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

using std::chrono::microseconds;

Span span_of(const std::string& name) {
  Span span;
  span.trace = trace_id_of("job");
  span.id = span_id_of(name);
  span.name = name;
  span.start = WallTime{microseconds(1'764'000'000'123'456)};
  span.end = span.start + microseconds(1);
  return span;
}

Json::Value read(const std::vector<Span>& spans) {
  const TraceSource source{
      .resource = {{"service.name", "reprise-operator"}}, .scope = "reprise.dev/jobs", .scope_version = "1.2.3"};
  const auto tree = internal::parse_json(encode_otlp(source, spans));
  EXPECT_TRUE(tree);
  return tree.value_or(Json::Value{});
}

const Json::Value& first_span(const Json::Value& tree) {
  return tree["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
}

TEST(OtlpJson, says_who_sends_and_what_made_the_spans) {
  const Json::Value tree = read({span_of("a"), span_of("b")});
  const Json::Value& resource = tree["resourceSpans"][0]["resource"]["attributes"][0];
  EXPECT_EQ(resource["key"], "service.name");
  EXPECT_EQ(resource["value"]["stringValue"], "reprise-operator");
  const Json::Value& scope = tree["resourceSpans"][0]["scopeSpans"][0];
  EXPECT_EQ(scope["scope"]["name"], "reprise.dev/jobs");
  EXPECT_EQ(scope["scope"]["version"], "1.2.3");
  ASSERT_EQ(scope["spans"].size(), 2U);
  EXPECT_EQ(scope["spans"][1]["name"], "b");
}

TEST(OtlpJson, has_ids_in_hexadecimal_times_as_text_and_kind_and_status_as_numbers) {
  Span span = span_of("attempt 1");
  span.trace = {0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c};
  span.parent = {0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74};
  span.status = SpanStatus::Error;
  span.message = "exit code 1, \"out of memory\"\n";
  const Json::Value tree = read({span});
  const Json::Value& json = first_span(tree);
  EXPECT_EQ(json["traceId"], "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(json["parentSpanId"], "eee19b7ec3c1b174");
  EXPECT_EQ(json["spanId"].asString().size(), 16U);
  EXPECT_EQ(json["startTimeUnixNano"], "1764000000123456000");
  EXPECT_EQ(json["endTimeUnixNano"], "1764000000123457000");
  EXPECT_EQ(json["kind"], 1);
  EXPECT_EQ(json["status"]["code"], 2);
  EXPECT_EQ(json["status"]["message"], span.message);
}

TEST(OtlpJson, leaves_the_parent_of_a_root_out) {
  const Json::Value tree = read({span_of("root")});
  EXPECT_FALSE(first_span(tree).isMember("parentSpanId"));
  EXPECT_FALSE(first_span(tree)["status"].isMember("code"));
}

TEST(OtlpJson, has_each_kind_of_value_under_its_own_name) {
  Span span = span_of("a");
  span.attributes = {{"text", "t"}, {"number", std::int64_t{1} << 40U}, {"flag", true}};
  span.attributes.emplace_back("list", std::vector<std::string>{"x", "y"});
  span.events = {{span.start, "interruption", {{"reason", "SpotInterrupted"}}}};
  const Json::Value tree = read({span});
  const Json::Value& json = first_span(tree);
  EXPECT_EQ(json["attributes"][0]["value"]["stringValue"], "t");
  EXPECT_EQ(json["attributes"][1]["value"]["intValue"], "1099511627776") << "64 bits are text";
  EXPECT_EQ(json["attributes"][2]["value"]["boolValue"], true);
  EXPECT_EQ(json["attributes"][3]["value"]["arrayValue"]["values"][1]["stringValue"], "y");
  EXPECT_EQ(json["events"][0]["name"], "interruption");
  EXPECT_EQ(json["events"][0]["timeUnixNano"], "1764000000123456000");
  EXPECT_EQ(json["events"][0]["attributes"][0]["value"]["stringValue"], "SpotInterrupted");
}

TEST(SpanIds, are_the_beginning_of_the_sha_256_of_their_text) {
  EXPECT_EQ(to_hex(trace_id_of("abc")), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_EQ(to_hex(span_id_of("abc")), "ba7816bf8f01cfea");
}

}  // namespace
}  // namespace reprise::runtime
