// The two promises, held against spot that does its worst: no deadline is missed, no cost limit overrun.
#include "controllers/placement/policy/safety_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "controllers/placement/evaluation/baselines.h"
#include "controllers/placement/evaluation/replay.h"
#include "controllers/placement/evaluation/zones_replay.h"
#include "controllers/placement/policy/lindy_policy.h"
#include "controllers/placement/policy/zones/zones_policy.h"

namespace reprise::controllers::placement {
namespace {

using Random = std::mt19937_64;

double draw(Random& random, double from, double to) {
  return std::uniform_real_distribution(from, to)(random);
}

struct Case {
  Terms terms;
  Market market;
};

Case any_job(Random& random) {
  Case c;
  c.market.tick = std::round(draw(random, 1, 10)) / 60;
  c.terms.changeover = draw(random, 0.03, 0.7);
  c.terms.work = draw(random, 1, 10);
  c.terms.on_demand_price = draw(random, 0.5, 100);
  c.terms.spot_price = c.terms.on_demand_price / draw(random, 1.2, 6);
  // From a deadline that on-demand meets at once to one with plenty of slack.
  c.terms.deadline = c.terms.work + c.terms.changeover + draw(random, 0, 1) * draw(random, 0, 6);
  c.terms.cost_limit = cost_limit(c.terms, draw(random, 0, 1) < 0.3 ? 0 : draw(random, 0, 10));
  c.market.up.resize(static_cast<std::size_t>(c.terms.deadline / c.market.tick) + 3);
  return c;
}

// Spells of exponential length.
void markov(Market& market, Random& random) {
  const double ends = std::exp(draw(random, std::log(0.005), std::log(0.5)));
  const double returns = std::exp(draw(random, std::log(0.005), std::log(0.5)));
  bool up = draw(random, 0, 1) < 0.5;
  for (auto& tick : market.up) {
    if (draw(random, 0, 1) < (up ? ends : returns)) up = !up;
    tick = up ? 1 : 0;
  }
}

// Spells of heavy-tailed length, outages of another.
void semi_markov(Market& market, Random& random) {
  bool up = draw(random, 0, 1) < 0.5;
  const double scale[2] = {draw(random, 0.1, 1), draw(random, 0.1, 1)};
  std::size_t t = 0;
  while (t < market.up.size()) {
    const double hours = scale[up ? 1 : 0] * (std::pow(draw(random, 1e-3, 1), -1 / 1.2) - 1);
    for (auto n = static_cast<std::size_t>(hours / market.tick) + 1; n > 0 && t < market.up.size(); --n)
      market.up[t++] = up ? 1 : 0;
    up = !up;
  }
}

// Lures the job onto spot and takes it back after so many ticks, again and again.
class Adversary {
 public:
  Adversary(Market& market, std::size_t up_ticks, std::size_t rest)
      : market_(market), up_ticks_(up_ticks), rest_(rest) {
    std::fill(market_.up.begin(), market_.up.end(), std::uint8_t{1});
  }
  void sees(Mode mode) {
    ++tick_;
    on_spot_ = mode == Mode::Spot ? on_spot_ + 1 : 0;
    if (on_spot_ < up_ticks_) return;
    for (std::size_t i = 0; i <= rest_ && tick_ + i < market_.up.size(); ++i) market_.up[tick_ + i] = 0;
    on_spot_ = 0;
  }

 private:
  Market& market_;
  std::size_t up_ticks_;
  std::size_t rest_;
  std::size_t tick_ = 0;
  std::size_t on_spot_ = 0;
};

std::unique_ptr<Policy> any_policy(std::size_t which, const Terms& terms) {
  switch (which % 5) {
    case 0:
      return std::make_unique<Greedy>(terms);
    case 1:
      return std::make_unique<UniformProgress>(terms);
    case 2:
      return std::make_unique<UpAge>(terms);
    case 3:
      return std::make_unique<OnDemandOnly>(terms);
    default:
      return std::make_unique<LindyPolicy>(terms);
  }
}

Outcome run(Case& c, Policy& policy, Random& random) {
  std::optional<Adversary> adversary;
  const auto kind = random() % 3;
  if (kind == 0) markov(c.market, random);
  if (kind == 1) semi_markov(c.market, random);
  if (kind == 2) adversary.emplace(c.market, 1 + random() % 8, random() % 12);
  const bool always_longest = random() % 2 == 0;
  return replay(
      c.terms, c.market, 0, policy,
      [&](double, double, Mode mode) {
        if (adversary) adversary->sees(mode);
      },
      [&] { return always_longest ? c.terms.changeover : draw(random, 0, 1) * c.terms.changeover; });
}

void expect_promises_kept(std::size_t jobs, std::size_t first_policy, std::size_t policies, std::uint64_t seed) {
  for (std::size_t i = 0; i < jobs; ++i) {
    Random random(seed + i);
    Case c = any_job(random);
    const auto policy = any_policy(first_policy + i % policies, c.terms);
    const Outcome done = run(c, *policy, random);
    ASSERT_LE(done.finish, c.terms.deadline + 1e-6) << "seed " << seed + i;
    ASSERT_LE(done.cost, c.terms.cost_limit * (1 + 1e-9)) << "seed " << seed + i;
  }
}

TEST(SafetyNet, reprise_misses_no_deadline_and_overruns_no_limit_in_10000_jobs) {
  expect_promises_kept(10'000, 4, 1, 20'261'121);
}

TEST(SafetyNet, no_other_policy_misses_a_deadline_or_overruns_a_limit_in_10000_jobs) {
  expect_promises_kept(10'000, 0, 4, 4'711);
}

TEST(SafetyNet, a_job_that_moves_between_zones_misses_no_deadline_and_overruns_no_limit_in_3000_jobs) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Case c = any_job(random);
    std::vector<ZoneMarket> zones;
    double dearest_start = 0;
    for (const char* name : {"us-west-2a", "us-west-2b", "us-east-1a"}) {
      ZoneMarket zone{.name = name, .region = region_of(name), .market = c.market, .spot_price = {}};
      (random() % 2 == 0 ? markov : semi_markov)(zone.market, random);
      zone.on_demand_price = c.terms.on_demand_price * draw(random, 1, 1.3);
      zone.spot_price = {c.terms.spot_price * draw(random, 0.8, 1.2)};
      dearest_start = std::max(dearest_start, zone.on_demand_price * (c.terms.work + c.terms.changeover));
      zones.push_back(std::move(zone));
    }
    const ZonesTerms terms{.work = c.terms.work,
                           .deadline = c.terms.deadline,
                           .changeover = c.terms.changeover,
                           .egress = draw(random, 0, 2),
                           .cost_limit = dearest_start + draw(random, 0, 2)};
    LindyZonesPolicy policy(terms);
    const Outcome done = replay_zones(terms, zones, 0, policy);
    ASSERT_FALSE(done.missed) << "seed " << seed;
    ASSERT_LE(done.cost, terms.cost_limit * (1 + 1e-9)) << "seed " << seed;
  }
}

TEST(SafetyNet, a_policy_that_wants_nothing_but_to_wait_is_still_in_time) {
  class Idler final : public Policy {
   public:
    explicit Idler(const Terms& terms) : terms_(terms) {}
    Mode decide(const Situation& now) override { return keep_safe(Mode::Idle, allowed(terms_, now), now); }

   private:
    Terms terms_;
  };
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    Case c = any_job(random);
    Idler idler(c.terms);
    EXPECT_FALSE(run(c, idler, random).missed);
  }
}

TEST(SafetyNet, waits_only_while_a_start_on_demand_still_fits) {
  const Terms terms{.work = 10, .deadline = 11, .changeover = 0.2, .on_demand_price = 3, .spot_price = 1};
  Situation now{.mode = Mode::Idle, .spot_up = true, .work_left = 10, .elapsed = 0, .tick = 0.1};
  EXPECT_TRUE(allowed(terms, now).idle);
  now.elapsed = 0.7;  // 0.3 h of slack: one tick may pass, two starts no longer fit
  EXPECT_TRUE(allowed(terms, now).idle);
  EXPECT_FALSE(allowed(terms, now).spot);
  now.elapsed = 0.75;
  EXPECT_FALSE(allowed(terms, now).idle);
  EXPECT_TRUE(allowed(terms, now).on_demand);
}

TEST(SafetyNet, a_job_whose_spot_is_gone_may_wait_as_one_that_is_idle) {
  const Terms terms{.work = 10, .deadline = 14, .changeover = 0.2, .on_demand_price = 3, .spot_price = 1};
  const Situation lost{.mode = Mode::Spot, .spot_up = false, .work_left = 10, .tick = 0.1};
  EXPECT_TRUE(allowed(terms, lost).idle);
  EXPECT_FALSE(allowed(terms, lost).spot);
  LindyPolicy policy(terms);
  EXPECT_EQ(policy.decide(lost), Mode::Idle);
}

TEST(SafetyNet, the_limit_holds_when_spot_grows_as_dear_as_on_demand_after_the_start) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    Case c = any_job(random);
    c.terms.highest_spot_price = c.terms.on_demand_price;
    for (std::size_t t = 0; t < c.market.up.size(); ++t)
      c.market.spot_price.push_back(draw(random, c.terms.spot_price, c.terms.on_demand_price));
    LindyPolicy policy(c.terms);
    ASSERT_LE(run(c, policy, random).cost, c.terms.cost_limit * (1 + 1e-9)) << "seed " << seed;
  }
}

TEST(SafetyNet, the_limit_is_never_less_than_one_more_changeover) {
  const Terms terms{.work = 48, .deadline = 60, .changeover = 0.2, .on_demand_price = 3, .spot_price = 1};
  EXPECT_DOUBLE_EQ(cost_limit(terms, 0), 3 * 48.4);
  EXPECT_DOUBLE_EQ(cost_limit(terms, 3), 3 * 48.2 * 1.03);
}

}  // namespace
}  // namespace reprise::controllers::placement
