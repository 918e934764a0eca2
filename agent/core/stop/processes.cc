#include "agent/core/stop/processes.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 9> kShells{"sh",  "bash", "dash", "ash",  "busybox",
                                                  "zsh", "ksh",  "mksh", "rbash"};

// Signals that runtimes alone catch: none of Python's faulthandler, of a scheduler or of people.
constexpr std::array kOfRuntimes{SIGTRAP, SIGSYS, SIGVTALRM, SIGXFSZ};

}  // namespace

bool has_signal(std::uint64_t mask, int signal) {
  return (mask >> (static_cast<unsigned>(signal) - 1U) & 1U) != 0;
}

bool is_shell(const Process& process) {
  std::string_view program = process.program.empty() ? process.name : process.program;
  if (program.starts_with('-')) program.remove_prefix(1);  // a login shell
  return std::ranges::find(kShells, program) != kShells.end();
}

bool catches_everything(const Process& process) {
  return std::ranges::all_of(kOfRuntimes, [&](int signal) { return has_signal(process.caught, signal); });
}

const Process* find_process(pid_t pid, const std::vector<Process>& processes) {
  const auto found = std::ranges::find(processes, pid, &Process::pid);
  return found == processes.end() ? nullptr : &*found;
}

bool has_launcher(pid_t pid, const std::vector<Process>& processes) {
  const Process* const process = find_process(pid, processes);
  const Process* const above = process == nullptr ? nullptr : find_process(process->parent, processes);
  return above != nullptr && !is_shell(*above);
}

std::vector<pid_t> children_of(pid_t parent, const std::vector<Process>& processes) {
  std::vector<pid_t> children;
  for (const Process& each : processes) {
    if (each.parent == parent) children.push_back(each.pid);
  }
  return children;
}

}  // namespace reprise::agent
