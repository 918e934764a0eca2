// Measures how many scenarios of the simulator one core runs: "bench_scenarios" or "bench_scenarios 1 40" (seeds).
#include <fmt/format.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/flags.h"
#include "simulator/scenarios/run/scenario.h"

namespace {

using reprise::simulator::FaultMix;
using reprise::simulator::OwnKinds;
using reprise::simulator::read_own_kinds;
using reprise::simulator::run_scenario;
using reprise::simulator::ScenarioOutcome;
namespace flags = reprise::apps::flags;

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

struct Seeds {
  std::uint64_t first = 1, last = 40;
};

Seeds parse_seeds(const std::vector<std::string>& arguments) {
  flags::po::options_description known;
  known.add_options()("first", flags::one())("last", flags::one());
  const auto given = flags::parse(known, arguments, {"first", "last"});
  const auto seed = [&](const char* flag, double least) {
    return flags::whole_number(given, flag, least, 1e15, "a whole number; the last seed is not below the first");
  };
  const auto first = seed("first", 0), last = seed("last", first.value_or(0));
  if (first.has_value() != last.has_value()) throw flags::Wrong{"a first and a last seed belong together"};
  if (!first) return {};
  return {static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last)};
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

int run(Seeds seeds) {
  const auto kinds = read_own_kinds();
  if (!kinds) {
    fmt::print(stderr, "bench_scenarios: {}\n", kinds.error().message);
    return 1;
  }
  fmt::print("seeds {} to {}; a minute is one of CPU time on one core\n", seeds.first, seeds.last);
  fmt::print("{:<10} {:>13} {:>17} {:>11} {:>14} {:>13} {:>7}\n", "faults", "scenarios/min", "interruptions/min",
             "hours/min", "requests/min", "ms/scenario", "broken");
  const bool calm = measure("market", *kinds, seeds, FaultMix{});
  const bool drawn = measure("all", *kinds, seeds, std::nullopt);
  return calm && drawn ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse_seeds({argv + 1, argv + argc}));
  } catch (const flags::Wrong& wrong) {
    fmt::print(stderr, "bench_scenarios: {}\nusage: bench_scenarios [FIRST LAST]\n", wrong.text);
    return 2;
  }
}
