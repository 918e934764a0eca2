// Carries changes into a registry. The families of the table are there from the start; series of a pool come with it.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "controllers/metrics/change.h"

namespace reprise::controllers::metrics {

// Any thread.
class Recorder {
 public:
  explicit Recorder(runtime::MetricsRegistry& registry) : registry_(registry) { know_pool(""); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void record(const Changes& changes);
  // The pool's counters show 0 from now on. "": those of jobs without a pool.
  void know_pool(const std::string& pool);

 private:
  void record(const Change& change, bool happened);

  runtime::MetricsRegistry& registry_;
  std::mutex mutex_;
  std::set<std::string> pools_;
};

// The gauges of the table, whose readings come from `read`; they are called for as the registry's gauges_of says.
void add_gauges(runtime::MetricsRegistry& registry, std::function<std::vector<runtime::Reading>()> read);

}  // namespace reprise::controllers::metrics
