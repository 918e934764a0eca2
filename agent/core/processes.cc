#include "agent/core/processes.h"

#include <algorithm>

namespace reprise::agent {

bool has_signal(std::uint64_t mask, int signal) {
  return (mask >> (static_cast<unsigned>(signal) - 1U) & 1U) != 0;
}

std::vector<pid_t> children_of(pid_t parent, const std::vector<Process>& processes) {
  std::vector<pid_t> children;
  for (const Process& each : processes) {
    if (each.parent == parent) children.push_back(each.pid);
  }
  return children;
}

std::vector<pid_t> handlers_of(int signal, pid_t ancestor, const std::vector<Process>& processes) {
  std::vector<pid_t> handlers;
  std::vector<pid_t> level{ancestor};
  while (!level.empty()) {
    std::vector<pid_t> next;
    for (const Process& each : processes) {
      if (std::find(level.begin(), level.end(), each.parent) == level.end()) continue;
      (has_signal(each.caught, signal) ? handlers : next).push_back(each.pid);
    }
    level = std::move(next);
  }
  return handlers;
}

}  // namespace reprise::agent
