#include "controllers/placement/evaluation/zones_replay.h"

#include <algorithm>

namespace reprise::controllers::placement {
namespace {

constexpr double kRounding = 1e-9;

bool is_up(const ZoneMarket& zone, std::size_t tick) {
  return tick < zone.market.up.size() && zone.market.up[tick] != 0;
}

std::vector<ZoneOffer> offers_at(const std::vector<ZoneMarket>& zones, std::size_t tick) {
  std::vector<ZoneOffer> offers;
  for (const ZoneMarket& zone : zones)
    offers.push_back({.region = zone.region,
                      .spot_price = zone.spot_price[std::min(tick, zone.spot_price.size() - 1)],
                      .on_demand_price = zone.on_demand_price});
  return offers;
}

}  // namespace

std::string region_of(const std::string& zone) {
  if (zone.size() < 3) return zone;
  const char letter = zone.back();
  const char before = zone[zone.size() - 2];
  if (letter < 'a' || letter > 'z') return zone;
  if (before == '-') return zone.substr(0, zone.size() - 2);
  return before >= '0' && before <= '9' ? zone.substr(0, zone.size() - 1) : zone;
}

Outcome replay_zones(const ZonesTerms& terms, const std::vector<ZoneMarket>& zones, std::size_t first,
                     ZonesPolicy& policy, LastTick last_tick, const ZoneTickSink& sink) {
  Outcome run;
  ZonesSituation now;
  now.job.work_left = terms.work;
  now.job.tick = zones[0].market.tick;
  for (std::size_t t = first; now.job.work_left > kRounding; ++t) {
    const std::vector<ZoneOffer> offers = offers_at(zones, t);
    now.offers = &offers;
    if (now.job.mode == Mode::Spot && !is_up(zones[*now.zone], t)) {
      now.job.mode = Mode::Idle;
      now.job.changeover_left = 0;
    }
    now.job.spot_up = now.job.mode == Mode::Spot;

    const auto start = [&](Mode mode, std::size_t zone) {
      now.job.spent += egress_to(terms, now, zone);
      now.job.mode = mode;
      now.zone = zone;
      now.job.changeover_left = terms.changeover;
      run.starts += 1;
    };
    bool launched = false;
    for (const std::size_t zone : policy.zones_to_try(now)) {
      launched = is_up(zones[zone], t);
      policy.tried(zone, launched);
      if (!launched) continue;
      start(Mode::Spot, zone);
      break;
    }
    if (!launched) {
      const ZonesChoice choice = policy.otherwise(now);
      if (choice.mode == Mode::OnDemand && now.job.mode != Mode::OnDemand) start(Mode::OnDemand, choice.zone);
    }

    double hours = now.job.tick;
    double price = 0;
    if (now.job.mode != Mode::Idle) {
      const ZoneOffer& offer = offers[*now.zone];
      price = now.job.mode == Mode::Spot ? offer.spot_price : offer.on_demand_price;
      hours = std::min(now.job.tick, now.job.changeover_left + now.job.work_left);
      const double overhead = std::min(hours, now.job.changeover_left);
      now.job.changeover_left -= overhead;
      now.job.work_left -= hours - overhead;
    }
    const bool finished = now.job.work_left <= kRounding;
    if (!finished || last_tick == LastTick::ProRata) now.job.spent += price * hours;
    run.count(now.job.mode, hours);
    if (sink) sink(now.job.elapsed, hours, now.job.mode, now.zone.value_or(0));
    now.job.elapsed += hours;
  }
  run.cost = now.job.spent;
  run.finish = now.job.elapsed;
  run.missed = now.job.elapsed > terms.deadline + 1e-6;
  return run;
}

}  // namespace reprise::controllers::placement
