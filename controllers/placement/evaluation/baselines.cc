#include "controllers/placement/evaluation/baselines.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kRounding = 1e-9;

// Hours of work done beyond the line of uniform progress, as that line stands `ahead` hours from now.
double lead(const Terms& terms, const Situation& now, double ahead) {
  const double expected = (now.elapsed + ahead) * terms.work / terms.deadline;
  return terms.work - now.work_left - expected + kRounding;
}

}  // namespace

Mode Greedy::decide(const Situation& now) {
  const Allowed may = allowed(terms_, now);
  if (now.mode == Mode::OnDemand) return Mode::OnDemand;  // bought in need, kept to the end
  return keep_safe(now.spot_up ? Mode::Spot : Mode::Idle, may, now);
}

Mode OnDemandOnly::decide(const Situation& now) {
  return keep_safe(Mode::OnDemand, allowed(terms_, now), now);
}

Mode UniformProgress::decide(const Situation& now) {
  const Allowed may = allowed(terms_, now);
  const double two_changeovers = 2 * terms_.changeover;
  switch (now.mode) {
    case Mode::Spot:
      return keep_safe(Mode::Spot, may, now);
    case Mode::Idle:
      if (now.spot_up) return keep_safe(Mode::Spot, may, now);
      return keep_safe(lead(terms_, now, 0) < 0 ? Mode::OnDemand : Mode::Idle, may, now);
    case Mode::OnDemand:
      if (lead(terms_, now, two_changeovers) < 0) return Mode::OnDemand;
      return keep_safe(now.spot_up ? Mode::Spot : Mode::OnDemand, may, now);
  }
  return Mode::OnDemand;
}

Mode UpAge::decide(const Situation& now) {
  constexpr double kAgeAtFirstSight = 1;
  if (!seen_ || now.spot_up != up_) {
    age_ = !seen_ && now.spot_up ? kAgeAtFirstSight : 0;
    seen_ = true;
    up_ = now.spot_up;
  } else {
    age_ += now.tick;
  }
  const Allowed may = allowed(terms_, now);
  const bool lasting = age_ + kRounding >= 2 * terms_.changeover;
  switch (now.mode) {
    case Mode::Spot:
      return keep_safe(Mode::Spot, may, now);
    case Mode::Idle:
      if (now.spot_up) return keep_safe(Mode::Spot, may, now);
      return keep_safe(lead(terms_, now, 0) < 0 && lasting ? Mode::OnDemand : Mode::Idle, may, now);
    case Mode::OnDemand:
      return keep_safe(now.spot_up && lasting ? Mode::Spot : Mode::OnDemand, may, now);
  }
  return Mode::OnDemand;
}

}  // namespace reprise::controllers::placement
