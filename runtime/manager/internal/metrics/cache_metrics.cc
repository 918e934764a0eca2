#include <algorithm>
#include <charconv>

#include "runtime/manager/internal/parts_view.h"

namespace reprise::runtime::internal {
namespace {

double as_number(const std::string& version) {
  double value = 0;
  (void)std::from_chars(version.data(), version.data() + version.size(), value);
  return value;
}

double oldest_version(const InformerBase& informer) {
  double oldest = 0;
  bool first = true;
  for (const WatchStatus& watch : informer.watches()) {
    const double version = as_number(informer.view().resource_version(watch.namespace_));
    oldest = std::exchange(first, false) ? version : std::min(oldest, version);
  }
  return oldest;
}

}  // namespace

void add_cache_metrics(MetricsRegistry& metrics, const InformerBase& informer) {
  const Labels labels{{"kind", std::string(informer.kind().kind)}};
  metrics.gauge_of("reprise_cache_resource_version", "The version up to which the cache has everything.", labels,
                   [&informer] { return oldest_version(informer); });
}

}  // namespace reprise::runtime::internal
