// OTLP's ExportTraceServiceRequest in its JSON encoding.
#pragma once

#include <span>
#include <string>

#include "runtime/traces/span.h"

namespace reprise::runtime {

// The sender: attributes of the resource ("service.name"), and the library that made the spans.
struct TraceSource {
  Attributes resource;
  std::string scope, scope_version;
};

[[nodiscard]] std::string encode_otlp(const TraceSource& source, std::span<const Span> spans);

}  // namespace reprise::runtime
