// Jobs without a deadline: how long to wait for spot before buying on-demand.
#pragma once

#include <variant>

#include "controllers/placement/policy/policy.h"

namespace reprise::controllers::placement {

struct SpotOnly {};  // waits for ever: the cheapest, and needs no estimate
struct OnDemandAfter {
  double hours = 0;  // an outage's; 0: at once
};
struct ValueOfTime {
  double per_hour = 0;  // USD that an hour earlier is worth
};
using Fallback = std::variant<SpotOnly, OnDemandAfter, ValueOfTime>;

// Takes any spot and returns to it once it has been up for two changeovers. In an outage older than two changeovers
// (ValueOfTime) on-demand is bought when an hour of time is worth the extra price of the hours that it saves: one hour
// on on-demand saves 1/a hours where spot really works a share a of the time, so when v >= a * (on-demand - spot).
class OpenEnded final : public Policy {
 public:
  OpenEnded(const Terms& terms, const Fallback& fallback) : terms_(terms), fallback_(fallback) {}

  Mode decide(const Situation& now) override;

  // The share of time that spot really works here, changeovers taken off, as far as seen.
  [[nodiscard]] double working_share() const;

 private:
  [[nodiscard]] bool falls_back() const;

  Terms terms_;
  Fallback fallback_;
  bool seen_ = false;
  bool up_ = false;
  double age_ = 0;
  double up_hours_ = 0;
  double observed_hours_ = 0;
  double losses_ = 0;
};

}  // namespace reprise::controllers::placement
