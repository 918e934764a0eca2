// How the processes that train end where a launcher stands above them. A launcher's own end may say less: torchrun,
// `accelerate launch` and mpirun end with 1 whatever code a rank asked for, and one that was killed alone may leave its
// ranks at work behind a 0.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/run/host.h"
#include "agent/core/stop/telling/left_behind.h"
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
  // `directory`: the volume's.
  RankEnds(const Host& host, Trainer& trainer, std::string directory)
      : host_(host), trainer_(trainer), left_behind_(host, trainer, std::move(directory)) {}

  // Who trains, at each look while no stop was requested. A shell's children are left out: the code of a script is what
  // it means to say. `moves` changes with each step and checkpoint that is known.
  void note(const std::vector<Process>& processes, const std::string& moves = {});
  // When to look again at the latest, where nobody else looks before `otherwise`.
  [[nodiscard]] runtime::Instant look_at(runtime::Instant otherwise) const;
  // Who was told to stop: takes the place of all that was noted.
  void note_told(const std::vector<pid_t>& ranks, const std::vector<Process>& processes);
  // True while those train on that the launcher has left behind with its 0 (left_behind.h).
  [[nodiscard]] bool outlive_launcher();
  // Of all. A launcher that ends with 0 by itself has its reasons: only ranks that it leaves at work say otherwise.
  [[nodiscard]] int exit_code(int launcher) const;
  // A clause for people where the launcher's code is not the training's, or came before its end.
  [[nodiscard]] std::string describe(int launcher) const;
  // There are some, and each is known to have ended with one of `codes`.
  [[nodiscard]] bool all_ended_with(std::span<const int> codes) const;

 private:
  [[nodiscard]] std::vector<std::optional<int>> exit_codes() const;

  const Host& host_;
  Trainer& trainer_;
  LeftBehind left_behind_;
  std::vector<pid_t> ranks_;
  bool told_ = false;      // they were told to stop
  bool outlived_ = false;  // outlive_launcher() has been so
  runtime::Instant looked_at_{};
  std::optional<int> code_behind_launcher_;
};

}  // namespace reprise::agent
