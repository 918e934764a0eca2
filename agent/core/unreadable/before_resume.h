// The last look at what was chosen to resume from, before all ranks are told of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/run/volume.h"
#include "agent/core/unreadable/read_in_time.h"
#include "agent/formats/checkpoint.h"
#include "agent/formats/structure/flaw.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// Empty: no flaw shows. It may be damaged by now, since others were put aside before, which takes minutes where each
// call takes seconds; a scan compares the sums of what was completed last, which need not be the newest
// (../checkpoint_order.h), nor is what all ranks resume from, of which each has compared them before it listed it
// (`all_agree`). And no scan opens all files: a few bytes of each are read (read_back.h).
[[nodiscard]] Flawed flaw_before_resume(const Volume& volume, const std::optional<Checkpoint>& resume, bool all_agree,
                                        const Now& now);

// The part of it that takes a moment: whoever publishes has just seen that it is there.
[[nodiscard]] Flawed flaw_by_now(const Volume& volume, const std::optional<Checkpoint>& resume);
// The part of it that a list for all ranks takes as well.
[[nodiscard]] std::optional<Flaw> read_back_in_time(const Volume& volume, const Checkpoint& checkpoint, const Now& now);

// Chosen before by one restore, and found damaged, or not seen, when it was to be published.
struct DoubtedChoices {
  std::vector<std::string> names{};
  std::map<std::string, std::string> lost{};  // the ones of these for which the storage gives an error, and the error
};
// Such a one does not count in that restore any more, whatever another look says.
void leave_out_doubted(const DoubtedChoices& doubts, VolumeScan& scan);

}  // namespace reprise::agent
