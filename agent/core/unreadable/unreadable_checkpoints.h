// A start decides this about checkpoints of which the storage gives an error (Flaw::lost). Pure. While a volume is
// tried again none of them is lost: the storage may answer in a moment. After that the ones that give nothing are none,
// as torn ones are, and the others count; only a volume of which nothing can be read is not available.
#pragma once

#include <map>
#include <set>
#include <string>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/environment.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

// The unreadable ones that count for checkpoints, by name, and why.
[[nodiscard]] std::map<std::string, std::string> unreadable_in(const VolumeScan& scan);

// Empty: the choice may be carried out. Otherwise why nobody can choose from this volume: before the last try what may
// be newer than the choice cannot be read, and at the last one nothing that can be is complete.
[[nodiscard]] std::string why_unreadable(const VolumeScan& scan, const ResumeChoice& choice, const Environment& env,
                                         bool all_agree, bool is_last_try);

// Text for people; empty where all could be read.
[[nodiscard]] std::string say_unreadable(const Unreadable& unreadable);

// Checkpoints that are not deleted with torn ones: these, and the rest of the saves that they are parts of.
[[nodiscard]] std::set<std::string> not_to_be_deleted(const VolumeScan& scan);
// Puts none of it aside until the last try either.
void leave_unreadable(const VolumeScan& scan, bool is_last_try, ResumeChoice& choice);

}  // namespace reprise::agent
