#include "simulator/scenarios/run/scenario.h"

#include <gtest/gtest.h>

#include "simulator/scenarios/run/end_state.h"
#include "simulator/scenarios/workload/market.h"

namespace reprise::simulator {
namespace {

std::string report(const ScenarioOutcome& outcome) {
  std::string text;
  for (const Violation& each : outcome.violations) text += each.invariant + ": " + each.what + "\n";
  return text;
}

struct Scenario : testing::Test {
  OwnKinds kinds = read_own_kinds().value();
};

TEST_F(Scenario, interrupted_by_the_market_alone_every_invariant_holds) {
  std::int64_t counted = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ScenarioOutcome outcome = run_scenario(kinds, {.seed = seed, .mix = FaultMix{}});
    EXPECT_TRUE(outcome.violations.empty()) << "seed " << seed << "\n" << report(outcome);
    // A gang counts once where it loses several.
    EXPECT_LE(outcome.counted_interruptions, outcome.interruptions) << "seed " << seed << "\n" << report(outcome);
    counted += outcome.counted_interruptions;
  }
  EXPECT_GT(counted, 10) << "the market interrupts next to nobody";
}

TEST_F(Scenario, one_seed_gives_one_scenario_byte_by_byte) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ScenarioOutcome first = run_scenario(kinds, {.seed = seed, .operator_log = "info"});
    const ScenarioOutcome second = run_scenario(kinds, {.seed = seed, .operator_log = "info"});
    ASSERT_EQ(first.log.size(), second.log.size()) << "seed " << seed;
    for (std::size_t line = 0; line < first.log.size(); ++line)
      ASSERT_EQ(to_line(first.log[line]), to_line(second.log[line])) << "seed " << seed;
    EXPECT_EQ(first.digest, second.digest);
  }
}

// The mix has this kind alone, so a violated invariant is its effect.
void holds_every_invariant_under(const OwnKinds& kinds, FaultKind kind, double rate, std::uint64_t seeds) {
  std::uint64_t injected = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ScenarioOutcome outcome = run_scenario(kinds, {.seed = seed, .mix = FaultMix{.rates = {{kind, rate}}}});
    EXPECT_TRUE(outcome.violations.empty()) << "seed " << seed << "\n" << report(outcome);
    injected += std::ranges::any_of(outcome.log, [kind](const LogEntry& entry) {
      return entry.who == "fault" && entry.what.starts_with(name(kind));
    });
  }
  EXPECT_GE(injected, (seeds + 1) / 2) << "in most seeds it never occurred";
}

TEST_F(Scenario, whatever_time_the_operators_believe_it_is_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::ClockSkewed, 30, 3);
}

TEST_F(Scenario, whatever_capacity_the_cloud_lacks_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::InsufficientCapacity, 30, 3);
}

TEST_F(Scenario, whether_machines_never_join_or_never_show_their_devices_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::NeverRegisters, 10, 2);
  holds_every_invariant_under(kinds, FaultKind::NeverInitialises, 10, 2);
}

TEST_F(Scenario, whether_machines_stand_still_and_go_on_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::MachineFrozen, 10, 3);
}

TEST_F(Scenario, whatever_a_kubelet_does_not_admit_every_invariant_holds) {
  std::size_t injected = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const FaultMix mix{.rates = {{FaultKind::KubeletRejects, 20}}};
    const ScenarioOutcome outcome = run_scenario(kinds, {.seed = seed, .mix = mix});
    EXPECT_TRUE(outcome.violations.empty()) << "seed " << seed << "\n" << report(outcome);
    injected += static_cast<std::size_t>(
        std::ranges::count_if(outcome.log, [](const LogEntry& entry) { return entry.what.starts_with("rejects "); }));
  }
  EXPECT_GT(injected, 10U);
}

TEST_F(Scenario, whatever_machine_bears_the_name_of_an_earlier_one_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::NodeNameReused, 10, 3);
}

TEST_F(Scenario, whichever_job_is_deleted_and_made_anew_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::JobMadeAnew, 10, 3);
}

TEST_F(Scenario, whenever_an_operator_is_stopped_in_order_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::OperatorStopped, 20, 3);
}

TEST_F(Scenario, wherever_the_agent_cannot_be_installed_every_invariant_holds) {
  holds_every_invariant_under(kinds, FaultKind::InstallFails, 20, 2);
}

TEST_F(Scenario, whichever_machine_a_share_hangs_for_every_invariant_holds) {
  std::size_t injected = 0;  // not where no gang runs, which alone have shares
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const FaultMix mix{.rates = {{FaultKind::ShareHangs, 10}}};
    const ScenarioOutcome outcome = run_scenario(kinds, {.seed = seed, .mix = mix});
    EXPECT_TRUE(outcome.violations.empty()) << "seed " << seed << "\n" << report(outcome);
    injected += static_cast<std::size_t>(std::ranges::count_if(
        outcome.log, [](const LogEntry& entry) { return entry.what.starts_with("ShareHangs: pvc-"); }));
  }
  EXPECT_GT(injected, 0U);
}

TEST_F(Scenario, two_seeds_give_two_scenarios) {
  EXPECT_NE(run_scenario(kinds, {.seed = 1}).digest, run_scenario(kinds, {.seed = 2}).digest);
}

TEST(WorkloadMarket, zones_come_and_go_at_their_edges_and_all_come_back_at_the_end) {
  const auto minutes = [](int count) { return Duration{count * 60'000}; };
  Workload workload;
  workload.zones = {{.name = "a", .available = true, .edges = {minutes(10), minutes(20), minutes(30)}}};
  workload.length = minutes(60);
  const WorkloadMarket market(workload);
  EXPECT_TRUE(market.state("a", minutes(9)).available());
  EXPECT_FALSE(market.state("a", minutes(10)).available());
  EXPECT_TRUE(market.state("a", minutes(25)).available());
  EXPECT_FALSE(market.state("a", minutes(59)).available());
  EXPECT_TRUE(market.state("a", minutes(60)).available());
  EXPECT_EQ(market.next_change("a", minutes(10)), minutes(20));
  EXPECT_EQ(market.next_change("a", minutes(30)), minutes(60));
  EXPECT_EQ(market.next_change("a", minutes(60)), std::nullopt);
  EXPECT_FALSE(market.state("unknown", minutes(5)).available());
}

TEST(EndState, what_is_missing_and_what_is_too_much_is_named) {
  EXPECT_EQ(difference({"a", "b"}, {"b", "c"}), (std::vector<std::string>{"- a", "+ c"}));
  EXPECT_TRUE(difference({"a"}, {"a"}).empty());
}

}  // namespace
}  // namespace reprise::simulator
