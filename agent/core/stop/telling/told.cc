#include "agent/core/stop/telling/told.h"

#include <algorithm>
#include <csignal>

#include "agent/core/stop/telling/ranks_by_burn.h"

namespace reprise::agent {
namespace {

// A small program in C that waits; Python needs three times that to begin. /proc counts in hundredths of a second.
constexpr std::chrono::milliseconds kNextToNothing{10};

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::ranges::find(pids, pid) != pids.end();
}

bool handles(const Process& process, int signal) {
  return !process.ended && has_signal(process.caught, signal);
}

bool would_end(const Process& process, int signal) {
  return !process.ended && !has_signal(process.caught | process.blocked | process.ignored, signal);
}

bool has_children(pid_t pid, const std::vector<Process>& processes) {
  return std::ranges::find(processes, pid, &Process::parent) != processes.end();
}

// A shell that has forked for a command and has not become it yet: for that moment it has the shell's name and
// handlers, and its command line may be read a moment later than these. A subshell with handlers of its own runs
// commands.
bool becomes_a_command(const Process& process, const Process& shell, const std::vector<Process>& processes) {
  return is_shell(shell) && process.name == shell.name && process.caught == shell.caught &&
         !has_children(process.pid, processes);
}

// Direct children that may be told.
std::vector<const Process*> below(const Process& process, const std::vector<Process>& processes) {
  std::vector<const Process*> children;
  for (const Process& each : processes)
    if (each.parent == process.pid && !becomes_a_command(each, process, processes)) children.push_back(&each);
  return children;
}

// Chooses by who handles the signal.
class ByHandlers {
 public:
  ByHandlers(int signal, const std::vector<Process>& processes) : signal_(signal), processes_(processes) {}

  // Appends who is told among `process` and what is below it; whether one of them handles the signal.
  bool collect(const Process& process, Told& told) const {
    const bool counts = handles(process, signal_) &&
                        (is_shell(process) || has_children(process.pid, processes_) || !catches_everything(process));
    if (counts && !is_looked_through(process)) {
      told.pids.push_back(process.pid);
      return true;
    }
    Told told_below;
    bool found = false;
    for (const Process* each : below(process, processes_)) found = collect(*each, told_below) || found;
    if (!found && counts) told.pids.push_back(process.pid);
    if (found && would_end(process, signal_) && !is_shell(process))
      (has_a_fork_among(process, told_below.pids) ? told.pids : told.after).push_back(process.pid);
    told.pids.insert(told.pids.end(), told_below.pids.begin(), told_below.pids.end());
    told.after.insert(told.after.end(), told_below.after.begin(), told_below.after.end());
    return found || counts;
  }

 private:
  [[nodiscard]] bool is_looked_through(const Process& process) const {
    return is_shell(process) ||
           (process.command != 0 && process.cpu <= kNextToNothing && has_children(process.pid, processes_));
  }

  [[nodiscard]] bool has_a_fork_among(const Process& process, const std::vector<pid_t>& pids) const {
    return process.command != 0 && std::ranges::any_of(processes_, [&](const Process& each) {
             return each.command == process.command && contains(pids, each.pid);
           });
  }

  int signal_;
  const std::vector<Process>& processes_;
};

// The launchers above `pid` that would end of the signal, from the top down.
void add_launchers(int signal, pid_t pid, const std::vector<Process>& processes, std::vector<pid_t>& launchers) {
  const Process* const rank = find_process(pid, processes);
  const Process* const above = rank == nullptr ? nullptr : find_process(rank->parent, processes);
  if (above == nullptr) return;
  add_launchers(signal, above->pid, processes, launchers);
  if (!is_shell(*above) && would_end(*above, signal) && !contains(launchers, above->pid))
    launchers.push_back(above->pid);
}

Told by_evidence(int signal, const std::vector<Process>& processes, const std::vector<pid_t>& ranks) {
  Told told{.signal = signal, .pids = ranks, .after = {}};
  const bool handled = std::ranges::any_of(
      processes, [&](const Process& each) { return contains(ranks, each.pid) && handles(each, signal); });
  if (!handled) told.signal = SIGTERM;
  for (const pid_t rank : ranks) add_launchers(told.signal, rank, processes, told.after);
  return told;
}

// Appends the topmost below `process` that handle the signal; whether there is one.
bool collect_answering(int signal, const Process& process, const std::vector<Process>& processes,
                       std::vector<pid_t>& pids) {
  const bool answers = handles(process, signal) && !catches_everything(process);
  if (answers && !is_shell(process)) {
    pids.push_back(process.pid);
    return true;
  }
  bool found = false;
  for (const Process* each : below(process, processes))
    found = collect_answering(signal, *each, processes, pids) || found;
  if (!found && answers) pids.push_back(process.pid);
  return found || answers;
}

}  // namespace

Told told_to_stop(int signal, pid_t trainer, const std::vector<Process>& processes) {
  if (const auto ranks = ranks_by_burn(signal, processes); !ranks.empty()) return by_evidence(signal, processes, ranks);
  Told told{.signal = signal, .pids = {}, .after = {}};
  const ByHandlers by_handlers(signal, processes);
  bool found = false;
  const Process* const top = find_process(trainer, processes);
  const bool ended = top != nullptr && top->ended;
  if (top != nullptr && !ended) {
    found = by_handlers.collect(*top, told);
  } else {
    for (const Process& each : processes)
      if (find_process(each.parent, processes) == nullptr) found = by_handlers.collect(each, told) || found;
  }
  if (found) return told;
  if (signal != SIGTERM) return told_to_stop(SIGTERM, trainer, processes);
  return {.signal = signal, .pids = ended ? std::vector<pid_t>{} : std::vector{trainer}, .after = {}};
}

std::vector<pid_t> told_to_answer(int signal, pid_t agent, const std::vector<Process>& processes) {
  const auto ranks = ranks_by_burn(signal, processes);
  std::vector<pid_t> pids;
  for (const Process& each : processes)
    if (contains(ranks, each.pid) && handles(each, signal)) pids.push_back(each.pid);
  if (!pids.empty()) return pids;
  for (const Process& each : processes)
    if (each.parent == agent) collect_answering(signal, each, processes, pids);
  return pids;
}

}  // namespace reprise::agent
