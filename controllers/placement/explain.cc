#include "controllers/placement/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "controllers/placement/hazard.h"

namespace reprise::controllers::placement {
namespace {

std::string hours(double value) {
  std::string text(32, '\0');
  const auto size = std::snprintf(text.data(), text.size(), "%.*f h", value < 100 ? 1 : 0, std::max(0.0, value));
  text.resize(static_cast<std::size_t>(size));
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

// When on-demand has to start at the latest if nothing gets better until then.
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

}  // namespace

std::string explain(const Terms& terms, const Situation& now, Mode decided, const ZoneMemory& zone,
                    std::string_view zone_name, std::optional<std::chrono::sys_seconds> clock) {
  std::string text = market(zone, zone_name);
  const bool bounded = std::isfinite(terms.deadline);
  const double spare = bounded ? slack(terms, now) : 0;
  if (bounded) text += "; " + hours(spare) + " of slack";
  const double until_needed = spare - terms.changeover;
  switch (decided) {
    case Mode::Spot:
      if (bounded && until_needed > 0) text += "; " + need_of_on_demand(until_needed, clock);
      return text;
    case Mode::Idle:
      text += "; waiting is cheaper than on-demand";
      if (bounded && until_needed > 0) text += "; " + need_of_on_demand(until_needed, clock);
      return text;
    case Mode::OnDemand:
      if (bounded && spare < 2 * terms.changeover)
        return text + ": too little for another start on spot (" + hours(2 * terms.changeover) + "), so on-demand";
      if (now.spent + terms.spot_price * terms.changeover + terms.on_demand_price * (now.work_left + terms.changeover) >
          terms.cost_limit)
        return text + "; another start on spot could exceed the cost limit, so on-demand";
      return text + "; on-demand now costs less than what waiting would put at risk";
  }
  return text;
}

}  // namespace reprise::controllers::placement
