// Files that stand for the newest checkpoint under a name without a step: Lightning's `last.ckpt`, fairseq's
// `checkpoint_last.pt`. Scans leave it out beside numbered ones, and a training that begins anew is not to find it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// "checkpoint_last.pt", "latest-rank0.pt": a word of its own. Pure.
[[nodiscard]] bool says_last(std::string_view name);

struct StandIn {
  Checkpoint checkpoint;
  runtime::WallTime modified{};
  bool is_torn = false;  // the file is cut off, and not merely in a layout that is not known
};

// Stand-ins in the directories of `found`. Links are none.
[[nodiscard]] runtime::Result<std::vector<StandIn>> stand_ins_beside(const Volume& volume, const Checkpoints& found);

// True if it is further than all complete ones beside it; a model to start from lies alone. Pure.
[[nodiscard]] bool is_further(const Checkpoint& stand_in, const Checkpoints& all);

// The torn ones of them and of those in the root that an attempt of this job has written: none on the word of a look
// that was cut short.
[[nodiscard]] runtime::Result<std::vector<StandIn>> torn_stand_ins(const Volume& volume, const Identity& self,
                                                                   HistoryOnce& once, const VolumeScan& scan);

// Makes those stand-ins count that are whole, that an attempt of this job has written, and that are further than all
// complete ones beside them: a metric may decide which numbered ones stay. For a choice alone; `notes` say which.
[[nodiscard]] runtime::Result<void> count_further_stand_ins(const Volume& volume, const Identity& self,
                                                            HistoryOnce& once, VolumeScan& scan,
                                                            std::vector<std::string>& notes);

// A stand-in is written anew in place: a trainer that is killed meanwhile leaves it cut off, and the step that the
// operator expects in it is gone by the trainer's own doing. Then, where another one counts, and where a numbered one
// has come since, no step is expected any more.
[[nodiscard]] runtime::Result<void> settle_expected_stand_in(const Volume& volume, const Identity& self,
                                                             HistoryOnce& once, const VolumeScan& scan,
                                                             Environment& env, std::vector<std::string>& notes);

}  // namespace reprise::agent
