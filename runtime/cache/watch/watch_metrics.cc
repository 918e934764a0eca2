#include <chrono>
#include <string>

#include "runtime/cache/internal/watch_metrics.h"

namespace reprise::runtime::internal {
namespace {

Labels of_kind(const WatchTarget& target) {
  return {{"kind", std::string(target.kind.kind)}};
}

// A kind that is watched in parts has one age for each.
Labels of_target(const WatchTarget& target) {
  Labels labels = of_kind(target);
  if (!target.namespace_.empty()) labels.emplace_back("namespace", target.namespace_);
  if (!target.label_selector.empty()) labels.emplace_back("label_selector", target.label_selector);
  if (!target.field_selector.empty()) labels.emplace_back("field_selector", target.field_selector);
  return labels;
}

}  // namespace

WatchMetrics::WatchMetrics(MetricsRegistry& registry, const WatchTarget& target, const Clock& clock)
    : relists_(registry.counter("reprise_watch_relists_total", "Times a cache listed again after its first list.",
                                of_kind(target))),
      rewatches_(registry.counter("reprise_watch_rewatches_total",
                                  "Times a watch was opened again from the last version seen.", of_kind(target))),
      failures_(registry.counter("reprise_watch_failures_total", "Watches and lists that failed.", of_kind(target))),
      bytes_(
          registry.counter("reprise_watch_bytes_total", "Bytes of watches and lists that were read.", of_kind(target))),
      last_byte_(std::make_shared<std::atomic<Instant::rep>>(clock.steady().time_since_epoch().count())) {
  for (const auto type : {WatchEventType::Added, WatchEventType::Modified, WatchEventType::Deleted,
                          WatchEventType::Bookmark, WatchEventType::Error}) {
    Labels labels = of_kind(target);
    labels.emplace_back("type", name(type));
    events_[static_cast<std::size_t>(type)] =
        &registry.counter("reprise_watch_events_total", "Events that watches brought.", labels);
  }
  registry.gauge_of("reprise_watch_age_seconds", "Time since anything came from the server, bookmarks included.",
                    of_target(target), [last = last_byte_, &clock] {
                      const Instant::duration since{last->load(std::memory_order_relaxed)};
                      return std::chrono::duration<double>(clock.steady().time_since_epoch() - since).count();
                    });
}

void WatchMetrics::list_begun() {
  if (listed_) relists_.add();
  listed_ = true;
  following_ = false;
}

void WatchMetrics::watch_continued() {
  if (following_) rewatches_.add();
  following_ = true;
}

}  // namespace reprise::runtime::internal
