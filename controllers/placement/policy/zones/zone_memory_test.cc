// The lessons of a zone, and what follows from them: hazards, memory, checkpoint advice, the sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "controllers/placement/policy/checkpoint_advice.h"
#include "controllers/placement/policy/explain.h"
#include "controllers/placement/policy/hazard.h"
#include "controllers/placement/policy/zones/zone_memory.h"

namespace reprise::controllers::placement {
namespace {

using ::testing::HasSubstr;

TEST(Hazard, falls_with_age) {
  EXPECT_GT(ends_within(kSpotSpells, 1, 0, 1), 2 * ends_within(kSpotSpells, 1, 3, 1));
  EXPECT_NEAR(ends_within(kSpotSpells, 1, 0.3, 1), 1 - 1 / 2.0, 1e-12);  // (0.7 + 0.3) / (0.7 + 1.3)
}

TEST(Hazard, half_of_all_spells_outlast_the_median) {
  for (const double theta : {0.4, 1.0, 2.5}) {
    for (const double age : {0.0, 1.0, 9.0})
      EXPECT_NEAR(ends_within(kOutages, theta, age, median_remaining(kOutages, theta, age)), 0.5, 1e-9);
  }
}

TEST(Hazard, the_mean_remaining_life_is_the_integral_of_the_survivors) {
  for (const double theta : {0.5, 1.0, 1.0000001, 2.0}) {
    double sum = 0;
    constexpr double kStep = 1e-3;
    for (double x = kStep / 2; x < 6; x += kStep) sum += kStep * (1 - ends_within(kSpotSpells, theta, 2, x));
    EXPECT_NEAR(mean_remaining(kSpotSpells, theta, 2, 6), sum, 1e-5);
  }
}

TEST(ZoneMemory, knows_nothing_and_takes_the_zone_for_typical) {
  const ZoneMemory zone;
  EXPECT_FALSE(zone.seen());
  EXPECT_DOUBLE_EQ(zone.theta_up(), 1);
  EXPECT_DOUBLE_EQ(zone.theta_down(), 1);
}

TEST(ZoneMemory, a_zone_that_loses_spot_often_gets_a_greater_theta_and_a_steady_one_a_lesser) {
  ZoneMemory rough;
  ZoneMemory steady;
  for (int i = 0; i < 240; ++i) {
    rough.observe(i % 4 != 3, 0.1);
    steady.observe(true, 0.1);
  }
  EXPECT_GT(rough.theta_up(), 1.5);
  EXPECT_LT(steady.theta_up(), 0.7);
  EXPECT_NEAR(steady.age(), 1 + 23.9, 1e-9);  // spot found up counts as up for an hour before
}

TEST(ZoneMemory, forgets) {
  ZoneMemory zone;
  for (int i = 0; i < 240; ++i) zone.observe(i % 4 != 3, 0.1);
  const double before = zone.theta_down();
  for (int i = 0; i < 5000; ++i) zone.observe(true, 0.1);
  EXPECT_LT(std::abs(zone.theta_down() - 1), std::abs(before - 1) / 2);
}

TEST(ZoneMemory, two_observers_add_up_in_any_order) {
  ZoneMemory a;
  ZoneMemory b;
  for (int i = 0; i < 50; ++i) {
    a.observe(i % 5 != 4, 0.1);
    b.observe(i % 7 != 6, 0.2);
  }
  const ZoneMemory ab = ZoneMemory::merged(a, b);
  const ZoneMemory ba = ZoneMemory::merged(b, a);
  EXPECT_DOUBLE_EQ(ab.ups().ended, a.ups().ended + b.ups().ended);
  EXPECT_DOUBLE_EQ(ab.theta_up(), ba.theta_up());
  EXPECT_DOUBLE_EQ(ab.age(), ba.age());
  EXPECT_DOUBLE_EQ(ZoneMemory::merged(a, ZoneMemory()).theta_down(), a.theta_down());
}

TEST(ZoneMemory, of_two_that_know_as_little_the_loss_is_believed_in_any_order) {
  const auto up = ZoneMemory::restored({}, {}, true, 0);
  const auto down = ZoneMemory::restored({}, {}, false, 0);
  EXPECT_FALSE(ZoneMemory::merged(up, down).up());
  EXPECT_FALSE(ZoneMemory::merged(down, up).up());
}

TEST(ZoneMemory, what_was_damaged_in_storage_counts_as_never_seen) {
  const double nan = std::nan("");
  const auto zone =
      ZoneMemory::restored({.ended = nan, .expected = -4}, {.ended = -1, .expected = INFINITY}, true, nan);
  EXPECT_DOUBLE_EQ(zone.theta_up(), 1);
  EXPECT_DOUBLE_EQ(zone.theta_down(), 1);
  EXPECT_DOUBLE_EQ(zone.age(), 0);
}

TEST(ZoneMemory, a_clock_that_goes_back_changes_no_count) {
  ZoneMemory zone;
  for (int i = 0; i < 30; ++i) zone.observe(i % 5 != 4, 0.1);
  const double before = zone.theta_up();
  zone.observe(zone.up(), -8);
  zone.glimpse(zone.up(), -8);
  EXPECT_DOUBLE_EQ(zone.theta_up(), before);
  EXPECT_GE(zone.age(), 0);
}

TEST(ZoneMemory, what_was_stored_is_what_comes_back) {
  ZoneMemory zone;
  for (int i = 0; i < 30; ++i) zone.observe(i % 5 != 4, 0.1);
  ZoneMemory again = ZoneMemory::restored(zone.ups(), zone.outages(), zone.up(), zone.age());
  zone.observe(false, 0.1);
  again.observe(false, 0.1);
  EXPECT_DOUBLE_EQ(again.theta_up(), zone.theta_up());
  EXPECT_DOUBLE_EQ(again.age(), zone.age());
}

TEST(ZoneMemory, a_glimpse_counts_nothing_and_guesses_the_age) {
  ZoneMemory zone;
  zone.glimpse(true, 0);
  EXPECT_DOUBLE_EQ(zone.age(), 1);
  zone.glimpse(true, 3);
  EXPECT_DOUBLE_EQ(zone.age(), 3);
  zone.glimpse(false, 1);
  EXPECT_DOUBLE_EQ(zone.guessed_age(0.5), 0.25);
  EXPECT_DOUBLE_EQ(zone.guessed_age(9), 1);
  EXPECT_DOUBLE_EQ(zone.ups().ended + zone.outages().expected, 0);
}

TEST(CheckpointAdvice, daly_s_published_intervals_come_out) {
  const double write = 5;  // minutes
  EXPECT_NEAR(daly_interval(write, 24 * 60), 117, 0.5);
  EXPECT_NEAR(daly_interval(write, 6 * 60), 57, 0.5);
  EXPECT_NEAR(daly_interval(write, 15), 9.1, 0.05);
  EXPECT_DOUBLE_EQ(daly_interval(5, 2), 2);  // writing takes longer than spot lasts
}

TEST(CheckpointAdvice, saves_often_on_young_spot_and_rarely_on_old) {
  const double write = 2.0 / 60;
  EXPECT_NEAR(checkpoint_interval(write, 0, 1) * 60, 10.8, 0.5);
  EXPECT_GT(checkpoint_interval(write, 4, 1), 2.5 * checkpoint_interval(write, 0, 1));
  EXPECT_LT(checkpoint_interval(write, 4, 3), checkpoint_interval(write, 4, 1));
  EXPECT_DOUBLE_EQ(checkpoint_interval(write, 1e6, 1), 2);
  EXPECT_DOUBLE_EQ(checkpoint_interval(0.5, 0, 10), 1);  // never more often than twice the write
}

TEST(Explanation, of_several_zones_names_where_it_runs_and_what_the_others_would_yield) {
  const Terms terms{.work = 48, .deadline = 60, .changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.97};
  const Situation now{.mode = Mode::Spot, .spot_up = true, .work_left = 30, .elapsed = 22.5};
  const std::vector<ZoneStanding> standings{
      {.zone = "us-west-2b", .up = true, .age = 3.2, .likely_more = 4.1, .net_per_hour = 1.42},
      {.zone = "us-west-2a", .up = std::nullopt, .age = 1, .likely_more = 1.7, .net_per_hour = 1.1},
      {.zone = "us-east-1c", .up = false, .age = 0.5, .likely_more = 0.4, .net_per_hour = -0.2}};
  EXPECT_EQ(explain_zones(terms, now, Mode::Spot, "us-west-2b", standings),
            "spot up 3.2 h in us-west-2b, likely to last 4.1 h more, yields $1.42/h; us-west-2a would yield $1.10/h, "
            "us-east-1c -$0.20/h (away for 0.5 h); 7.5 h of slack; on-demand not needed within the next 7.3 h");
  Situation idle = now;
  idle.mode = Mode::Idle;
  EXPECT_THAT(explain_zones(terms, idle, Mode::Idle, "us-west-2b", standings),
              HasSubstr("no spot taken; us-west-2b would yield $1.42/h, us-west-2a $1.10/h, us-east-1c -$0.20/h"));
  EXPECT_THAT(explain_zones(terms, idle, Mode::OnDemand, "us-east-1c", standings),
              HasSubstr("on-demand in us-east-1c"));
}

TEST(Explanation, names_the_numbers_that_the_decision_rests_on) {
  const Terms terms{.work = 48, .deadline = 60, .changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.97};
  const Situation now{.mode = Mode::Spot, .spot_up = true, .work_left = 30, .elapsed = 22.5};
  const ZoneMemory up = ZoneMemory::restored({}, {}, true, 3.4);
  const auto clock =
      std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + std::chrono::hours(6) + std::chrono::minutes(52);
  EXPECT_EQ(explain(terms, now, Mode::Spot, up, "zone-b", clock),
            "spot up 3.4 h in zone-b, likely to last 4.1 h more; 7.5 h of slack; on-demand not needed before 14:10");
  EXPECT_THAT(explain(terms, now, Mode::Spot, up, "zone-b"), HasSubstr("on-demand not needed within the next 7.3 h"));
  const ZoneMemory down = ZoneMemory::restored({}, {}, false, 0.6);
  Situation idle = now;
  idle.mode = Mode::Idle;
  idle.spot_up = false;
  EXPECT_THAT(
      explain(terms, idle, Mode::Idle, down, "zone-b", clock + std::chrono::hours(12)),
      HasSubstr("no spot in zone-b for 0.6 h, likely back within 0.5 h; 7.5 h of slack; waiting is cheaper than "
                "on-demand; on-demand not needed before 2026-11-22 02:10"));
  idle.elapsed = 29.8;
  EXPECT_THAT(explain(terms, idle, Mode::OnDemand, down, "zone-b"),
              HasSubstr("0.2 h of slack: too little for another start on spot (0.4 h)"));
  idle.elapsed = 22.5;
  idle.mode = Mode::OnDemand;
  idle.spot_up = true;
  EXPECT_THAT(explain(terms, idle, Mode::OnDemand, ZoneMemory::restored({}, {}, true, 0.1), "zone-b"),
              HasSubstr("spot that may be lost again is not worth another start yet, so on-demand"));
  Terms open = terms;
  open.deadline = kNoDeadline;
  EXPECT_THAT(explain(open, idle, Mode::OnDemand, down, "zone-b"), HasSubstr("the job does not wait longer"));
  EXPECT_EQ(explain(open, now, Mode::Spot, up, "zone-b"), "spot up 3.4 h in zone-b, likely to last 4.1 h more");
}

}  // namespace
}  // namespace reprise::controllers::placement
