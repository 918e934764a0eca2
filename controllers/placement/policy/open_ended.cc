#include "controllers/placement/policy/open_ended.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kPriorUpHours = 1.8;  // up hours believed of kPriorHours before anything was seen
constexpr double kPriorHours = 3;
constexpr double kAgeAtFirstSight = 1;

}  // namespace

double OpenEnded::working_share() const {
  const double share = (kPriorUpHours + up_hours_ - terms_.changeover * losses_) / (kPriorHours + observed_hours_);
  return share > 0 ? share : 0;
}

bool OpenEnded::falls_back() const {
  struct Rule {
    const OpenEnded& self;
    bool operator()(const SpotOnly&) const { return false; }
    bool operator()(const OnDemandAfter& limit) const { return self.age_ + kRounding >= limit.hours; }
    bool operator()(const ValueOfTime& value) const {
      const double extra = self.terms_.on_demand_price - self.terms_.spot_price;
      return self.age_ + kRounding >= 2 * self.terms_.changeover && value.per_hour >= self.working_share() * extra;
    }
  };
  return std::visit(Rule{*this}, fallback_);
}

Mode OpenEnded::decide(const Situation& now) {
  if (!seen_ || up_ != now.spot_up) {
    losses_ += seen_ && up_ ? 1 : 0;
    age_ = !seen_ && now.spot_up ? kAgeAtFirstSight : 0;
    up_ = now.spot_up;
    seen_ = true;
  } else {
    age_ += now.tick;
  }
  observed_hours_ += now.tick;
  up_hours_ += now.spot_up ? now.tick : 0;

  const Allowed may = allowed(terms_, now);
  switch (now.mode) {
    case Mode::Spot:
      return keep_safe(Mode::Spot, may, now);
    case Mode::Idle:
      if (now.spot_up && may.spot) return Mode::Spot;
      return falls_back() ? Mode::OnDemand : Mode::Idle;
    case Mode::OnDemand:
      if (now.spot_up && may.spot && age_ + kRounding >= 2 * terms_.changeover) return Mode::Spot;
      return Mode::OnDemand;
  }
  return Mode::Idle;
}

}  // namespace reprise::controllers::placement
