// The parts of a manager as probes and the state dump look at them. All of it may be looked at
// from any thread, also while the I/O loop is stuck.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cache/informer.h"
#include "runtime/cache/watch/watermarks.h"
#include "runtime/leader/elector.h"
#include "runtime/manager/controller.h"
#include "runtime/manager/internal/catch_up.h"
#include "runtime/metrics/running_work.h"
#include "runtime/metrics/serving/health.h"

namespace reprise::runtime::internal {

struct PartsView {
  const Clock& clock;
  const std::vector<std::unique_ptr<InformerBase>>& informers;
  const std::vector<std::unique_ptr<Controller>>& controllers;
  const Watermarks& watermarks;
  const LeaderElector* elector;  // null: leader election is off
  const CatchUp* catch_up;       // null as well then
  const RunningWork& requests;
};

// Adds the checks "leaderElection", "takeover", "watches" and "workers".
void add_liveness_checks(HealthChecks& liveness, const PartsView& parts);

// The gauges of one cache, by kind.
void add_cache_metrics(MetricsRegistry& metrics, const InformerBase& informer);

// One line per informer, cache that a new leader waits for, controller, running key, waiting owner, and request under
// way: "informer kind=Pod state=Live".
[[nodiscard]] std::vector<std::string> dump_state(const PartsView& parts);

}  // namespace reprise::runtime::internal
