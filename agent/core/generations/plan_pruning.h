// Plans which generations may go: a pure decision.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/generations/generation.h"
#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct PruneQuestion {
  Checkpoints found{};                         // newest first (checkpoint_order.h)
  MadeCheckpoints made{};                      // checkpoints that agents saw appear
  std::string job_uid{};                       // this job: only what its trainers have made goes
  std::optional<std::int64_t> durable_step{};  // newest step for which syncfs has returned
  std::set<std::string> unproven{};            // complete ones that nothing has shown to be durable
  std::optional<std::int64_t> resumed_from{};
  std::string resumed_path{};  // its name: two of one step are told apart by it; empty: not known
  bool gang = false;           // other ranks resume from it too, maybe much later
  Holds holds = Holds::AllRanks;
  std::optional<std::int32_t> keep{};  // empty: none is deleted
  // Ranks with a volume each, which resume from one step (protocol/common_checkpoint.h), and the newest that every one
  // of them is known to have.
  bool agrees_on_step = false;
  std::optional<std::int64_t> step_of_all{};
  KnownParts known{};  // saves that are gone perhaps, which tell what comes with each one (needed_files.h)
};

// True if it is complete, and all of it has been shown to be durable.
[[nodiscard]] bool is_proven(const Generation& generation, const PruneQuestion& question);

struct PruningPlan {
  std::vector<Generation> goes;      // the highest step first
  std::vector<Generation> proven{};  // the generations for whose sake they go, and `keep` of them for each
  std::int32_t keep = 1;
  std::vector<std::string> unclear;  // names of this job's that do not say of which save they are: they stay
  std::string lacking;               // not empty: what stays since something is missing or torn, and what; for people
};

// Plans which generations go: none while names and times contradict each other (checkpoint_order.h). A generation of
// this job goes, whole, behind `keep` newer ones that are durable, complete and have all of its parts. What shows that
// newer ones of a gang that has shrunk are whole (half_saves.h) stays with them. So everything stays that is torn or
// has a torn part, that is newer than the durable step or that no agent saw appear; the one resumed from until a newer
// one is durable, in a gang as long as the attempt lasts: nothing tells when the last rank's trainer has read it. Where
// ranks agree on a step, whatever is not older than the one that all are known to have stays: that may be all that they
// have in common.
[[nodiscard]] PruningPlan plan_pruning(const PruneQuestion& question);

// Text for people, once: which ones `keep` does not count. Empty: there are none.
[[nodiscard]] std::string say_unclear(const PruningPlan& plan);

}  // namespace reprise::agent
