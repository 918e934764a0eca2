// Spans in OpenTelemetry's sense, as values: an operation, its duration, its parent, and how it ended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::runtime {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;
// Made of the SHA-256 of a text: every process that knows the text names the same trace or span.
[[nodiscard]] TraceId trace_id_of(std::string_view text);
[[nodiscard]] SpanId span_id_of(std::string_view text);
// Lower-case hexadecimal, as OTLP's JSON has it.
[[nodiscard]] std::string to_hex(const TraceId& id);
[[nodiscard]] std::string to_hex(const SpanId& id);

using AttributeValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

struct SpanEvent {
  WallTime time{};
  std::string name;
  Attributes attributes = {};
  bool operator==(const SpanEvent&) const = default;
};

enum class SpanStatus { Unset, Ok, Error };

struct Span {
  TraceId trace{};
  SpanId id{};
  SpanId parent{};  // all zero: the root of its trace
  std::string name;
  WallTime start{}, end{};
  Attributes attributes = {};
  std::vector<SpanEvent> events = {};
  SpanStatus status = SpanStatus::Unset;
  std::string message = {};  // an error's
  bool operator==(const Span&) const = default;
};

// Takes spans that have ended. Any thread; never blocks.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual void add(std::vector<Span> spans) = 0;
};

}  // namespace reprise::runtime
