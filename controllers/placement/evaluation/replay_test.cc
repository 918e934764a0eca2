#include "controllers/placement/evaluation/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "controllers/placement/evaluation/baselines.h"
#include "controllers/placement/evaluation/omniscient.h"
#include "controllers/placement/evaluation/zones_replay.h"
#include "controllers/placement/policy/lindy_policy.h"
#include "controllers/placement/policy/open_ended.h"
#include "controllers/placement/policy/zones/uniform_zones.h"
#include "controllers/placement/policy/zones/zones_policy.h"

namespace reprise::controllers::placement {
namespace {

const Terms kTerms{.work = 10, .deadline = 14, .changeover = 0.25, .on_demand_price = 3, .spot_price = 1};

Market market(double tick, double hours, const std::function<bool(double)>& up) {
  Market made{.tick = tick, .up = {}, .spot_price = {}};
  for (double t = 0; t < hours; t += tick) made.up.push_back(up(t + tick / 2) ? 1 : 0);
  return made;
}

TEST(Replay, pays_the_last_tick_for_the_part_that_is_needed) {
  Greedy greedy(kTerms);
  const Outcome run = replay(kTerms, market(0.1, 20, [](double) { return true; }), 0, greedy);
  EXPECT_NEAR(run.cost, 10.25, 1e-9);
  EXPECT_NEAR(run.finish, 10.25, 1e-9);
  EXPECT_EQ(run.starts, 1);
}

TEST(Replay, a_loss_within_a_changeover_loses_what_was_spent_on_it) {
  Greedy greedy(kTerms);
  // Up for 0.2 h, too short for a changeover; then away for an hour.
  const Outcome run = replay(kTerms, market(0.1, 20, [](double t) { return t < 0.2 || t > 1.2; }), 0, greedy);
  EXPECT_NEAR(run.cost, 0.2 + 10.25, 1e-9);
  EXPECT_NEAR(run.idle_hours, 1.0, 1e-9);
  EXPECT_EQ(run.starts, 2);
}

TEST(Replay, without_spot_greedy_waits_as_long_as_it_can_and_then_buys) {
  Greedy greedy(kTerms);
  const Outcome run = replay(kTerms, market(0.1, 20, [](double) { return false; }), 0, greedy);
  EXPECT_NEAR(run.cost, 30.75, 1e-9);
  EXPECT_FALSE(run.missed);
  EXPECT_GT(run.finish, kTerms.deadline - 0.2);
}

TEST(Replay, prices_of_the_market_are_paid_tick_by_tick) {
  Market made = market(0.5, 20, [](double) { return true; });
  for (std::size_t t = 0; t < made.up.size(); ++t) made.spot_price.push_back(t < 10 ? 1.0 : 2.0);
  Greedy greedy(kTerms);
  EXPECT_NEAR(replay(kTerms, made, 0, greedy).cost, 5 * 1.0 + 5.25 * 2.0, 1e-9);
}

TEST(Replay, starts_are_those_that_leave_room_for_the_deadline) {
  const Market made = market(0.5, 50, [](double) { return true; });  // 100 ticks
  EXPECT_EQ(starts_that_fit(made, 10, 20), (std::vector<std::size_t>{0, 20, 40}));
  EXPECT_TRUE(starts_that_fit(made, 10, 60).empty());
}

Market spells(std::mt19937_64& random, double hours) {
  std::bernoulli_distribution up_ends(0.05);
  std::bernoulli_distribution down_ends(0.08);
  bool up = true;
  return market(0.1, hours, [&](double) {
    if ((up ? up_ends : down_ends)(random)) up = !up;
    return up;
  });
}

TEST(Omniscient, no_policy_is_cheaper) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const Market made = spells(random, 20);
    const Outcome bound = omniscient(kTerms, made, 0);
    Greedy greedy(kTerms);
    UniformProgress uniform(kTerms);
    UpAge up_age(kTerms);
    LindyPolicy lindy(kTerms);
    for (Policy* policy : std::initializer_list<Policy*>{&greedy, &uniform, &up_age, &lindy})
      EXPECT_LE(bound.cost, replay(kTerms, made, 0, *policy).cost + 1e-6);
  }
}

TEST(Omniscient, lies_below_the_best_plan_by_less_than_one_start) {
  for (const bool up : {true, false}) {
    const double price = up ? 1 : 3;
    const double bound = omniscient(kTerms, market(0.1, 20, [&](double) { return up; }), 0).cost;
    EXPECT_LE(bound, price * 10.25 + 1e-9);
    EXPECT_GT(bound, price * 10);
  }
}

TEST(OpenEnded, spot_only_buys_nothing_and_no_waiting_buys_at_once) {
  Terms terms = kTerms;
  terms.deadline = kNoDeadline;
  const Market made = market(0.1, 60, [](double t) { return t < 2 || t > 30; });
  OpenEnded waits_for_spot(terms, SpotOnly{});
  OpenEnded buys_at_once(terms, OnDemandAfter{0});
  const Outcome waits = replay(terms, made, 0, waits_for_spot);
  const Outcome buys = replay(terms, made, 0, buys_at_once);
  EXPECT_EQ(waits.on_demand_hours, 0);
  EXPECT_NEAR(waits.idle_hours, 28, 0.11);
  EXPECT_NEAR(buys.idle_hours, 0, 1e-9);
  EXPECT_LT(waits.cost, buys.cost);
}

TEST(OpenEnded, time_that_is_worth_more_is_waited_less) {
  Terms terms = kTerms;
  terms.deadline = kNoDeadline;
  std::mt19937_64 random(5);
  const Market made = spells(random, 400);
  double idle = 1e9;
  for (const double value : {0.0, 0.5, 1.0, 3.0}) {
    OpenEnded policy(terms, ValueOfTime{value});
    const Outcome run = replay(terms, made, 0, policy);
    EXPECT_LE(run.idle_hours, idle + 1e-9);
    idle = run.idle_hours;
  }
}

TEST(LindyPolicy, a_long_job_saves_the_same_under_a_horizon_as_under_the_whole_table) {
  const Terms terms{.work = 200, .deadline = 240, .changeover = 0.4, .on_demand_price = 3, .spot_price = 1};
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> uniform(1e-3, 1);
  double difference = 0;
  constexpr int kJobs = 6;
  for (int i = 0; i < kJobs; ++i) {
    Market made{.tick = 0.2, .up = {}, .spot_price = {}};
    bool up = true;
    while (made.up.size() < 1210) {  // spells that last the longer the older they are
      const double hours = up ? 0.7 * (1 / uniform(random) - 1) : 0.4 * (std::pow(uniform(random), -1 / 1.8) - 1);
      made.up.insert(made.up.end(), static_cast<std::size_t>(hours / made.tick) + 1, up ? 1 : 0);
      up = !up;
    }
    LindyPolicy near(terms);
    LindyPolicy whole(terms, {}, terms.deadline);
    const Outcome short_sighted = replay(terms, made, 0, near);
    EXPECT_FALSE(short_sighted.missed);
    difference += short_sighted.cost - replay(terms, made, 0, whole).cost;
  }
  EXPECT_LT(100 * difference / kJobs / (terms.on_demand_price * terms.work), 0.5);
}

TEST(Zones, a_job_that_may_move_is_never_late_and_cheaper_than_its_worst_zone) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 40; ++i) {
    std::vector<ZoneMarket> zones;
    for (const char* name : {"us-west-2a", "us-west-2b", "us-east-1a"})
      zones.push_back({.name = name,
                       .region = region_of(name),
                       .market = spells(random, 20),
                       .spot_price = {1.0},
                       .on_demand_price = 3});
    const ZonesTerms terms{.work = 10, .deadline = 14, .changeover = 0.25, .egress = 0.1};
    LindyZonesPolicy lindy(terms);
    UniformZones uniform(terms);
    EXPECT_FALSE(replay_zones(terms, zones, 0, lindy).missed);
    EXPECT_FALSE(replay_zones(terms, zones, 0, uniform).missed);
  }
}

TEST(Zones, standings_tell_of_every_zone_the_best_first) {
  const std::vector<std::string> names{"us-west-2a", "us-west-2b", "us-east-1a"};
  const ZonesTerms terms{.work = 10, .deadline = 14, .changeover = 0.25, .egress = 0.1};
  LindyZonesPolicy policy(terms);
  const std::vector<ZoneOffer> offers{{.region = "us-west-2", .spot_price = 1.5, .on_demand_price = 3},
                                      {.region = "us-west-2", .spot_price = 1, .on_demand_price = 3},
                                      {.region = "us-east-1", .spot_price = 1, .on_demand_price = 3}};
  ZonesSituation now{.job = {.work_left = 10, .tick = 0.1}, .offers = &offers};
  const auto order = policy.zones_to_try(now);
  ASSERT_EQ(order.size(), 3U);
  policy.tried(order[0], false);
  policy.tried(order[1], true);
  now.job.mode = Mode::Spot;
  now.job.spot_up = true;
  now.job.elapsed = 0.1;
  now.zone = order[1];
  EXPECT_THAT(policy.zones_to_try(now), ::testing::IsEmpty());
  const auto standings = policy.standings(now, names);
  ASSERT_EQ(standings.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(standings, std::greater{}, &ZoneStanding::net_per_hour));
  EXPECT_EQ(standings[0].zone, names[order[1]]);
  EXPECT_EQ(standings[0].up, true);
  const auto failed = std::ranges::find(standings, names[order[0]], &ZoneStanding::zone);
  EXPECT_EQ(failed->up, false);
  EXPECT_NEAR(failed->age, 0.1, 1e-9);
}

TEST(Zones, a_region_is_a_zone_s_name_without_its_letter) {
  EXPECT_EQ(region_of("us-west-2a"), "us-west-2");
  EXPECT_EQ(region_of("us-central1-a"), "us-central1");
  EXPECT_EQ(region_of("rack7"), "rack7");
}

}  // namespace
}  // namespace reprise::controllers::placement
