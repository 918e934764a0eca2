// How the processes that train end where a launcher stands above them. A launcher's own end may say less: torchrun,
// `accelerate launch` and mpirun end with 1 whatever code a rank asked for, and one that was killed alone may leave its
// ranks at work behind a 0.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/run/host.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// The exit code of a training, of the launcher's and its ranks' (nothing: not known).
//   - 93 ("never again") is said by any rank, and 85 ("run me again") by one beside which none has failed: launchers
//   end
//     the others by SIGTERM;
//   - else a launcher's own code counts, but a 0 above ranks that ended in another way counts as theirs.
[[nodiscard]] int exit_code_of_training(int launcher, const std::vector<std::optional<int>>& ranks);

// One attempt's. One thread's; the host and the trainer outlive it.
class RankEnds {
 public:
  RankEnds(const Host& host, Trainer& trainer) : host_(host), trainer_(trainer) {}

  // Who trains, at each look while no stop was requested. A shell's children are left out: the code of a script is what
  // it means to say.
  void note(const std::vector<Process>& processes);
  // Who was told to stop: takes the place of all that was noted.
  void note_told(const std::vector<pid_t>& ranks, const std::vector<Process>& processes);
  // True while ranks are at work that the launcher has left behind with its 0, none of which has ended with 0 before:
  // until all have ended, one of them has failed, or none has computed for ten minutes. Ranks are here those that a
  // launcher gave a number, and their siblings with the pod's own: a service that computes is what a script leaves
  // behind.
  [[nodiscard]] bool outlive_launcher();
  // Of all. A launcher that ends with 0 by itself has its reasons: only ranks that it leaves at work say otherwise.
  [[nodiscard]] int exit_code(int launcher) const;
  // A clause for people where the launcher's code is not the training's, or came before its end.
  [[nodiscard]] std::string describe(int launcher) const;
  // There are some, and each is known to have ended with one of `codes`.
  [[nodiscard]] bool all_ended_with(std::span<const int> codes) const;

 private:
  [[nodiscard]] std::vector<std::optional<int>> exit_codes() const;
  [[nodiscard]] std::vector<pid_t> left_at_work() const;
  void note_work(const std::vector<Process>& processes);

  const Host& host_;
  Trainer& trainer_;
  std::vector<pid_t> ranks_;
  struct Noted {
    pid_t launcher = 0;
    bool was_given_a_rank = false, has_a_rank = false, in_last_look = false;
  };
  std::map<pid_t, Noted> noted_;  // while no stop was requested
  bool told_ = false;             // they were told to stop
  bool outlived_ = false;         // outlive_launcher() has been so
  runtime::Instant at_work_{};    // when one that outlives the launcher was last seen to compute
  std::optional<int> code_behind_launcher_;
};

}  // namespace reprise::agent
