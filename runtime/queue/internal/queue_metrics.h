// The metrics of one work queue, under client-go's names.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "runtime/metrics/metrics.h"
#include "runtime/queue/internal/key_states.h"

namespace reprise::runtime::internal {

struct QueueMetrics {
  QueueMetrics(MetricsRegistry& registry, const std::string& name);
  [[nodiscard]] static Labels labels(const std::string& name) { return {{"controller", name}, {"name", name}}; }
  void show_depth(const KeyStates& keys);

  std::array<Gauge*, all_priorities.size()> depth;
  Counter& adds;
  Counter& retries;
  Histogram& queued;
  Histogram& worked;
};

}  // namespace reprise::runtime::internal
