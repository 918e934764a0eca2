#include "controllers/placement/policy/zones/zone_memory.h"

#include <algorithm>
#include <cmath>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kPrior = 4;  // ends that count as seen in a typical zone before any were
constexpr double kForgetHours = 120;
constexpr double kAgeAtFirstSight = 1;  // hours that spot found up has probably been up before

void fade(SpellCount& count, double factor) {
  count.ended *= factor;
  count.expected *= factor;
}

SpellCount sum(const SpellCount& a, const SpellCount& b) {
  return {.ended = a.ended + b.ended, .expected = a.expected + b.expected};
}

double sound(double number) {
  return std::isfinite(number) && number > 0 ? number : 0;
}

// True when `a` was watched for longer than `b`, seen at the same time; a loss where both know as little.
bool tells_more(const ZoneMemory& a, const ZoneMemory& b) {
  if (!a.seen() || !b.seen()) return a.seen();
  return a.age() > b.age() || (a.age() == b.age() && !a.up());
}

}  // namespace

double SpellCount::theta() const {
  return (kPrior + ended) / (kPrior + expected);
}

void ZoneMemory::observe(bool up, double since) {
  const double hours = sound(since);
  if (!up_) {
    up_ = up;
    age_ = up ? kAgeAtFirstSight : 0;
    return;
  }
  const double factor = std::exp(-hours / kForgetHours);
  fade(ups_, factor);
  fade(outages_, factor);
  SpellCount& last = *up_ ? ups_ : outages_;
  last.expected += cumulative_hazard(*up_ ? kSpotSpells : kOutages, age_, hours);
  if (*up_ == up) {
    age_ += hours;
    return;
  }
  last.ended += 1;
  up_ = up;
  age_ = 0;
}

double ZoneMemory::guessed_age(double since) const {
  const double hours = sound(since);
  if (!up_) return kAgeAtFirstSight;
  if (*up_) return std::min(age_ + hours, std::max(hours, kAgeAtFirstSight));
  return std::min(hours / 2, kAgeAtFirstSight);
}

void ZoneMemory::glimpse(bool up, double since) {
  const double hours = sound(since);
  const double factor = std::exp(-hours / kForgetHours);
  fade(ups_, factor);
  fade(outages_, factor);
  age_ = up ? guessed_age(hours) : (up_ && !*up_ ? age_ + hours : 0);
  up_ = up;
}

ZoneMemory ZoneMemory::restored(SpellCount ups, SpellCount outages, std::optional<bool> up, double age) {
  ZoneMemory memory;
  memory.ups_ = {.ended = sound(ups.ended), .expected = sound(ups.expected)};
  memory.outages_ = {.ended = sound(outages.ended), .expected = sound(outages.expected)};
  memory.up_ = up;
  memory.age_ = sound(age);
  return memory;
}

ZoneMemory ZoneMemory::merged(const ZoneMemory& a, const ZoneMemory& b) {
  const ZoneMemory& present = tells_more(a, b) ? a : b;
  return restored(sum(a.ups_, b.ups_), sum(a.outages_, b.outages_), present.up_, present.age_);
}

}  // namespace reprise::controllers::placement
