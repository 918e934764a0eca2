// Chooses the trainer's processes that are told: a pure decision over what /proc shows.
//
// A *rank process* trains; a *launcher* is a process between the agent and a rank process. The ranks save while they
// end, and what they save with must live as long: a data loader's workers, the `tee` that the output goes through, the
// launcher whose end makes the kernel interrupt its children. So the ranks are told, nobody below them, and nobody
// above them before they have ended (docs/decisions/stops/0124-ranks-are-told.md has the table of launchers).
//
// Evidence comes before names. A process trains where it computes (Process::burn) and
//   - nobody below it does, or
//   - it computes a share of its own beside its children, as a launcher that waits does not, or
//   - it handles the signal, computes a little, and those below are its forks or of its multiprocessing: a trainer that
//     waits for its data loader.
// Children of the same parent by the same command are ranks together. A shell never trains.
#pragma once

#include <sys/types.h>

#include <vector>

#include "agent/core/stop/processes.h"

namespace reprise::agent {

struct Told {
  int signal = 0;
  std::vector<pid_t> pids;   // to be told now, from the top down
  std::vector<pid_t> after;  // launchers that would end of the signal: told when `pids` have ended
  bool operator==(const Told&) const = default;
};

// `trainer` is the agent's child; `signal` the one that requested the stop of the agent. Where nothing is known of who
// computes (in the first seconds, or where all wait) those are told who handle the signal, the topmost first:
//   - looked through is who has computed next to nothing in all its life above others that handle it (timeout);
//   - shells are looked through, whose traps wait for the command in front; so is who blocks or ignores the signal, as
//   small
//     init programs do;
//   - where nobody handles it: the trainer; where a trainer would end of it and its forks handle it: it with them;
//   - where the trainer itself has ended, the topmost of what it left behind that handle the signal.
// SIGTERM takes the place of another signal that nobody handles.
[[nodiscard]] Told told_to_stop(int signal, pid_t trainer, const std::vector<Process>& processes);

// The processes below `agent` that are asked by a signal that must end no run (a request for a checkpoint, the question
// where a hang stands): only those that handle it, and there only the topmost, since a fork has its parent's handlers.
// Shells are looked through unless no process below one handles it, and a process that catches everything is left out.
[[nodiscard]] std::vector<pid_t> told_to_answer(int signal, pid_t agent, const std::vector<Process>& processes);

}  // namespace reprise::agent
