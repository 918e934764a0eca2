// Tells the ranks to stop, then whoever is left above them, and ends second lives. The decisions are told.h's and
// second_lives.h's. A launcher that ends all ranks when one has ended learns of their ends when all have
// (docs/decisions/stops/0125-ends-of-ranks.md).
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/host.h"
#include "agent/core/stop/telling/second_lives.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// One stop's. One thread's; the host and the trainer outlive it.
class Telling {
 public:
  Telling(const Host& host, Trainer& trainer) : host_(host), trainer_(trainer) {}

  // The ranks among the processes, who must have been taken by the witness. Returns a line for people.
  std::string tell(int signal, const std::vector<Process>& processes);
  // The agent's child, by SIGTERM.
  void tell_trainer();
  // Once the ranks have ended: the launchers that would end of the signal; and no second life lasts. Returns a line for
  // people where one was ended.
  [[nodiscard]] std::string go_on();
  // Their launchers learn that ranks have ended, if they have not yet: the rest of the grace is theirs.
  void let_go();
  [[nodiscard]] const std::vector<pid_t>& ranks() const { return ranks_; }
  // The launchers are shown the ends together, or were.
  [[nodiscard]] bool shows_ends_together() const { return together_; }
  // All ranks that were told handled the signal: it has ended none of them.
  [[nodiscard]] bool all_handled() const { return all_handled_; }
  // Nobody who was told runs.
  [[nodiscard]] bool ended() const;
  // When to call go_on() at the latest: often where somebody stands between the agent and the ranks, who may start one
  // again.
  [[nodiscard]] runtime::Instant wake_at(runtime::Instant otherwise) const;

 private:
  void send(pid_t pid, int signal) const;
  [[nodiscard]] bool is_running(pid_t pid) const;
  [[nodiscard]] bool any_runs(const std::vector<pid_t>& pids) const;
  [[nodiscard]] bool hide_ends(const std::vector<Process>& processes);
  [[nodiscard]] std::string end_second_lives();
  [[nodiscard]] bool may_have_begun_anew();

  const Host& host_;
  Trainer& trainer_;
  int signal_ = 0;
  bool all_handled_ = true;
  bool hides_ends_ = false;
  bool together_ = false;
  std::vector<pid_t> ranks_, told_, after_;
  std::optional<SecondLives> second_lives_;  // null where nobody stands above a rank
  std::map<pid_t, int> starters_;            // and how many lives each has begun
  std::optional<pid_t> newest_;              // process or thread, when second lives were looked for
  bool newest_was_there_ = false;            // and at the look before that
};

}  // namespace reprise::agent
