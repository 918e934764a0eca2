// Opens the receiver of the traces of jobs, if one is configured.
#pragma once

#include <memory>
#include <string>

#include "apps/reprise-operator/operator_options.h"
#include "runtime/traces/otlp_connection.h"

namespace reprise::apps {

// Null when neither the flag nor the environment names a receiver. Terminal: their value is wrong. `metrics` and
// `logger` outlive it.
[[nodiscard]] runtime::Result<std::unique_ptr<runtime::OtlpConnection>> open_traces(const OperatorOptions& options,
                                                                                    const std::string& version,
                                                                                    runtime::MetricsRegistry& metrics,
                                                                                    runtime::Logger& logger);

}  // namespace reprise::apps
