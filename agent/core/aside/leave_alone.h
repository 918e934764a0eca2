// A restore does not move these, though they are not complete: a checkpoint that shows no tear, one that this job has
// not made, and anything at all on the word of a look that was cut short. Where nothing is complete the tear has to
// show by itself (../formats/shown_tear.h), and a save goes whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/job_history.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

enum class Tear {
  Shown,          // a file is cut off, or a part is not there that the checkpoint itself or those like it call for
  NotRecognised,  // the checkpoint does not fit the layout, and nothing in it is cut off
  Unreadable,     // the storage gives an error for it: it may be whole
  None,           // the checkpoint is whole by now, under the name of one
};

// Tells the tear by a second look at a checkpoint that a scan has found torn. What names alone call for shows a tear
// only where a complete one of the same layout lies beside it that has it all, and only in what is newer than `resume`:
// an older one may have been stripped of what nobody needs. A missing mark shows one where a complete one of the same
// naming lies beside it: a script has output of other kinds in directories with numbers, too. The name of an unfinished
// save shows one by itself, whatever is in it. Pure.
[[nodiscard]] Tear tear_in(const CloseLook& seen, const Checkpoints& found, const std::optional<Checkpoint>& resume);

struct LeftAlone {
  std::vector<std::string> torn{};   // left ones that show a tear
  std::vector<std::string> notes{};  // for the record
};
// Takes out of `choice.put_aside` what is left where it lies; of that, what cannot be read is left out from then on.
[[nodiscard]] runtime::Result<LeftAlone> leave_alone(const Volume& volume, const Identity& self, HistoryOnce& history,
                                                     const VolumeScan& scan, ResumeChoice& choice);

}  // namespace reprise::agent
