// Orders checkpoints, the newest first: by what was completed last and by step together. Pure.
//
// Names alone mislead ("ckpt-1" of February comes after "ckpt-31" of January), and so do times alone: of copies, and
// between machines. So attempts, which agents have written down, come one after the other whatever their clocks say;
// within one it is the time of completion; of what no agent saw appear it is the step.
#pragma once

#include <string>

#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// Complete ones first, the newest of them in front; then copies that stand behind those (trailing_copies.h); then what
// may be no checkpoint at all (neither does its name say so, nor has any agent seen something named like it appear);
// then the torn ones.
void sort_newest_first(Checkpoints& found, const MadeCheckpoints& made);

[[nodiscard]] bool may_be_none(const Checkpoint& checkpoint, const MadeCheckpoints& made);

// The newest complete one; nothing where only directories are that may be no checkpoint. `found`: newest first.
[[nodiscard]] std::optional<Checkpoint> newest_complete(const Checkpoints& found, const MadeCheckpoints& made);

// Not empty: what was completed later carries the lower number, or what appeared later in an attempt the earlier time,
// one of them at least made by this job, so that "the newest" cannot be told for certain. Ranks and parts that are
// saved each by itself are not held against each other. `found`: newest first.
[[nodiscard]] std::string out_of_order(const Checkpoints& found, const MadeCheckpoints& made,
                                       const std::string& job_uid);

}  // namespace reprise::agent
