// Jobs that may run in any of several zones, as the published figures count: real prices per zone, 1 USD to take the
// checkpoint to another region, the last tick of a job not billed.
#include "bench/placement/report.h"
#include "controllers/placement/evaluation/zones_replay.h"
#include "controllers/placement/policy/zones/uniform_zones.h"
#include "controllers/placement/policy/zones/zones_policy.h"

namespace reprise::bench {
namespace {

namespace placement = controllers::placement;

struct Row {
  const char* name;
  bool h100;
  std::vector<std::string> zones;  // empty: all
  double ratio;                    // deadline over work
  double most;                     // USD
};

std::vector<Row> rows() {
  const std::vector<std::string> diverse{"us-central1-a",  "us-west1-a",        "europe-west1-c",
                                         "europe-west3-c", "asia-southeast1-b", "asia-south2-b"};
  return {{"V100, 3 zones", false, {"us-east-1c", "us-east-2b", "us-west-2a"}, 1.5, 41.6},
          {"V100, 9 zones", false, {}, 1.5, 39.2},
          {"V100, us-east-1", false, {"us-east-1a", "us-east-1c", "us-east-1d", "us-east-1f"}, 1.5, 79},
          {"H100, 6 zones", true, diverse, 1.5, 615},
          {"H100, 13 zones", true, {}, 1.5, 542},
          {"H100, 6 zones, deadline 1.05 times the work", true, diverse, 1.05, 1099}};
}

struct Mean {
  double cost = 0;
  int jobs = 0;
  int misses = 0;
};

template <class Policy>
Mean run_all(const placement::ZonesTerms& terms, const std::vector<placement::ZoneMarket>& zones, std::size_t stride) {
  Mean mean;
  for (const std::size_t start : placement::starts_that_fit(
           zones[0].market, static_cast<double>(stride) * zones[0].market.tick, terms.deadline)) {
    Policy policy(terms);
    const auto run = placement::replay_zones(terms, zones, start, policy, placement::LastTick::Free);
    mean.cost += run.cost;
    mean.misses += run.missed ? 1 : 0;
    ++mean.jobs;
  }
  mean.cost /= mean.jobs;
  return mean;
}

}  // namespace

void several_zones(const Traces& traces, Report& report) {
  constexpr double kPinned = 0.005;  // figures of others are given to the cent
  for (const Row& row : rows()) {
    report.section(row.name);
    const std::string file = row.h100 ? "h100x16-13zones.csv" : "v100x1-9zones.csv";
    const std::vector<std::string> prices =
        row.h100 ? std::vector<std::string>{"h100x8-13zones.prices.csv", "h100x8-13zones.on-demand-prices.csv"}
                 : std::vector<std::string>{"v100x1-9zones.prices.csv"};
    if (!traces.has(file) || !traces.has(prices[0])) {
      report.skipped(prices[0]);
      continue;
    }
    placement::Trace trace = traces.read(file, prices);
    if (!row.zones.empty()) trace = placement::with_zones(std::move(trace), row.zones).value();
    std::vector<placement::ZoneMarket> zones;
    for (const auto& zone : trace.zones)
      zones.push_back({.name = zone.name,
                       .region = placement::region_of(zone.name),
                       .market = placement::market_of(trace, zone, 1),
                       .spot_price = zone.prices,
                       .on_demand_price = zone.on_demand_price > 0 ? zone.on_demand_price : trace.on_demand_price});
    const double deadline = row.h100 ? 51.5 : 60;
    const placement::ZonesTerms terms{.work = deadline / row.ratio, .deadline = deadline};
    const std::size_t stride = row.h100 ? 72 : 222;
    const Mean ours = run_all<placement::LindyZonesPolicy>(terms, zones, stride);
    const Mean uniform = run_all<placement::UniformZones>(terms, zones, stride);
    report.at_most("  reprise, mean USD of " + std::to_string(ours.jobs) + " jobs", ours.cost, row.most + kPinned);
    report.at_most("  the same, against uniform progress", ours.cost, uniform.cost);
    report.at_most("  deadline misses", ours.misses + uniform.misses, 0);
  }
}

}  // namespace reprise::bench
