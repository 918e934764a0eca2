// Estimates what a job would have cost. Runs it from many starts over recorded capacity, under each policy, zone by
// zone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/placement/evaluation/replay.h"
#include "controllers/placement/evaluation/trace.h"
#include "controllers/placement/policy/open_ended.h"
#include "runtime/base/error.h"

namespace reprise::controllers::placement {

enum class PolicyKind { Reprise, UpAge, UniformProgress, Greedy, OnDemand, Omniscient };
constexpr PolicyKind kAllPolicies[] = {PolicyKind::Reprise, PolicyKind::UpAge,    PolicyKind::UniformProgress,
                                       PolicyKind::Greedy,  PolicyKind::OnDemand, PolicyKind::Omniscient};

[[nodiscard]] std::string_view name(
    PolicyKind policy);  // "reprise", "up-age", "up", "greedy", "on-demand", "omniscient"
[[nodiscard]] std::optional<PolicyKind> policy_named(std::string_view name);

struct Deadline {
  double hours = 0;
};
struct MaxSlowdown {
  double factor = 1;  // deadline = factor * work
};
using Goal = std::variant<Deadline, MaxSlowdown, Fallback>;

struct EstimateRequest {
  double work = 0;
  Goal goal;
  double changeover = 0.2;
  std::optional<double> on_demand_price;  // USD per node and hour; absent: what the trace says
  std::optional<double> spot_price;
  int nodes = 1;
  std::optional<double> max_extra_cost_percent;
  double starts_every = 12;
  std::vector<PolicyKind> policies;
  bool move_between_zones = false;  // adds a job that may run in any of the zones, as zone "any"
};

struct EstimateRow {  // means over all starts
  PolicyKind policy = PolicyKind::Reprise;
  std::string zone;  // "mean": over all zones
  int starts = 0;
  double cost = 0;
  double saving_percent = 0;  // against on-demand for the work alone
  // Share of what lies between greedy and the omniscient bound; nothing where that is less than 1 % of greedy's cost.
  std::optional<double> gap_closed;
  int deadline_misses = 0;
  double starts_per_job = 0;
  double spot_hours = 0;
  double on_demand_hours = 0;
  double idle_hours = 0;
};

struct TimelineSegment {
  double begin = 0;
  double end = 0;
  Mode mode = Mode::Idle;
};

struct Timeline {  // one run, to be drawn
  std::string zone;
  std::size_t first_tick = 0;
  std::vector<TimelineSegment> market;  // Spot where it was up, Idle where not
  struct Lane {
    PolicyKind policy;
    std::vector<TimelineSegment> segments;
    Outcome run;
  };
  std::vector<Lane> lanes;
};

struct Estimate {
  std::vector<EstimateRow> rows;
  Timeline example;  // the middle start of the first zone
};

// `trace`: all zones to look at. Invalid when prices are neither asked nor in the trace, no start fits, or a policy is
// asked for that needs a deadline where there is none. `progress` is told the share done, ascending to 1.
[[nodiscard]] runtime::Result<Estimate> estimate(const Trace& trace, const EstimateRequest& request,
                                                 const std::function<void(double)>& progress = {});

// The hours within which the job has to be done; infinite without a deadline.
[[nodiscard]] double deadline_of(const EstimateRequest& request);

}  // namespace reprise::controllers::placement
