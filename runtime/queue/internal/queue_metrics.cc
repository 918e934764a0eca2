#include "runtime/queue/internal/queue_metrics.h"

namespace reprise::runtime::internal {

QueueMetrics::QueueMetrics(MetricsRegistry& registry, const std::string& name)
    : depth(),
      adds(registry.counter("workqueue_adds_total", "Total number of adds handled by workqueue.", labels(name))),
      retries(
          registry.counter("workqueue_retries_total", "Total number of retries handled by workqueue.", labels(name))),
      queued(registry.histogram("workqueue_queue_duration_seconds",
                                "How long in seconds an item stays in workqueue before being requested.",
                                labels(name))),
      worked(registry.histogram("workqueue_work_duration_seconds",
                                "How long in seconds processing an item from workqueue takes.", labels(name))) {
  for (std::size_t i = 0; i < depth.size(); ++i) {
    Labels with_priority = labels(name);
    with_priority.emplace_back("priority", to_string(all_priorities[i]));
    depth[i] = &registry.gauge("workqueue_depth", "Current depth of workqueue.", with_priority);
  }
}

void QueueMetrics::show_depth(const KeyStates& keys) {
  for (std::size_t i = 0; i < depth.size(); ++i) depth[i]->set(static_cast<double>(keys.ready(all_priorities[i])));
}

}  // namespace reprise::runtime::internal
