#include "controllers/placement/policy/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

constexpr std::size_t kZonesNamed = 3;  // beside the one the job runs in

std::string hours(double value) {
  std::string text(32, '\0');
  const auto size = std::snprintf(text.data(), text.size(), "%.*f h", value < 100 ? 1 : 0, std::max(0.0, value));
  text.resize(std::min(static_cast<std::size_t>(size), text.size()));
  return text;
}

std::string time_of_day(std::chrono::sys_seconds time, bool with_date) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text(32, '\0');
  const auto size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d", static_cast<int>(date.year()),
                                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()));
  text.resize(static_cast<std::size_t>(size));
  return with_date ? text : text.substr(text.find(' ') + 1);
}

// Says when on-demand has to start at the latest if nothing gets better until then.
std::string need_of_on_demand(double spare, std::optional<std::chrono::sys_seconds> clock) {
  if (!clock) return "on-demand not needed within the next " + hours(spare);
  const auto then = *clock + std::chrono::seconds(std::llround(spare * 3600));
  const bool other_day = std::chrono::floor<std::chrono::days>(then) != std::chrono::floor<std::chrono::days>(*clock);
  return "on-demand not needed before " + time_of_day(then, other_day);
}

std::string market(const ZoneMemory& zone, std::string_view name) {
  if (zone.up())
    return "spot up " + hours(zone.age()) + " in " + std::string(name) + ", likely to last " +
           hours(median_remaining(kSpotSpells, zone.theta_up(), zone.age())) + " more";
  return "no spot in " + std::string(name) + " for " + hours(zone.age()) + ", likely back within " +
         hours(median_remaining(kOutages, zone.theta_down(), zone.age()));
}

std::string dollars(double per_hour) {
  std::string text(32, '\0');
  const auto size = std::snprintf(text.data(), text.size(), "%s$%.2f/h", per_hour < 0 ? "-" : "", std::abs(per_hour));
  text.resize(std::min(static_cast<std::size_t>(size), text.size()));
  return text;
}

// Says why that was decided, with what is left of time and money.
std::string reason(const Terms& terms, const Situation& now, Mode decided, bool spot_up,
                   std::optional<std::chrono::sys_seconds> clock) {
  const bool bounded = std::isfinite(terms.deadline);
  const double spare = bounded ? slack(terms, now) : 0;
  const double until_needed = spare - terms.changeover;
  std::string text = bounded ? "; " + hours(spare) + " of slack" : "";
  const std::string later = bounded && until_needed > 0 ? "; " + need_of_on_demand(until_needed, clock) : "";
  const double dearest = std::max(terms.spot_price, terms.highest_spot_price);
  switch (decided) {
    case Mode::Spot:
      return text + later;
    case Mode::Idle:
      return text + "; waiting is cheaper than on-demand" + later;
    case Mode::OnDemand:
      if (bounded && spare < 2 * terms.changeover)
        return text + ": too little for another start on spot (" + hours(2 * terms.changeover) + "), so on-demand";
      if (now.spent + dearest * terms.changeover + terms.on_demand_price * (now.work_left + terms.changeover) >
          terms.cost_limit)
        return text + "; another start on spot could exceed the cost limit, so on-demand";
      if (spot_up) return text + "; spot that may be lost again is not worth another start yet, so on-demand";
      if (!bounded) return text + "; the job does not wait longer, so on-demand";
      return text + "; on-demand now costs less than what waiting would put at risk";
  }
  return text;
}

}  // namespace

std::string explain(const Terms& terms, const Situation& now, Mode decided, const ZoneMemory& zone,
                    std::string_view zone_name, std::optional<std::chrono::sys_seconds> clock) {
  return market(zone, zone_name) + reason(terms, now, decided, zone.up(), clock);
}

std::string explain_zones(const Terms& terms, const Situation& now, Mode decided, std::string_view zone,
                          std::span<const ZoneStanding> standings, std::optional<std::chrono::sys_seconds> clock) {
  const auto here = std::ranges::find(standings, zone, &ZoneStanding::zone);
  const bool on_spot = decided == Mode::Spot && here != standings.end();
  std::string text;
  if (on_spot) {
    text = "spot up " + hours(here->age) + " in " + here->zone + ", likely to last " + hours(here->likely_more) +
           " more, yields " + dollars(here->net_per_hour);
  } else {
    text = decided == Mode::OnDemand && !zone.empty() ? "on-demand in " + std::string(zone) : "no spot taken";
  }
  std::size_t named = 0;
  for (const ZoneStanding& other : standings) {
    if (on_spot && other.zone == zone) continue;
    if (named == kZonesNamed) break;
    text += named++ == 0 ? "; " : ", ";
    text += other.zone + (named == 1 ? " would yield " : " ") + dollars(other.net_per_hour);
    if (other.up == false) text += " (away for " + hours(other.age) + ")";
  }
  return text + reason(terms, now, decided, on_spot, clock);
}

}  // namespace reprise::controllers::placement
