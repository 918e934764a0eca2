// How many scenarios of the simulator one core gets through: "bench_scenarios" or "bench_scenarios 1 40" (seeds).
#include <fmt/format.h>
#include <time.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/scenarios/scenario.h"

namespace {

using namespace reprise::simulator;

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

struct Seeds {
  std::uint64_t first = 1, last = 40;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Seeds> parse_seeds(const std::vector<std::string_view>& arguments) {
  if (arguments.empty()) return Seeds{};
  if (arguments.size() != 2) return std::nullopt;
  const auto first = number(arguments[0]), last = number(arguments[1]);
  if (!first || !last || *last < *first) return std::nullopt;
  return Seeds{*first, *last};
}

// False: an invariant was broken.
bool measure(std::string_view name, const OwnKinds& kinds, Seeds seeds, const std::optional<FaultMix>& mix) {
  std::uint64_t interruptions = 0, requests = 0, broken = 0;
  double hours = 0;
  const double begin = cpu_seconds();
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const ScenarioOutcome outcome = run_scenario(kinds, {.seed = seed, .mix = mix});
    interruptions += outcome.interruptions;
    requests += outcome.operator_requests;
    broken += outcome.violations.empty() ? 0 : 1;
    hours += static_cast<double>(outcome.virtual_time.count()) / 3'600'000;
  }
  const double minutes = (cpu_seconds() - begin) / 60;
  const auto scenarios = static_cast<double>(seeds.last - seeds.first + 1);
  fmt::print("{:<10} {:>13.0f} {:>17.0f} {:>11.0f} {:>14.0f} {:>13.0f} {:>7}\n", name, scenarios / minutes,
             static_cast<double>(interruptions) / minutes, hours / minutes, static_cast<double>(requests) / minutes,
             minutes * 60'000 / scenarios, broken);
  return broken == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto seeds = parse_seeds(arguments);
  if (!seeds) {
    fmt::print(stderr, "usage: bench_scenarios [FIRST LAST]\n");
    return 2;
  }
  const auto kinds = read_own_kinds();
  if (!kinds) {
    fmt::print(stderr, "bench_scenarios: {}\n", kinds.error().message);
    return 1;
  }
  fmt::print("seeds {} to {}; a minute is one of CPU time on one core\n", seeds->first, seeds->last);
  fmt::print("{:<10} {:>13} {:>17} {:>11} {:>14} {:>13} {:>7}\n", "faults", "scenarios/min", "interruptions/min",
             "hours/min", "requests/min", "ms/scenario", "broken");
  const bool calm = measure("market", *kinds, *seeds, FaultMix{});
  const bool drawn = measure("all", *kinds, *seeds, std::nullopt);
  return calm && drawn ? 0 : 1;
}
