// One seed, one scenario: the real operator in the embedded cluster, a workload, a spot market and faults; judged after
// every step and at its end. The same seed gives the same scenario, byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cluster/event_log.h"
#include "simulator/cluster/installation.h"
#include "simulator/faults/fault_mix.h"
#include "simulator/invariants/checker.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

using LookAtMetrics = std::function<void(runtime::WallTime at, std::size_t replica, const std::string& shown)>;

struct ScenarioOptions {
  std::uint64_t seed = 1;
  std::optional<FaultMix> mix = {};  // instead of the seed's own; an empty one: nothing goes wrong but the market
  std::string operator_log = "off";  // "debug", "info", ...: the operator's lines in the event log
  bool until_broken = false;         // ends with the first invariant that is broken: nobody reads the rest
  // Called about each minute with the /metrics of each replica; the scenario goes on as it would without.
  LookAtMetrics look_at_metrics = {};
};

struct ScenarioOutcome {
  std::uint64_t seed = 0;
  Workload workload;
  FaultMix mix;
  std::vector<Violation> violations;
  std::uint64_t digest = 0;  // the event log's
  std::vector<LogEntry> log;
  Duration virtual_time{0};
  std::uint64_t interruptions = 0;          // machines that were called back
  std::uint64_t counted_interruptions = 0;  // by the operator: the sum of the jobs' interruptionCount
  std::uint64_t planned_interruptions = 0;  // the part of these by which a pool moved a job
  std::uint64_t operator_starts = 0, operator_requests = 0;
};

// `kinds`: from read_own_kinds(), once for all scenarios.
[[nodiscard]] ScenarioOutcome run_scenario(const OwnKinds& kinds, const ScenarioOptions& options);

}  // namespace reprise::simulator
