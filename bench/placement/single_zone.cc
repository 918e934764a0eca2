// Jobs that stay in one zone: saving against on-demand, share of the gap closed, zones below Uniform Progress, misses.
#include <algorithm>
#include <map>

#include "bench/placement/report.h"
#include "controllers/placement/evaluation/estimate.h"

namespace reprise::bench {
namespace {

namespace placement = controllers::placement;
using placement::PolicyKind;

constexpr double kOnDemand = 3.06;
constexpr double kSpot = 0.9731;
constexpr double kNone = -1e9;

struct Row {
  const char* name;
  const char* file;
  int nodes;
  double every, work, deadline, changeover, price_ratio;
  double greedy, uniform, omniscient;  // measured by others; kNone: not pinned
  double saving;                       // ours, at least
  double closed;                       // at least
  double up_age;                       // at least
  double below_uniform;                // points that a zone may lie below uniform progress
};

constexpr const char* kV100 = "v100x1-9zones.csv";
constexpr const char* kGang = "v100x4-preemption.csv";
constexpr const char* kH100 = "h100x16-13zones.csv";
constexpr double kRatio = kOnDemand / kSpot;

constexpr Row kRows[] = {
    {"V100 9 zones R52", kV100, 1, 12, 48, 52, .2, kRatio, 22.7, 28.5, 39.0, 33.8, .68, 29.6, 0},
    {"V100 9 zones R60", kV100, 1, 12, 48, 60, .2, kRatio, 31.6, 37.7, 43.1, 39.4, .67, 38.4, 0},
    {"V100 9 zones R70", kV100, 1, 12, 48, 70, .2, kRatio, 38.5, 41.9, 46.8, 43.1, .58, kNone, 0},
    {"V100 9 zones R60 d.4", kV100, 1, 12, 48, 60, .4, kRatio, 29.0, 32.0, 39.8, 34.4, .52, kNone, 0},
    {"V100 gang of 4", kGang, 4, 3, 48, 60, .2, kRatio, 39.6, 41.5, 45.6, 42.5, kNone, kNone, 0},
    {"H100 >=1 of 16", kH100, 1, 6, 41.2, 51.5, .2, 4.8, 49.1, 51.6, 56.4, 52.6, kNone, kNone, 0},
    {"H100 16 of 16", kH100, 16, 6, 41.2, 51.5, .2, 4.8, 16.5, 22.3, 27.4, 22.8, kNone, kNone, .05},
};

void measure(const Row& row, const placement::Trace& trace, Report& report) {
  placement::EstimateRequest request;
  request.work = row.work;
  request.goal = placement::Deadline{row.deadline};
  request.changeover = row.changeover;
  request.on_demand_price = kOnDemand;
  request.spot_price = kOnDemand / row.price_ratio;
  request.nodes = row.nodes;
  request.starts_every = row.every;
  request.policies.assign(std::begin(placement::kAllPolicies), std::end(placement::kAllPolicies));
  const auto found = placement::estimate(trace, request);
  std::map<std::pair<PolicyKind, std::string>, placement::EstimateRow> rows;
  int misses = 0;
  if (found) {
    for (const auto& one : found->rows) {
      rows[{one.policy, one.zone}] = one;
      if (one.zone == "mean") misses += one.deadline_misses;
    }
  }
  const auto saving = [&](PolicyKind policy, const std::string& zone) { return rows[{policy, zone}].saving_percent; };
  // The bound of other work was rounded up to whole ticks, ours is not: it may lie a little above.
  constexpr double kPin = 0.3;
  constexpr double kBoundPin = 0.4;
  report.within("  greedy, saving %", saving(PolicyKind::Greedy, "mean"), row.greedy, kPin);
  report.within("  uniform progress, saving %", saving(PolicyKind::UniformProgress, "mean"), row.uniform,
                row.deadline == 52 ? kBoundPin : kPin);
  report.within("  omniscient bound, saving %", saving(PolicyKind::Omniscient, "mean"), row.omniscient, kBoundPin);
  report.at_least("  reprise, saving %", saving(PolicyKind::Reprise, "mean"), row.saving);
  if (row.closed > 0) {
    const double greedy = saving(PolicyKind::Greedy, "mean");
    const double bound = saving(PolicyKind::Omniscient, "mean");
    report.at_least("  reprise, share of the gap closed",
                    (saving(PolicyKind::Reprise, "mean") - greedy) / (bound - greedy), row.closed);
  }
  if (row.up_age > 0) report.at_least("  up-age, saving %", saving(PolicyKind::UpAge, "mean"), row.up_age);
  double below = 0;
  for (const auto& zone : trace.zones)
    below = std::max(below, saving(PolicyKind::UniformProgress, zone.name) - saving(PolicyKind::Reprise, zone.name));
  report.at_most("  points below uniform progress, worst zone", below, row.below_uniform);
  report.at_most("  deadline misses, all policies", misses, 0);
}

}  // namespace

void single_zone(const Traces& traces, Report& report) {
  for (const Row& row : kRows) {
    report.section(row.name);
    if (traces.has(row.file))
      measure(row, traces.read(row.file), report);
    else
      report.skipped(row.file);
  }
}

}  // namespace reprise::bench
