// What the records of an attempt tell of the job's checkpoints, and how far each of them is believed: a record says
// what its rank saw on the volume, where earlier trainings may lie as well.
#pragma once

#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

// Whether what was saved at that time, by the volume, can be what the job knows as its newest or a later one. Where the
// time is not told nothing speaks against it.
[[nodiscard]] bool is_no_older_than_job(const Observation& seen, const api::ResumableJobStatus& status,
                                        const std::optional<kube::Time>& saved);

// Whether the rank's record tells of a checkpoint that can be the job's own. Rank 0 of a shared volume has chosen what
// the attempt resumes from, and a rank with a volume each knows no other: these are believed. The other ranks of a
// shared volume are believed about what they resumed from, and about what is no older than what is known of the job and
// lies where rank 0's does, if that has left a record.
[[nodiscard]] bool tells_of_own(const Observation& seen, const api::ResumableJobStatus& status,
                                const std::vector<Rank>& ranks, const Rank& rank);

// The rank whose record tells of the attempt's newest durable checkpoint; null where none does.
[[nodiscard]] const Rank* newest_told(const Observation& seen, const api::ResumableJobStatus& status,
                                      const std::vector<Rank>& ranks);

// Whether what the rank's record tells of came after what the job knows: by its step, or, where steps begin again or a
// place is written to once more, by the times of the volume.
[[nodiscard]] bool is_newer_than_known(const Observation& seen, const api::ResumableJobStatus& status,
                                       const Rank& rank);

// Whether the attempt has saved what the rank's record tells of.
[[nodiscard]] bool has_saved(const Observation& seen, const api::ResumableJobStatus& status,
                             const std::vector<Rank>& ranks, const Rank& rank);

}  // namespace reprise::controllers::resumablejob
