// Where the traces of jobs go, where they are wanted.
#pragma once

#include <memory>
#include <string>

#include "apps/reprise-operator/operator_options.h"
#include "runtime/traces/otlp_connection.h"

namespace reprise::apps {

// Nothing where neither the flag nor the environment names a receiver. Terminal: what they say is wrong. `metrics` and
// `logger` outlive it.
[[nodiscard]] runtime::Result<std::unique_ptr<runtime::OtlpConnection>> open_traces(const OperatorOptions& options,
                                                                                    const std::string& version,
                                                                                    runtime::MetricsRegistry& metrics,
                                                                                    runtime::Logger& logger);

}  // namespace reprise::apps
