// Counts the lines that a logger left out: reprise_log_dropped_total.
#pragma once

#include "runtime/base/log_sampler.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

// `logger` outlives the registry's readers.
void add_log_metrics(MetricsRegistry& metrics, const SamplingLogger& logger);

}  // namespace reprise::runtime
