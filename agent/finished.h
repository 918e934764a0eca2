// Whether this member has finished before: then its trainer is not run again. The members of a gang wait for each other
// when they start, so none of them is left out unless all are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/environment.h"
#include "agent/identity.h"
#include "agent/record.h"
#include "agent/volume.h"

namespace reprise::agent {

struct FinishedQuestion {
  Identity self;
  std::int32_t parallelism = 1;
  VolumeAccess access = VolumeAccess::Shared;
  std::int32_t distrusted = 0;  // records of attempts up to this one are not believed
};

[[nodiscard]] FinishedQuestion finished_question(const Environment& env, const Identity& self);

// Whether these records of one attempt say that the trainer need not run again: its own for a job of one member, those
// of all indexes for a gang, none for members with a volume each (they cannot see one another), and none of an earlier
// pod in this very place of this attempt. Pure.
[[nodiscard]] bool may_skip(const FinishedQuestion& question, std::int32_t attempt, const std::vector<Record>& records);

// The member's own record of that attempt, when by the records there its trainer need not run again.
[[nodiscard]] runtime::Result<std::optional<Record>> finished_in(const Volume& volume, const FinishedQuestion& question,
                                                                 std::int32_t attempt);
// The same over the attempts from the newest on, to the last one that trained: it would not have, had one before it
// finished that could be believed.
[[nodiscard]] runtime::Result<std::optional<Record>> find_finished(const Volume& volume,
                                                                   const FinishedQuestion& question);

// Nothing when there is none, or none that can be understood.
[[nodiscard]] runtime::Result<std::optional<Record>> read_record(const Volume& volume, std::int32_t attempt,
                                                                 std::int32_t index);

}  // namespace reprise::agent
