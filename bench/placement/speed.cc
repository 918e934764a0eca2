// Measures the time of a decision.
#include <algorithm>
#include <chrono>

#include "bench/placement/report.h"
#include "controllers/placement/policy/lindy_policy.h"

namespace reprise::bench {
namespace {

namespace placement = controllers::placement;

template <class Work>
double best_milliseconds(int times, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

void speed(Report& report) {
  report.section("Time of a decision (best of several)");
  const placement::ValueQuestion question{.changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.9731};
  double sum = 0;
  report.at_most("  ms to solve 60 h with 12 h of slack",
                 best_milliseconds(40,
                                   [&] {
                                     const placement::ValueTable table(question, 60, 12, 0);
                                     sum += table.value(placement::Mode::Idle, true, 1, 60, 12);
                                   }),
                 2);
  const placement::Terms month{
      .work = 576, .deadline = 720, .changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.9731};
  report.at_most("  ms to decide with a deadline of 30 days",
                 best_milliseconds(20,
                                   [&] {
                                     placement::LindyPolicy policy(month);
                                     sum += static_cast<double>(policy.decide({.spot_up = true, .work_left = 576}));
                                   }),
                 20);
  const placement::Terms terms{
      .work = 48, .deadline = 60, .changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.9731};
  const placement::Situation now{.spot_up = true, .work_left = 48};
  const placement::ValueTable table(question, 60, 12, 6);
  placement::ZoneMemory zone;
  zone.observe(true, 0);
  constexpr int kDecisions = 10'000;
  report.at_most("  us per decision without a solve",
                 best_milliseconds(10,
                                   [&] {
                                     for (int i = 0; i < kDecisions; ++i)
                                       sum += placement::action_values(terms, now, zone, table).spot;
                                   }) /
                     kDecisions * 1000,
                 10);
  if (sum < 0) report.section("");  // keeps the work from being optimised away
}

}  // namespace reprise::bench
