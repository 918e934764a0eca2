// Restore, the part of whoever keeps the volume: scan, decide, put aside, publish. And the part of the other ranks:
// read what was published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/restore/resume_point.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/unreadable/before_resume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

struct Restored {
  ResumePoint point;
  std::vector<std::string> notes;  // for the record: what was put aside, what could not be
  Checkpoints ignored;             // were there before, and count neither as newest nor as ours to prune
  Checkpoints before;              // all that is there now; the trainer makes whatever is not in here
  MadeCheckpoints made;            // checkpoints that agents have seen appear until now
  Checkpoints unproven;            // put aside since nothing proves them (proofs/unproven.h)
  bool published = true;
  std::string outdated;  // not empty: this attempt's earlier choice no longer fits the volume; nobody may start
  // Not empty: the step that all ranks are to resume from is not on this volume; nothing was published.
  std::string step_gone{};
};

// A single try of those for which a volume is given time (patience.h).
struct RestoreTry {
  bool is_last = true;  // until then what the storage does not give may come yet (unreadable/unreadable_checkpoints.h)
  Now now{};
};

// The policy that the environment asks for, except that a start from scratch is not repeated once an attempt has made
// it.
[[nodiscard]] runtime::Result<ResumePolicy> policy_in_force(const Volume& volume, const Environment& env,
                                                            const Identity& self);

// An error means that the volume could not be read, so that nothing can be said about its checkpoints.
// When this attempt has published before (its pod of index 0 was replaced), that choice stands; it is rejected if the
// volume has moved on since, because the ranks would load different steps.
// `common`: what ranks with a volume each resume from; nothing where this one chooses for itself.
[[nodiscard]] runtime::Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                                                const std::optional<protocol::CommonStep>& common = {},
                                                const RestoreTry& one = {});

// The resume point that index 0 has published for this attempt of this job; empty: none yet.
[[nodiscard]] runtime::Result<std::optional<ResumePoint>> read_resume_point(const Volume& volume, const Identity& self);

}  // namespace reprise::agent
