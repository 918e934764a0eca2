// Checkpoints that bear sums of all their bytes prove themselves, whoever wrote them and whoever saw the end: torch's
// archives do, and files that a list of sums names. A start reads the newest one that nothing else proves.
#pragma once

#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/unreadable/read_in_time.h"

namespace reprise::agent {

// Takes the parts of the newest save out of what is unproven where all of them are whole by their sums. `notes`: for
// people.
void prove_newest_by_sums(const Volume& volume, const Identity& self, const VolumeScan& scan, ReadingTime& time,
                          Unproven& unproven, std::vector<std::string>& notes);

}  // namespace reprise::agent
