#include "controllers/placement/policy/zones/zones_policy.h"

#include <algorithm>
#include <cmath>

#include "controllers/placement/policy/hazard.h"
#include "controllers/placement/policy/lindy_policy.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kResolveHours = 6;
constexpr double kDrift = 0.15;
constexpr double kPriceClass = 2;    // zones up to this many times the cheapest count as one market
constexpr double kLookAhead = 4;     // hours of a spell that count when zones are compared
constexpr double kUrgent = 1.2;      // times on-demand that an hour is worth when there is no slack left
constexpr double kWatchedGap = 0.5;  // hours between two sights that still count as having watched
constexpr double kWeightSeenDown = 0.2;

bool drifted(double now, double then) {
  return std::abs(now - then) > kDrift * std::abs(then);
}

}  // namespace

void LindyZonesPolicy::watch(const ZonesSituation& now) {
  const std::size_t count = now.offers->size();
  zones_.resize(count);
  seen_at_.resize(count, -kLookAhead);
  tick_ = now.job.tick;
  now_ = now.job.elapsed;
  const bool on_spot = now.job.mode == Mode::Spot;
  lost_ = on_spot_ && !on_spot;
  on_spot_ = on_spot;
  if (!lost_ && !on_spot) return;
  ZoneMemory& here = zones_[*now.zone];
  here.observe(on_spot, now_ - seen_at_[*now.zone]);
  seen_at_[*now.zone] = now_;
  if (on_spot) saw_any(true);
  if (lost_) losses_ += 1;
}

void LindyZonesPolicy::saw_any(bool up) {
  any_.observe(up, now_ - any_seen_at_);
  any_seen_at_ = now_;
}

LindyZonesPolicy::Joint LindyZonesPolicy::joint(const ZonesSituation& now) const {
  const auto& offers = *now.offers;
  Joint joint;
  joint.terms = {.work = terms_.work, .deadline = terms_.deadline, .changeover = terms_.changeover};
  const double cheapest = std::ranges::min(offers, {}, &ZoneOffer::spot_price).spot_price;
  double weights = 0;
  double theta = 0;
  double prices = 0;
  double alike = 0;
  for (std::size_t z = 0; z < offers.size(); ++z) {
    if (offers[z].spot_price > kPriceClass * cheapest) continue;
    const double weight = zones_[z].seen() && !zones_[z].up() ? kWeightSeenDown : 1;
    weights += weight;
    theta += weight * zones_[z].theta_up();
    prices += offers[z].spot_price;
    alike += 1;
  }
  joint.terms.on_demand_price = std::ranges::min(offers, {}, &ZoneOffer::on_demand_price).on_demand_price;
  joint.terms.spot_price = prices / alike;
  joint.climate = {.theta_up = theta / weights, .theta_down = any_.theta_down()};
  joint.failover = (1 + failovers_) / (2 + losses_);
  return joint;
}

void LindyZonesPolicy::refresh(const ZonesSituation& now) {
  joint_ = joint(now);
  beyond_ = beyond_horizon(joint_.terms, now.job);
  const double time = time_left(joint_.terms, now.job) - beyond_.time;
  const double spare = slack(joint_.terms, now.job) - beyond_.slack;
  if (table_ && now_ - solved_at_ < kResolveHours && table_->covers(time, spare) &&
      table_->covers(time - tick_, spare) && !drifted(joint_.climate.theta_up, solved_for_.climate.theta_up) &&
      !drifted(joint_.climate.theta_down, solved_for_.climate.theta_down) &&
      !drifted(joint_.failover, solved_for_.failover) &&
      !drifted(joint_.terms.spot_price, solved_for_.terms.spot_price))
    return;
  table_.emplace(ValueQuestion{.changeover = terms_.changeover,
                               .on_demand_price = joint_.terms.on_demand_price,
                               .spot_price = joint_.terms.spot_price,
                               .climate = joint_.climate,
                               .failover = joint_.failover},
                 time, spare, kResolveHours + 2 * tick_);
  solved_for_ = joint_;
  solved_at_ = now_;
}

double LindyZonesPolicy::worth_of_an_hour(const ZonesSituation& now) const {
  const double most = kUrgent * joint_.terms.on_demand_price;
  const double spare = slack(joint_.terms, now.job);
  if (spare <= 2 * terms_.changeover + tick_) return most;
  const double time = time_left(joint_.terms, now.job) - beyond_.time;
  const bool up = now.job.mode == Mode::Spot || (any_.seen() && any_.up());
  const double age = now.job.mode == Mode::Spot ? zones_[*now.zone].age() : any_.age();
  const auto value = [&](double hours) { return table_->value(now.job.mode, up, age, time, hours - beyond_.slack); };
  return std::min(most, value(spare - 1) - value(spare));
}

double LindyZonesPolicy::net_per_hour(const ZonesSituation& now, std::size_t zone, double worth) const {
  const ZoneMemory& memory = zones_[zone];
  const double age = memory.guessed_age(now_ - seen_at_[zone]);
  const double horizon = std::min(kLookAhead, now.job.work_left) + terms_.changeover;
  const double paid = mean_remaining(kSpotSpells, memory.theta_up(), age, horizon);
  const double working = paid - mean_remaining(kSpotSpells, memory.theta_up(), age, terms_.changeover);
  return (worth * working - (*now.offers)[zone].spot_price * paid - egress_to(terms_, now, zone)) / paid;
}

bool LindyZonesPolicy::prefers_spot(const ZonesSituation& now) const {
  Situation job = now.job;
  job.spot_up = true;
  const ActionValues values = action_values(joint_.terms, job, any_, *table_, beyond_);
  return values.spot < values.on_demand;
}

bool LindyZonesPolicy::affordable(const ZonesSituation& now, std::size_t zone) const {
  const double d = terms_.changeover;
  const double dearest = std::max((*now.offers)[zone].spot_price, terms_.highest_spot_price);
  const double lost = dearest * d + egress_to(terms_, now, zone);
  const double rest = joint_.terms.on_demand_price * (now.job.work_left + d) + terms_.egress;
  if (std::isinf(terms_.cost_limit)) return true;
  return dearest <= joint_.terms.on_demand_price && now.job.spent + lost + rest <= terms_.cost_limit;
}

std::vector<std::size_t> LindyZonesPolicy::zones_to_try(const ZonesSituation& now) {
  watch(now);
  refresh(now);
  const Situation& job = now.job;
  const auto& offers = *now.offers;
  const double d = terms_.changeover;
  if (slack(joint_.terms, job) < 2 * d) return {};
  if (job.mode == Mode::OnDemand && !prefers_spot(now)) return {};
  const double worth = worth_of_an_hour(now);
  struct Candidate {
    std::size_t zone;
    double net;
  };
  std::vector<Candidate> candidates;
  const bool on_spot = job.mode == Mode::Spot;
  const double here = on_spot ? worth - offers[*now.zone].spot_price : 0;
  const double stay = on_spot ? std::min(job.work_left, mean_remaining(kSpotSpells, zones_[*now.zone].theta_up(),
                                                                       zones_[*now.zone].age(), job.work_left))
                              : 0;
  for (std::size_t z = 0; z < offers.size(); ++z) {
    if (on_spot && z == *now.zone) continue;
    const double net = net_per_hour(now, z, worth);
    const bool pays = on_spot ? net > here && (net - here) * stay >= d * offers[z].spot_price : net > 0;
    if (pays && affordable(now, z)) candidates.push_back({z, net});
  }
  std::ranges::sort(candidates, std::greater{}, &Candidate::net);
  std::vector<std::size_t> zones;
  for (const Candidate& candidate : candidates) zones.push_back(candidate.zone);
  return zones;
}

std::vector<ZoneStanding> LindyZonesPolicy::standings(const ZonesSituation& now,
                                                      const std::vector<std::string>& names) const {
  const double worth = worth_of_an_hour(now);
  std::vector<ZoneStanding> standings;
  for (std::size_t z = 0; z < names.size(); ++z) {
    const ZoneMemory& memory = zones_[z];
    const bool here = now.job.mode == Mode::Spot && *now.zone == z;
    const bool down = memory.seen() && !memory.up();
    ZoneStanding standing{.zone = names[z]};
    if (memory.seen()) standing.up = memory.up();
    // A lost zone is known to be down since then; the guess is for the age that its spot would have if it launched.
    standing.age =
        here ? memory.age() : (down ? memory.age() + now_ - seen_at_[z] : memory.guessed_age(now_ - seen_at_[z]));
    standing.likely_more = down ? median_remaining(kOutages, memory.theta_down(), standing.age)
                                : median_remaining(kSpotSpells, memory.theta_up(), standing.age);
    standing.net_per_hour = here ? worth - (*now.offers)[z].spot_price : net_per_hour(now, z, worth);
    standings.push_back(std::move(standing));
  }
  std::ranges::sort(standings, [](const ZoneStanding& a, const ZoneStanding& b) {
    return a.net_per_hour != b.net_per_hour ? a.net_per_hour > b.net_per_hour : a.zone < b.zone;
  });
  return standings;
}

void LindyZonesPolicy::tried(std::size_t zone, bool launched) {
  const double since = now_ - seen_at_[zone];
  if (since <= kWatchedGap && zones_[zone].seen())
    zones_[zone].observe(launched, since);
  else
    zones_[zone].glimpse(launched, since);
  seen_at_[zone] = now_;
  if (!launched) return;
  saw_any(true);
  if (lost_) failovers_ += 1;
  on_spot_ = true;
}

ZonesChoice LindyZonesPolicy::otherwise(const ZonesSituation& now) {
  const Situation& job = now.job;
  if (job.mode == Mode::Spot) return {.mode = Mode::Spot, .zone = *now.zone};
  saw_any(false);
  if (job.mode == Mode::OnDemand) return {.mode = Mode::OnDemand, .zone = *now.zone};
  const Allowed may = allowed(joint_.terms, job);
  const ActionValues values = action_values(joint_.terms, job, any_, *table_, beyond_);
  const Mode wanted = values.idle <= values.on_demand ? Mode::Idle : Mode::OnDemand;
  return {.mode = keep_safe(wanted, may, job), .zone = cheapest_on_demand(terms_, now)};
}

}  // namespace reprise::controllers::placement
