#include "simulator/rehearsal/trainers/signals_of.h"

#include <charconv>
#include <fstream>
#include <string>

#include "agent/process_tree.h"

namespace reprise::simulator {
namespace {

std::uint64_t ignored_by(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigIgn:")) continue;
    std::uint64_t mask = 0;
    const auto begin = line.find_first_not_of(" \t", 7);
    if (begin != std::string::npos) std::from_chars(line.data() + begin, line.data() + line.size(), mask, 16);
    return mask;
  }
  return 0;
}

}  // namespace

Disposition disposition_below(pid_t agent, int signal) {
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(signal) - 1U);
  auto found = Disposition::Unknown;
  for (const agent::Process& each : agent::processes_below(agent)) {
    if ((each.caught & bit) != 0) return Disposition::Handled;
    const bool ignored = (ignored_by(each.pid) & bit) != 0;
    if (!ignored)
      found = Disposition::Default;
    else if (found == Disposition::Unknown)
      found = Disposition::Ignored;
  }
  return found;
}

}  // namespace reprise::simulator
