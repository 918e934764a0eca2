#include "agent/core/stop_targets.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 9> kShells{"sh",  "bash", "dash", "ash",  "busybox",
                                                  "zsh", "ksh",  "mksh", "rbash"};

bool is_shell(const Process& process) {
  return std::ranges::find(kShells, process.name) != kShells.end();
}

// Appends the targets among `process` and what is below it; whether there is one that handles the signal.
bool collect(int signal, const Process& process, const std::vector<Process>& processes, std::vector<pid_t>& targets) {
  const bool handles = !process.ended && has_signal(process.caught, signal);
  if (handles && !is_shell(process)) {
    targets.push_back(process.pid);
    return true;
  }
  std::vector<pid_t> below;
  bool found = false;
  for (const Process& each : processes) {
    if (each.parent == process.pid) found = collect(signal, each, processes, below) || found;
  }
  const bool ends_of_it = !process.ended && !handles && !has_signal(process.blocked | process.ignored, signal);
  if (found ? ends_of_it && !is_shell(process) : handles) targets.push_back(process.pid);
  targets.insert(targets.end(), below.begin(), below.end());
  return found || handles;
}

}  // namespace

StopTargets stop_targets(int signal, pid_t trainer, const std::vector<Process>& processes) {
  std::vector<pid_t> targets;
  bool found = false;
  const auto top = std::ranges::find(processes, trainer, &Process::pid);
  const bool ended = top != processes.end() && top->ended;
  if (top != processes.end() && !ended) {
    found = collect(signal, *top, processes, targets);
  } else {
    const auto is_known = [&](pid_t pid) {
      return std::ranges::find(processes, pid, &Process::pid) != processes.end();
    };
    for (const Process& each : processes)
      if (!is_known(each.parent)) found = collect(signal, each, processes, targets) || found;
  }
  if (found) return {.signal = signal, .pids = std::move(targets)};
  if (signal != SIGTERM) return stop_targets(SIGTERM, trainer, processes);
  return {.signal = signal, .pids = ended ? std::vector<pid_t>{} : std::vector{trainer}};
}

}  // namespace reprise::agent
