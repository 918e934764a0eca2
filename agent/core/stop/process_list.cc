#include "agent/core/stop/process_list.h"

#include <map>
#include <set>

#include "runtime/base/files/growing_list.h"

namespace reprise::agent {
namespace {

using Processes = std::map<pid_t, Process>;

bool runs(pid_t pid, const Processes& processes) {
  const auto found = processes.find(pid);
  return found != processes.end() && found->second.parent != 0 && !found->second.ended;
}

// One whose parent has ended since it was read has another parent now.
void read_orphans_again(pid_t ancestor, const ProcessTable& table, Processes& processes) {
  for (auto& [pid, each] : processes)
    if (each.parent != 0 && each.parent != ancestor && pid != ancestor && !runs(each.parent, processes))
      each = table.read(pid);
}

}  // namespace

std::vector<Process> list_below(pid_t ancestor, const ProcessTable& table) {
  Processes processes;
  runtime::tell_each_of_growing<pid_t>(table.pids, [&](pid_t pid) { processes.emplace(pid, table.read(pid)); });
  read_orphans_again(ancestor, table, processes);
  std::vector<Process> below;
  std::set<pid_t> known{ancestor};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, each] : processes) {
      if (!known.contains(each.parent) || !known.insert(pid).second) continue;
      below.push_back(each);
      grown = true;
    }
  }
  return below;
}

}  // namespace reprise::agent
