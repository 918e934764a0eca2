#include "runtime/traces/otlp_json.h"

#include "runtime/base/json_text.h"

namespace reprise::runtime {
namespace {

// Numbers of 64 bits are strings in the JSON of protocol buffers.
std::string nanoseconds(WallTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  return '"' + std::to_string(since.count()) + '"';
}

struct ValueText {
  std::string operator()(const std::string& text) const { return R"({"stringValue":)" + json_string(text) + '}'; }
  std::string operator()(std::int64_t number) const { return R"({"intValue":")" + std::to_string(number) + R"("})"; }
  std::string operator()(bool flag) const { return std::string(R"({"boolValue":)") + (flag ? "true}" : "false}"); }
  std::string operator()(const std::vector<std::string>& list) const {
    std::string text = R"({"arrayValue":{"values":[)";
    for (const std::string& each : list) text += (text.back() == '[' ? "" : ",") + (*this)(each);
    return text + "]}}";
  }
};

std::string attributes(const Attributes& all) {
  std::string text = "[";
  for (const auto& [key, value] : all) {
    text += (text.size() > 1 ? "," : "") + (R"({"key":)" + json_string(key));
    text += R"(,"value":)" + std::visit(ValueText{}, value) + '}';
  }
  return text + ']';
}

std::string events(const std::vector<SpanEvent>& all) {
  std::string text = "[";
  for (const SpanEvent& each : all) {
    text += (text.size() > 1 ? "," : "") + (R"({"timeUnixNano":)" + nanoseconds(each.time));
    text += R"(,"name":)" + json_string(each.name) + R"(,"attributes":)" + attributes(each.attributes) + '}';
  }
  return text + ']';
}

std::string status(const Span& span) {
  switch (span.status) {
    case SpanStatus::Unset:
      return "{}";
    case SpanStatus::Ok:
      return R"({"code":1})";
    case SpanStatus::Error:
      return R"({"code":2,"message":)" + json_string(span.message) + '}';
  }
  return "{}";
}

std::string encode(const Span& span) {
  constexpr const char* internal = "1";  // SPAN_KIND_INTERNAL
  std::string text = R"({"traceId":")" + to_hex(span.trace) + R"(","spanId":")" + to_hex(span.id) + '"';
  if (span.parent != SpanId{}) text += R"(,"parentSpanId":")" + to_hex(span.parent) + '"';
  text += R"(,"name":)" + json_string(span.name) + R"(,"kind":)" + internal;
  text += R"(,"startTimeUnixNano":)" + nanoseconds(span.start) + R"(,"endTimeUnixNano":)" + nanoseconds(span.end);
  text += R"(,"attributes":)" + attributes(span.attributes) + R"(,"events":)" + events(span.events);
  return text + R"(,"status":)" + status(span) + '}';
}

}  // namespace

std::string encode_otlp(const TraceSource& source, std::span<const Span> spans) {
  std::string text = R"({"resourceSpans":[{"resource":{"attributes":)" + attributes(source.resource);
  text += R"(},"scopeSpans":[{"scope":{"name":)" + json_string(source.scope) + R"(,"version":)" +
          json_string(source.scope_version) + R"(},"spans":[)";
  for (std::size_t i = 0; i < spans.size(); ++i) text += (i == 0 ? "" : ",") + encode(spans[i]);
  return text + "]}]}]}";
}

}  // namespace reprise::runtime
