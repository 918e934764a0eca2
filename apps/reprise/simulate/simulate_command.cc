#include "apps/reprise/simulate/simulate_command.h"

#include <time.h>

#include <functional>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "apps/reprise/metrics_recording.h"
#include "apps/reprise/simulate/simulate_options.h"
#include "simulator/scenarios/run/scenario.h"

namespace reprise::apps {
namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

void print_timeline(const simulator::ScenarioOutcome& outcome, std::ostream& out) {
  out << fmt::format("seed {}: {} jobs, {} zones; faults: {}\n", outcome.seed, outcome.workload.jobs.size(),
                     outcome.workload.zones.size(), to_string(outcome.mix));
  for (const simulator::LogEntry& entry : outcome.log) out << to_line(entry) << '\n';
}

void print_violations(const simulator::ScenarioOutcome& outcome, std::ostream& out) {
  for (const simulator::Violation& each : outcome.violations)
    out << fmt::format("seed {} violates {} at {:.3f} s: {}\n", outcome.seed, each.invariant,
                       static_cast<double>(each.time.count()) / 1000, each.what);
}

struct Sum {
  std::uint64_t scenarios = 0, interruptions = 0, planned = 0, starts = 0, requests = 0, broken = 0;
  double hours = 0;
  void add(const simulator::ScenarioOutcome& outcome) {
    ++scenarios;
    interruptions += outcome.interruptions;
    planned += outcome.planned_interruptions;
    starts += outcome.operator_starts;
    requests += outcome.operator_requests;
    broken += outcome.violations.empty() ? 0 : 1;
    hours += static_cast<double>(outcome.virtual_time.count()) / 3'600'000;
  }
};

}  // namespace

int run_simulate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const auto options = parse_simulate_options(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? 2 : 0;
  }
  const auto kinds = simulator::read_own_kinds();
  if (!kinds) {
    err << "reprise simulate: the CRDs inside the binary: " << kinds.error().message << '\n';
    return 1;
  }
  std::optional<MetricsRecording> recording;
  if (!options->metrics_file.empty()) recording.emplace(options->metrics_file);
  Sum sum;
  bool differed = false;
  const double begin = cpu_seconds();
  for (std::uint64_t seed = options->first_seed; seed <= options->last_seed; ++seed) {
    simulator::ScenarioOptions scenario{
        .seed = seed, .operator_log = options->operator_log, .until_broken = options->until_broken};
    if (!options->faults) scenario.mix.emplace();
    if (recording) {
      recording->begin_scenario();
      scenario.look_at_metrics = std::ref(*recording);
    }
    const simulator::ScenarioOutcome outcome = simulator::run_scenario(*kinds, scenario);
    sum.add(outcome);
    scenario.look_at_metrics = {};
    if (options->timeline) print_timeline(outcome, out);
    print_violations(outcome, out);
    if (options->replay) {
      const simulator::ScenarioOutcome again = simulator::run_scenario(*kinds, scenario);
      sum.add(again);
      if (again.digest != outcome.digest || again.log.size() != outcome.log.size()) {
        out << fmt::format("seed {} is not the same the second time\n", seed);
        differed = true;
      }
    }
    if ((sum.broken > 0 || differed) && !options->keep_going) break;
    if (seed == options->last_seed) break;  // the largest seed has no successor
  }
  if (recording && !recording->finish()) {
    err << "reprise simulate: --metrics-file: " << options->metrics_file << " cannot be written\n";
    return 1;
  }
  const double minutes = (cpu_seconds() - begin) / 60;
  out << fmt::format(
      "{} scenarios, {:.0f} hours of the cluster's time, {} interruptions, {} jobs moved by their pools, "
      "{} starts of the operator, {} requests; {} violated an invariant\n",
      sum.scenarios, sum.hours, sum.interruptions, sum.planned, sum.starts, sum.requests, sum.broken);
  // Goes to `err`, since `out` is the same in each run.
  err << fmt::format("{:.0f} scenarios and {:.0f} interruptions a minute of one core\n",
                     static_cast<double>(sum.scenarios) / minutes, static_cast<double>(sum.interruptions) / minutes);
  return sum.broken > 0 || differed ? 1 : 0;
}

}  // namespace reprise::apps
