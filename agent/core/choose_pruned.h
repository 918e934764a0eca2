// Which checkpoints may go: a pure decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct PruneQuestion {
  Checkpoints found{};                         // newest first (checkpoint_order.h)
  MadeCheckpoints made{};                      // what agents saw appear
  std::string job_uid{};                       // nothing goes but what trainers of this job have made
  std::optional<std::int64_t> durable_step{};  // newest step for which syncfs has returned
  std::optional<std::int64_t> resumed_from{};
  bool gang = false;                   // other ranks resume from it too, maybe much later
  std::optional<std::int32_t> keep{};  // nothing: none is deleted
  // Ranks with a volume each, which resume from one step (protocol/common_checkpoint.h), and the newest that every one
  // of them is known to have.
  bool agrees_on_step = false;
  std::optional<std::int64_t> step_of_all{};
};

// Nothing goes while names and times contradict each other (checkpoint_order.h).
// Keeps what was not made by this job while an agent watched; the newest `keep` complete ones that are durable;
// everything newer than the durable step; everything incomplete; the one resumed from until a newer one is durable, in
// a gang as long as the attempt lasts: nothing tells when the last rank's trainer has read it. Where ranks agree on a
// step, whatever is not older than the one that all are known to have: that may be all that they have in common.
[[nodiscard]] std::vector<std::string> choose_pruned(const PruneQuestion& question);

// Whether torn checkpoints that earlier attempts have left may go: once a checkpoint is durable that was not there
// `before` the trainer ran. Until then a person may want to look at them.
[[nodiscard]] bool outlives_torn(const Checkpoint& durable, const Checkpoints& before);
// Torn ones of this job that could not be moved away, and are older than what is durable.
[[nodiscard]] std::vector<std::string> choose_torn(const PruneQuestion& question, const Checkpoints& before);

}  // namespace reprise::agent
