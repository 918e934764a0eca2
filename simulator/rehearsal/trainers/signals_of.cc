#include "simulator/rehearsal/trainers/signals_of.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <string>

#include "agent/process_tree.h"

namespace reprise::simulator {
namespace {

// SigIgn of a process; nothing of one that has ended, reaped or not: what is read then are zeros.
std::optional<std::uint64_t> ignored_by(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value == std::string::npos) continue;
    if (line.starts_with("State:") && (line[value] == 'Z' || line[value] == 'X')) return std::nullopt;
    if (!line.starts_with("SigIgn:")) continue;
    std::uint64_t mask = 0;
    std::from_chars(line.data() + value, line.data() + line.size(), mask, 16);
    return mask;
  }
  return std::nullopt;
}

}  // namespace

Disposition disposition_below(pid_t agent, int signal) {
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(signal) - 1U);
  auto found = Disposition::Unknown;
  for (const agent::Process& each : agent::processes_below(agent)) {
    if ((each.caught & bit) != 0) return Disposition::Handled;
    const auto ignored = ignored_by(each.pid);
    if (!ignored) continue;
    if ((*ignored & bit) == 0)
      found = Disposition::Default;
    else if (found == Disposition::Unknown)
      found = Disposition::Ignored;
  }
  return found;
}

}  // namespace reprise::simulator
