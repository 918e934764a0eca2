// Metrics of one watched collection.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/base/clock.h"
#include "runtime/cache/watch/watch_request.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime::internal {

class WatchMetrics {
 public:
  // `clock` outlives the registry's readers.
  WatchMetrics(MetricsRegistry& registry, const WatchTarget& target, const Clock& clock);

  // Bytes of a watch or a list arrived.
  void received(std::size_t bytes, Instant now) {
    bytes_.add(static_cast<double>(bytes));
    last_byte_->store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void event(WatchEventType type) { events_[static_cast<std::size_t>(type)]->add(); }
  void list_begun();
  // Changes are followed from a version on: the first time after a list, or again.
  void watch_continued();
  void failed() { failures_.add(); }

 private:
  Counter &relists_, &rewatches_, &failures_, &bytes_;
  std::array<Counter*, 5> events_{};
  std::shared_ptr<std::atomic<Instant::rep>> last_byte_;  // shared with the gauge
  bool listed_ = false;
  bool following_ = false;
};

}  // namespace reprise::runtime::internal
