#include "agent/core/stop/telling/second_lives.h"

#include <algorithm>

namespace reprise::agent {
namespace {

bool is_below(const Process& process, const std::set<pid_t>& living, const std::vector<Process>& processes) {
  for (const Process* at = find_process(process.parent, processes); at != nullptr;
       at = find_process(at->parent, processes))
    if (living.contains(at->pid)) return true;
  return false;
}

}  // namespace

SecondLives::SecondLives(const std::vector<pid_t>& told, const std::vector<Process>& processes) {
  for (const Process& each : processes) {
    known_.insert({each.pid, each.started});
    if (std::ranges::find(told, each.pid) == told.end()) continue;
    ranks_.insert({each.pid, each.started});
    // A shell's command line is that of every shell that runs the same line, and it is none that trains.
    if (each.command != 0 && !is_shell(each)) commands_.insert(each.command);
  }
}

SecondLives::Found SecondLives::look(const std::vector<Process>& processes, pid_t agent) {
  std::set<pid_t> living;
  for (const Process& each : processes)
    if (!each.ended && ranks_.contains({each.pid, each.started})) living.insert(each.pid);
  Found found;
  for (const Process& each : processes) {
    if (each.ended || known_.contains({each.pid, each.started})) continue;
    const bool of_a_rank = is_below(each, living, processes);
    const bool orphan = each.parent == agent;
    if (of_a_rank || orphan || !commands_.contains(each.command)) {
      // Before it has its own command line a child has its parent's: who may become a rank is looked at again.
      if (of_a_rank || orphan) known_.insert({each.pid, each.started});
      continue;
    }
    found.lives.push_back(each.pid);
    if (std::ranges::find(found.starters, each.parent) == found.starters.end()) found.starters.push_back(each.parent);
  }
  return found;
}

}  // namespace reprise::agent
