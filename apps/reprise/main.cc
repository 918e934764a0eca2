#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "apps/common/flags.h"
#include "apps/reprise/demo/demo_command.h"
#include "apps/reprise/estimate/estimate_command.h"
#include "apps/reprise/lint_command.h"
#include "apps/reprise/rehearse/rehearse_command.h"
#include "apps/reprise/simulate/simulate_command.h"
#include "apps/reprise/terminal.h"
#include "rehearsal/rehearsal.h"
#include "version.h"

namespace {

constexpr int kUsageError = 2;

constexpr const char* kUsage =
    "Usage: reprise COMMAND [flags]\n"
    "\n"
    "Commands:\n"
    "  demo                play a recorded spot day with three jobs and real trainers\n"
    "  rehearse            show whether a training script survives spot machines, with real processes\n"
    "  estimate            tell what a job would have cost on recorded spot capacity\n"
    "  lint                check manifests of GpuPools, ResumableJobs and NodePools, and mend them\n"
    "  simulate            run the operator in an embedded cluster, faults and all, from a seed\n"
    "  trace-from-events   turn a cluster's Events into a trace for estimate\n"
    "  version             print the version\n"
    "\n"
    "See 'reprise COMMAND --help'; '--version' prints the version, too.\n";

// The folder of this very program.
std::filesystem::path own_folder() {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/exe", problem).parent_path();
}

// The demo's manifests name the trainer as it is found on the PATH; it lies beside this program.
int demo(const std::vector<std::string>& arguments) {
  namespace apps = reprise::apps;
  const char* path = std::getenv("PATH");
  setenv("PATH", (own_folder().string() + ":" + (path == nullptr ? "" : path)).c_str(), 1);
  const apps::InterruptNote note;
  const apps::DemoWorld world{.rehearse = reprise::rehearsal::rehearse,
                              .programs = own_folder(),
                              .terminal = apps::terminal_style(),
                              .size_of = apps::terminal_size,
                              .interrupted = apps::InterruptNote::came};
  return apps::run_demo(arguments, world, std::cout, std::cerr);
}

// "version", "--version", or "--version" behind a command; words behind "--" belong to somebody else's program.
bool asks_for_version(const std::vector<std::string>& arguments) {
  const auto own_end = std::ranges::find(arguments, "--");
  return arguments[0] == "version" || std::find(arguments.begin(), own_end, "--version") != own_end;
}

int rehearse(const std::vector<std::string>& arguments) {
  namespace apps = reprise::apps;
  const apps::InterruptNote note;
  const apps::RehearseWorld world{.rehearse = reprise::rehearsal::rehearse,
                                  .interrupted = apps::InterruptNote::came,
                                  .programs = own_folder(),
                                  .terminal = apps::terminal_style(),
                                  .size_of = apps::terminal_size};
  return apps::run_rehearse(arguments, world, std::cout, std::cerr);
}

int estimate(const std::vector<std::string>& arguments) {
  return reprise::apps::run_estimate(arguments, {.programs = own_folder(), .progress = isatty(STDERR_FILENO) != 0},
                                     std::cout, std::cerr);
}

int lint(const std::vector<std::string>& arguments) {
  return reprise::apps::run_lint(arguments, std::cin, std::cout, std::cerr);
}

int simulate(const std::vector<std::string>& arguments) {
  return reprise::apps::run_simulate(arguments, std::cout, std::cerr);
}

int trace_from_events(const std::vector<std::string>& arguments) {
  return reprise::apps::run_trace_from_events(arguments, std::cout, std::cerr);
}

using Run = int (*)(const std::vector<std::string>&);
const std::map<std::string, Run>& commands() {
  static const std::map<std::string, Run> table = {{"demo", demo},         {"estimate", estimate},
                                                   {"lint", lint},         {"rehearse", rehearse},
                                                   {"simulate", simulate}, {"trace-from-events", trace_from_events}};
  return table;
}

int unknown_command(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [each, run] : commands()) known.push_back(each);
  known.insert(known.end(), {"version", "help"});
  std::cerr << "reprise: " << reprise::apps::flags::unknown_command(name, known) << '\n';
  return kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::fputs(kUsage, stderr);
    return kUsageError;
  }
  const bool helps = arguments[0] == "help";
  if (arguments[0] == "--help" || arguments[0] == "-h" || (helps && arguments.size() == 1)) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (asks_for_version(arguments)) {
    std::printf("reprise %s\n", reprise::apps::kVersion);
    return 0;
  }
  // "help lint" is "lint --help".
  const std::string& name = arguments[helps ? 1 : 0];
  const auto run = commands().find(name);
  if (run == commands().end()) return unknown_command(name);
  return run->second(helps ? std::vector<std::string>{"--help"} : std::vector(arguments.begin() + 1, arguments.end()));
}
