#include "controllers/metrics/recorder.h"

#include <utility>

#include "controllers/metrics/job_changes.h"
#include "controllers/metrics/table.h"

namespace reprise::controllers::metrics {
namespace {

// Buckets for recoveries: seconds to two hours.
const std::vector<double>& bounds() {
  static const std::vector<double> seconds{1, 2, 5, 10, 20, 30, 60, 90, 120, 180, 300, 600, 1200, 1800, 3600, 7200};
  return seconds;
}

}  // namespace

void Recorder::record(const Change& change, bool happened) {
  const Info& about = info(change.name);
  switch (about.type) {
    case Type::Counter:
      registry_.counter(about.name, about.help, change.labels).add(change.value);
      break;
    case Type::Histogram: {
      runtime::Histogram& histogram = registry_.histogram(about.name, about.help, change.labels, bounds());
      if (happened) histogram.observe(change.value);
      break;
    }
    case Type::Gauge:  // read from the caches
      break;
  }
}

void Recorder::record(const Changes& changes) {
  for (const Change& change : changes) record(change, true);
}

void Recorder::know_pool(const std::string& pool) {
  {
    const std::lock_guard lock(mutex_);
    if (!pools_.insert(pool).second) return;
  }
  for (const Change& zero : zeros_of_pool(pool)) record(zero, false);
}

void add_gauges(runtime::MetricsRegistry& registry, std::function<std::vector<runtime::Reading>()> read) {
  std::vector<runtime::GaugeFamily> families;
  for (const Info& each : all())
    if (each.type == Type::Gauge) families.push_back({each.name, each.help});
  registry.gauges_of(std::move(families), std::move(read));
}

}  // namespace reprise::controllers::metrics
