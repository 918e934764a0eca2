// The metrics of one controller, under controller-runtime's names.
#pragma once

#include <string>

#include "runtime/metrics/metrics.h"

namespace reprise::runtime::internal {

struct ReconcileMetrics {
  ReconcileMetrics(MetricsRegistry& metrics, const std::string& name, int max_concurrent);

  Counter &success, &requeue, &requeue_after, &error;
  Counter &errors, &terminal, &panics, &timeouts, &stale_skips, &fenced;
  Gauge& active;
  Histogram& seconds;
};

}  // namespace reprise::runtime::internal
