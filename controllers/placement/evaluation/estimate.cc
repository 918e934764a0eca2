#include "controllers/placement/evaluation/estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "controllers/placement/evaluation/baselines.h"
#include "controllers/placement/evaluation/omniscient.h"
#include "controllers/placement/evaluation/zones_replay.h"
#include "controllers/placement/policy/lindy_policy.h"
#include "controllers/placement/policy/zones/uniform_zones.h"
#include "controllers/placement/policy/zones/zones_policy.h"

namespace reprise::controllers::placement {
namespace {

constexpr std::string_view kMeanOfZones = "mean";
constexpr std::string_view kAnyZone = "any";
constexpr double kOpenEndedSpan = 3;  // times the work that a start without a deadline wants of the trace

struct ZoneCase {
  std::string zone;
  Market market;
  Terms terms;  // with the price of spot at tick 0
  std::vector<std::size_t> starts;
};

std::unexpected<runtime::Error> invalid(std::string what) {
  return runtime::fail(runtime::ErrorClass::Invalid, std::move(what));
}

bool needs_deadline(PolicyKind policy) {
  return policy == PolicyKind::UpAge || policy == PolicyKind::UniformProgress || policy == PolicyKind::Omniscient;
}

Fallback fallback_of(const EstimateRequest& request) {
  const auto* fallback = std::get_if<Fallback>(&request.goal);
  return fallback != nullptr ? *fallback : Fallback(SpotOnly{});
}

std::unique_ptr<Policy> make_policy(PolicyKind kind, const Terms& terms, const EstimateRequest& request) {
  const bool bounded = std::isfinite(terms.deadline);
  switch (kind) {
    case PolicyKind::Reprise:
      if (!bounded) return std::make_unique<OpenEnded>(terms, fallback_of(request));
      return std::make_unique<LindyPolicy>(terms);
    case PolicyKind::UpAge:
      return std::make_unique<UpAge>(terms);
    case PolicyKind::UniformProgress:
      return std::make_unique<UniformProgress>(terms);
    case PolicyKind::Greedy:
      return std::make_unique<Greedy>(terms);
    case PolicyKind::OnDemand:
    case PolicyKind::Omniscient:
      break;
  }
  return std::make_unique<OnDemandOnly>(terms);
}

Outcome run_one(PolicyKind kind, const ZoneCase& zone, std::size_t start, const EstimateRequest& request,
                const TickSink& sink = {}) {
  Terms terms = zone.terms;
  terms.spot_price = price_at(zone.market, start, terms.spot_price);
  if (kind == PolicyKind::Omniscient) return omniscient(terms, zone.market, start);
  return replay(terms, zone.market, start, *make_policy(kind, terms, request), sink);
}

runtime::Result<std::vector<ZoneCase>> cases_of(const Trace& trace, const EstimateRequest& request) {
  const double deadline = deadline_of(request);
  const double nodes = request.nodes;
  std::vector<ZoneCase> cases;
  for (const ZoneTrace& zone : trace.zones) {
    if (zone.name == kMeanOfZones || zone.name == kAnyZone)
      return invalid("zone '" + zone.name + "' of " + trace.file +
                     ": the name stands for what is told of all zones; name the zone otherwise");
    const double in_trace = zone.on_demand_price > 0 ? zone.on_demand_price : trace.on_demand_price;
    const double on_demand = request.on_demand_price.value_or(in_trace);
    if (on_demand <= 0) return invalid(trace.file + " holds no on-demand price; give --on-demand-price");
    ZoneCase one{.zone = zone.name, .market = market_of(trace, zone, request.nodes)};
    one.terms.work = request.work;
    one.terms.deadline = deadline;
    one.terms.changeover = request.changeover;
    one.terms.on_demand_price = on_demand * nodes;
    one.terms.spot_price = request.spot_price.value_or(trace.spot_price) * nodes;
    if (!request.spot_price && !zone.prices.empty()) {
      for (const double price : zone.prices) one.market.spot_price.push_back(price * nodes);
      one.terms.spot_price = one.market.spot_price.front();
      // The guard has to reckon with this price: a job does not know what its spot will cost later.
      one.terms.highest_spot_price = std::max(one.terms.on_demand_price, std::ranges::max(one.market.spot_price));
    }
    if (one.terms.spot_price <= 0)
      return invalid(trace.file + " holds no spot price for zone " + zone.name + "; give --spot-price or --prices");
    if (request.max_extra_cost_percent) one.terms.cost_limit = cost_limit(one.terms, *request.max_extra_cost_percent);
    const double span = std::isfinite(deadline) ? deadline : kOpenEndedSpan * request.work;
    one.starts = starts_that_fit(one.market, request.starts_every, span);
    if (one.starts.empty() && !std::isfinite(deadline))
      one.starts = starts_that_fit(one.market, request.starts_every, request.work);
    if (one.starts.empty())
      return invalid(trace.file + " lasts " +
                     std::to_string(std::lround(trace.tick * static_cast<double>(one.market.up.size()))) +
                     " h: too short for a single job of that length; give fewer --work-hours");
    cases.push_back(std::move(one));
  }
  return cases;
}

class Mean {
 public:
  void add(const Outcome& run) {
    ++count_;
    misses_ += run.missed ? 1 : 0;
    cost_ += run.cost;
    starts_ += run.starts;
    spot_ += run.spot_hours;
    on_demand_ += run.on_demand_hours;
    idle_ += run.idle_hours;
  }
  [[nodiscard]] EstimateRow row(PolicyKind policy, std::string zone, const Terms& terms) const {
    const double n = count_;
    EstimateRow row{.policy = policy, .zone = std::move(zone), .starts = count_, .cost = cost_ / n};
    row.saving_percent = 100 * (1 - row.cost / (terms.on_demand_price * terms.work));
    row.deadline_misses = misses_;
    row.starts_per_job = starts_ / n;
    row.spot_hours = spot_ / n;
    row.on_demand_hours = on_demand_ / n;
    row.idle_hours = idle_ / n;
    return row;
  }

 private:
  int count_ = 0;
  int misses_ = 0;
  double cost_ = 0;
  double starts_ = 0;
  double spot_ = 0;
  double on_demand_ = 0;
  double idle_ = 0;
};

EstimateRow mean_of_zones(PolicyKind policy, const std::vector<EstimateRow>& rows) {
  EstimateRow mean{.policy = policy, .zone = std::string(kMeanOfZones)};
  double n = 0;
  for (const EstimateRow& row : rows) {
    if (row.policy != policy) continue;
    n += 1;
    mean.starts += row.starts;
    mean.deadline_misses += row.deadline_misses;
    mean.cost += row.cost;
    mean.saving_percent += row.saving_percent;
    mean.starts_per_job += row.starts_per_job;
    mean.spot_hours += row.spot_hours;
    mean.on_demand_hours += row.on_demand_hours;
    mean.idle_hours += row.idle_hours;
  }
  for (double* value : {&mean.cost, &mean.saving_percent, &mean.starts_per_job, &mean.spot_hours, &mean.on_demand_hours,
                        &mean.idle_hours})
    *value /= n;
  return mean;
}

void close_gaps(std::vector<EstimateRow>& rows) {
  constexpr double kNoGap = 0.01;  // below it nearly any difference is many times as much
  const auto cost = [&](PolicyKind policy, const std::string& zone) -> std::optional<double> {
    for (const EstimateRow& row : rows) {
      if (row.policy == policy && row.zone == zone) return row.cost;
    }
    return std::nullopt;
  };
  for (EstimateRow& row : rows) {
    const auto greedy = cost(PolicyKind::Greedy, row.zone);
    const auto bound = cost(PolicyKind::Omniscient, row.zone);
    if (greedy && bound && *greedy - *bound > kNoGap * *greedy)
      row.gap_closed = (*greedy - row.cost) / (*greedy - *bound);
  }
}

void append(std::vector<TimelineSegment>& segments, double begin, double hours, Mode mode) {
  if (!segments.empty() && segments.back().mode == mode)
    segments.back().end = begin + hours;
  else
    segments.push_back({.begin = begin, .end = begin + hours, .mode = mode});
}

Timeline draw(const ZoneCase& zone, const std::vector<PolicyKind>& policies, const EstimateRequest& request) {
  Timeline timeline{.zone = zone.zone, .first_tick = zone.starts[zone.starts.size() / 2]};
  double longest = 0;
  for (const PolicyKind policy : policies) {
    if (policy == PolicyKind::Omniscient) continue;
    Timeline::Lane lane{.policy = policy};
    lane.run = run_one(policy, zone, timeline.first_tick, request,
                       [&](double begin, double hours, Mode mode) { append(lane.segments, begin, hours, mode); });
    longest = std::max(longest, lane.run.finish);
    timeline.lanes.push_back(std::move(lane));
  }
  if (std::isfinite(zone.terms.deadline)) longest = std::max(longest, zone.terms.deadline);
  const double tick = zone.market.tick;
  for (std::size_t i = 0; static_cast<double>(i) * tick < longest; ++i) {
    const std::size_t t = timeline.first_tick + i;
    const bool up = t < zone.market.up.size() && zone.market.up[t] != 0;
    append(timeline.market, static_cast<double>(i) * tick, tick, up ? Mode::Spot : Mode::Idle);
  }
  return timeline;
}

void add_job_that_moves(const std::vector<ZoneCase>& cases, const EstimateRequest& request,
                        std::vector<EstimateRow>& rows) {
  std::vector<ZoneMarket> markets;
  for (const ZoneCase& zone : cases) {
    std::vector<double> price = zone.market.spot_price;
    if (price.empty()) price = {zone.terms.spot_price};
    markets.push_back({.name = zone.zone,
                       .region = region_of(zone.zone),
                       .market = zone.market,
                       .spot_price = std::move(price),
                       .on_demand_price = zone.terms.on_demand_price});
  }
  // Measured against the cheapest on-demand there is, over the starts that fit everywhere.
  const Terms& terms =
      std::ranges::min_element(cases, {}, [](const ZoneCase& zone) { return zone.terms.on_demand_price; })->terms;
  const auto& starts =
      std::ranges::min_element(cases, {}, [](const ZoneCase& zone) { return zone.starts.size(); })->starts;
  ZonesTerms joint{
      .work = terms.work, .deadline = terms.deadline, .changeover = terms.changeover, .cost_limit = terms.cost_limit};
  for (const ZoneCase& zone : cases)
    joint.highest_spot_price = std::max(joint.highest_spot_price, zone.terms.highest_spot_price);
  for (const PolicyKind kind : {PolicyKind::Reprise, PolicyKind::UniformProgress}) {
    if (std::ranges::find(request.policies, kind) == request.policies.end()) continue;
    Mean mean;
    for (const std::size_t start : starts) {
      if (kind == PolicyKind::Reprise) {
        LindyZonesPolicy policy(joint);
        mean.add(replay_zones(joint, markets, start, policy));
      } else {
        UniformZones policy(joint);
        mean.add(replay_zones(joint, markets, start, policy));
      }
    }
    rows.push_back(mean.row(kind, std::string(kAnyZone), terms));
  }
}

}  // namespace

std::string_view name(PolicyKind policy) {
  switch (policy) {
    case PolicyKind::Reprise:
      return "reprise";
    case PolicyKind::UpAge:
      return "up-age";
    case PolicyKind::UniformProgress:
      return "up";
    case PolicyKind::Greedy:
      return "greedy";
    case PolicyKind::OnDemand:
      return "on-demand";
    case PolicyKind::Omniscient:
      return "omniscient";
  }
  return "unknown";
}

std::optional<PolicyKind> policy_named(std::string_view text) {
  for (const PolicyKind policy : kAllPolicies) {
    if (name(policy) == text) return policy;
  }
  return std::nullopt;
}

double deadline_of(const EstimateRequest& request) {
  if (const auto* deadline = std::get_if<Deadline>(&request.goal)) return deadline->hours;
  if (const auto* slowdown = std::get_if<MaxSlowdown>(&request.goal)) return slowdown->factor * request.work;
  return kNoDeadline;
}

runtime::Result<Estimate> estimate(const Trace& trace, const EstimateRequest& request,
                                   const std::function<void(double)>& progress) {
  const bool bounded = std::isfinite(deadline_of(request));
  if (bounded && deadline_of(request) < request.work + request.changeover)
    return invalid("the deadline leaves no time for the work and one start; must be at least work and changeover");
  for (const PolicyKind policy : request.policies) {
    if (!bounded && needs_deadline(policy))
      return invalid("policy " + std::string(name(policy)) +
                     " needs a deadline; give --deadline-hours or --max-slowdown");
  }
  if (!bounded && request.move_between_zones)
    return invalid("moving between zones needs a deadline; give --deadline-hours or --max-slowdown");
  auto cases = cases_of(trace, request);
  if (!cases) return std::unexpected(std::move(cases).error());

  // The gap is measured between these two, asked for or not.
  std::vector<PolicyKind> policies;
  const auto add = [&](PolicyKind policy) {
    if (std::ranges::find(policies, policy) == policies.end()) policies.push_back(policy);
  };
  for (const PolicyKind asked : request.policies) add(asked);
  const std::vector<PolicyKind> shown = policies;
  if (bounded) {
    add(PolicyKind::Greedy);
    add(PolicyKind::Omniscient);
  }
  double total = 0;
  for (const ZoneCase& zone : *cases) total += static_cast<double>(zone.starts.size() * policies.size());
  double done = 0;
  Estimate result;
  for (const PolicyKind policy : policies) {
    for (const ZoneCase& zone : *cases) {
      Mean mean;
      for (const std::size_t start : zone.starts) {
        mean.add(run_one(policy, zone, start, request));
        if (progress) progress(++done / total);
      }
      result.rows.push_back(mean.row(policy, zone.zone, zone.terms));
    }
    result.rows.push_back(mean_of_zones(policy, result.rows));
  }
  close_gaps(result.rows);
  std::erase_if(result.rows,
                [&](const EstimateRow& row) { return std::ranges::find(shown, row.policy) == shown.end(); });
  if (request.move_between_zones) add_job_that_moves(*cases, request, result.rows);
  result.example = draw(cases->front(), shown, request);
  return result;
}

}  // namespace reprise::controllers::placement
