// What a start from scratch renounces besides checkpoints: what a script that looks for itself would go on from.
#pragma once

#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/stand_ins_beside.h"

namespace reprise::agent {

struct Renounced {
  std::vector<StandIn> aside{};         // it is put aside
  std::vector<std::string> left{};      // it stays: nothing shows that an attempt of this job has written it
  std::vector<std::string> nameless{};  // it stays: the job has written it, and it may be data, or a model
};
// Where `begins_anew`, by the policy or since nothing is left: what stands for the newest beside the checkpoints that
// are put aside. By the policy also what lies elsewhere, has no step in its name or is in no layout that is known, and
// is this job's own; of what is only called as data or a model may be, nothing.
[[nodiscard]] runtime::Result<Renounced> find_renounced(const Volume& volume, const Environment& env,
                                                        const Identity& self, HistoryOnce& once, const VolumeScan& scan,
                                                        const std::vector<std::string>& put_aside);

// For people; empty: nothing of it was left.
[[nodiscard]] std::string say_left(const Renounced& renounced);

}  // namespace reprise::agent
