#include "runtime/metrics/log_metrics.h"

namespace reprise::runtime {

void add_log_metrics(MetricsRegistry& metrics, const SamplingLogger& logger) {
  metrics.counter_of("reprise_log_dropped_total", "Lines left out of the log because they repeat.", {},
                     [&logger] { return static_cast<double>(logger.left_out()); });
}

}  // namespace reprise::runtime
