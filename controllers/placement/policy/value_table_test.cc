#include "controllers/placement/policy/value_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

// The same process written down once more, as a recursion without a table: every state tries every action.
class BruteForce {
 public:
  explicit BruteForce(const ValueQuestion& question)
      : q_(question), units_(static_cast<int>(std::ceil(0.2 / q_.changeover - 1e-9))) {}

  double value(Mode mode, bool up, int age, int steps, int slack) const {
    const double h = units_ * q_.changeover;
    const double work = steps * h - slack * q_.changeover;
    if (work <= 1e-9) return 0;
    const double never = 1e7;
    double best = never;
    const auto next = [&](Mode then, int slack_then) { return mean(then, up, age, steps - 1, slack_then); };
    const double switched = work + q_.changeover;
    if (mode == Mode::Idle && slack - units_ >= 1) best = std::min(best, next(Mode::Idle, slack - units_));
    if (up) {
      if (mode == Mode::Spot)
        best = std::min(best, q_.spot_price * std::min(h, work) + next(Mode::Spot, slack));
      else if (slack >= 2)
        best = std::min(best, q_.spot_price * std::min(h, switched) + next(Mode::Spot, slack - 1));
    }
    if (mode == Mode::OnDemand) {
      best = std::min(best, q_.on_demand_price * std::min(h, work) + next(Mode::OnDemand, slack));
      best = std::min(best, q_.on_demand_price * work);
    } else if (slack >= 1) {
      best = std::min(best, q_.on_demand_price * std::min(h, switched) + next(Mode::OnDemand, slack - 1));
      best = std::min(best, q_.on_demand_price * switched);
    }
    return best;
  }

 private:
  double mean(Mode mode, bool up, int age, int steps, int slack) const {
    static constexpr double kFrom[] = {0, 1 / 6.0, 1 / 3.0, 2 / 3.0, 4 / 3.0, 8 / 3.0, 16 / 3.0, 32 / 3.0, 32};
    const double h = units_ * q_.changeover;
    const double width = kFrom[age + 1] - kFrom[age];
    const double theta = up ? q_.climate.theta_up : q_.climate.theta_down;
    const double hazard = theta * cumulative_hazard(up ? kSpotSpells : kOutages, kFrom[age], width) / width;
    const double ends = 1 - std::exp(-hazard * h);
    const double older = age < 7 ? std::min(1.0, h / width) : 0;
    const Mode fallen = mode == Mode::Spot ? Mode::Idle : mode;
    double over = value(fallen, !up, 0, steps, slack);
    if (up) over = (1 - q_.failover) * over + q_.failover * value(fallen, true, 0, steps, slack);
    double lasts = (1 - older) * value(mode, up, age, steps, slack);
    if (older > 0) lasts += older * value(mode, up, age + 1, steps, slack);
    return ends * over + (1 - ends) * lasts;
  }

  ValueQuestion q_;
  int units_;
};

TEST(ValueTable, agrees_with_brute_force_on_tiny_problems) {
  const double ages[] = {0.01, 0.2, 0.5, 1, 2, 4, 8, 20};
  for (const double changeover : {0.2, 0.15, 0.07, 0.5}) {
    for (const double failover : {0.0, 0.6}) {
      const ValueQuestion question{.changeover = changeover,
                                   .on_demand_price = 3.06,
                                   .spot_price = 0.97,
                                   .climate = {.theta_up = 1.7, .theta_down = 0.6},
                                   .failover = failover};
      const double h = changeover * std::ceil(0.2 / changeover - 1e-9);
      const int steps = 4;
      const ValueTable table(question, steps * h, 6 * changeover, steps * h);
      const BruteForce brute(question);
      for (int k = 1; k <= steps; ++k) {
        for (int slack = 0; slack <= 6; ++slack) {
          for (int age = 0; age < 8; ++age) {
            for (const auto& [mode, up] : {std::pair{Mode::Idle, true},
                                           {Mode::Idle, false},
                                           {Mode::Spot, true},
                                           {Mode::OnDemand, true},
                                           {Mode::OnDemand, false}}) {
              const double expected = brute.value(mode, up, age, k, slack);
              const double found = table.value(mode, up, ages[age], k * h, slack * changeover);
              ASSERT_NEAR(found, expected, std::max(1e-4, expected * 1e-5))
                  << "changeover " << changeover << " steps " << k << " slack " << slack << " age " << age << " mode "
                  << static_cast<int>(mode) << " up " << up;
            }
          }
        }
      }
    }
  }
}

TEST(ValueTable, more_slack_and_older_spot_never_cost_more) {
  const ValueTable table({.changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.97}, 60, 12, 6);
  for (double slack = 0.4; slack < 11.5; slack += 0.3) {
    // The work is the same: an hour of slack more is an hour of time more.
    EXPECT_LE(table.value(Mode::Idle, false, 1, 55 + slack / 4, slack),
              table.value(Mode::Idle, false, 1, 55, slack - slack / 4) + 1e-3);
    EXPECT_LE(table.value(Mode::Spot, true, 8, 56, slack), table.value(Mode::Spot, true, 0.1, 56, slack) + 1e-3);
  }
}

TEST(ValueTable, lies_between_all_spot_and_all_on_demand) {
  const ValueTable table({.changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.97}, 60, 12, 6);
  const double value = table.value(Mode::Idle, true, 1, 60, 12);
  EXPECT_GT(value, 48 * 0.97);
  EXPECT_LT(value, 48.2 * 3.06);
}

TEST(ValueTable, stays_small_for_a_short_changeover_and_much_slack) {
  const ValueTable table({.changeover = 1.0 / 60, .on_demand_price = 3.06, .spot_price = 0.97}, 100, 90, 0);
  EXPECT_LE(table.kept_bytes(), 2 * 40 * 504 * sizeof(float));
  EXPECT_TRUE(table.covers(100, 90));
  const double value = table.value(Mode::Idle, true, 1, 100, 90);
  EXPECT_GT(value, 10 * 0.97);
  EXPECT_LT(value, 12 * 0.97);
}

TEST(ValueTable, keeps_two_layers_when_asked_for_no_more) {
  const ValueTable table({.changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.97}, 60, 12, 0);
  EXPECT_LE(table.kept_bytes(), 21'000U);
  EXPECT_TRUE(table.covers(60, 12));
  EXPECT_FALSE(table.covers(50, 12));
}

}  // namespace
}  // namespace reprise::controllers::placement
