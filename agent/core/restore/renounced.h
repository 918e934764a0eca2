// A start from scratch renounces these besides checkpoints: files from which a script that looks for itself would go
// on.
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
  std::vector<StandIn> aside{};         // stand-ins that are put aside
  std::vector<std::string> left{};      // stand-ins that stay: nothing shows that an attempt of this job has written
                                        // them
  std::vector<std::string> nameless{};  // files that stay: the job has written them, and they may be data, or a model
};
// The files that a job which `begins_anew`, by the policy or since nothing is left, renounces: they stand for the
// newest checkpoint beside those that are put aside. By the policy also the job's own files that lie elsewhere, have no
// step in their name or are in no layout that is known; none that is only called as data or a model may be.
[[nodiscard]] runtime::Result<Renounced> find_renounced(const Volume& volume, const Environment& env,
                                                        const Identity& self, HistoryOnce& once, const VolumeScan& scan,
                                                        const std::vector<std::string>& put_aside);

// Text for people; empty: none of it was left.
[[nodiscard]] std::string say_left(const Renounced& renounced);

}  // namespace reprise::agent
