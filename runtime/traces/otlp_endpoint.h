// Finds the receiver of traces, and its headers: from a flag, and the variables that OpenTelemetry has for every
// program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace reprise::runtime {

struct OtlpEndpoint {
  std::string server;                                        // "https://collector:4318"
  std::string path;                                          // "/v1/traces"
  std::vector<std::pair<std::string, std::string>> headers;  // may hold secrets
  std::string ca_file;                                       // PEM; empty: the system's authorities
};

// The value of a variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;

// `flag` (a URL, to which /v1/traces is added) goes before OTEL_EXPORTER_OTLP_TRACES_ENDPOINT (taken as it is) and
// OTEL_EXPORTER_OTLP_ENDPOINT (/v1/traces is added). None of them, or OTEL_SDK_DISABLED=true: nothing, traces are off.
// OTEL_EXPORTER_OTLP_[TRACES_]HEADERS and ..._CERTIFICATE are read beside. Terminal: a wrong value; the message names
// the variable or the flag, and never a header's value.
[[nodiscard]] Result<std::optional<OtlpEndpoint>> find_otlp_endpoint(std::string_view flag,
                                                                     const Environment& environment);

// Checks that a text may be given as that flag.
[[nodiscard]] Result<void> check_otlp_url(std::string_view name, std::string_view url);

}  // namespace reprise::runtime
