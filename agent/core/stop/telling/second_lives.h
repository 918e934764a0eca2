// After the ranks were told: who begins to train anew. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "agent/core/stop/processes.h"

namespace reprise::agent {

// A loop or launcher that starts a rank again once it has saved and ended begins a *second life*: it trains from where
// the attempt began, and what it saves would be older than the answer to the stop and yet come later.
class SecondLives {
 public:
  // `told` are the ranks, `processes` all that run when they are told.
  SecondLives(const std::vector<pid_t>& told, const std::vector<Process>& processes);

  struct Found {
    std::vector<pid_t> lives;     // to be killed: each has the command line of a rank that has ended
    std::vector<pid_t> starters;  // their parents
  };
  // To be asked often while a rank may have ended; `agent` takes over what a rank leaves behind, which is no second
  // life.
  [[nodiscard]] Found look(const std::vector<Process>& processes, pid_t agent);

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;
  std::set<Identity> ranks_, known_;
  std::set<std::uint64_t> commands_;
};

}  // namespace reprise::agent
