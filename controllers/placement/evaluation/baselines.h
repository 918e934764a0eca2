// Policies from the literature and the cheap fallback, to measure against.
#pragma once

#include "controllers/placement/policy/policy.h"

namespace reprise::controllers::placement {

// Takes any spot, waits otherwise, and buys on-demand when the deadline leaves no other choice.
class Greedy final : public Policy {
 public:
  explicit Greedy(const Terms& terms) : terms_(terms) {}
  Mode decide(const Situation& now) override;

 private:
  Terms terms_;
};

class OnDemandOnly final : public Policy {
 public:
  explicit OnDemandOnly(const Terms& terms) : terms_(terms) {}
  Mode decide(const Situation& now) override;

 private:
  Terms terms_;
};

// "Can't Be Late" (NSDI'24): keeps to the line of uniform progress; behind it, on-demand fills what spot does not give,
// and is kept until the job is two changeovers ahead.
class UniformProgress final : public Policy {
 public:
  explicit UniformProgress(const Terms& terms) : terms_(terms) {}
  Mode decide(const Situation& now) override;

 private:
  Terms terms_;
};

// Three rules without a solver: spot whenever it is there; on-demand only when behind uniform progress *and* the outage
// is older than two changeovers; back as soon as spot has been up for two changeovers.
class UpAge final : public Policy {
 public:
  explicit UpAge(const Terms& terms) : terms_(terms) {}
  Mode decide(const Situation& now) override;

 private:
  Terms terms_;
  bool up_ = false;
  double age_ = 0;
  bool seen_ = false;
};

}  // namespace reprise::controllers::placement
