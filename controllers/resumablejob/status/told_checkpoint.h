// Judges how far the records of an attempt are believed in what they tell of the job's checkpoints: a record says what
// its rank saw on the volume, where earlier trainings may lie as well.
#pragma once

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

// True when a checkpoint that was saved at that time, by the volume, can be what the job knows as its newest or a later
// one. Nothing speaks against it where the time is not told.
[[nodiscard]] bool is_no_older_than_job(const Observation& seen, const api::ResumableJobStatus& status,
                                        const std::optional<kube::Time>& saved);

// True when the rank's record tells of a checkpoint that can be the job's own. Rank 0 of a shared volume has chosen
// what the attempt resumes from, and a rank with a volume each knows no other: these are believed. The other ranks of a
// shared volume are believed about what they resumed from, and about what is no older than what is known of the job and
// lies where rank 0's does, if that has left a record.
[[nodiscard]] bool tells_of_own(const Observation& seen, const api::ResumableJobStatus& status,
                                const std::vector<Rank>& ranks, const Rank& rank);

// The rank whose record tells of the attempt's newest durable checkpoint; null where none does.
[[nodiscard]] const Rank* newest_told(const Observation& seen, const api::ResumableJobStatus& status,
                                      const std::vector<Rank>& ranks);

// True when the checkpoint in the rank's record came after the one that the job knows: by its step, or, where steps
// begin again or a place is written to once more, by the times of the volume.
[[nodiscard]] bool is_newer_than_known(const Observation& seen, const api::ResumableJobStatus& status,
                                       const Rank& rank);

// True when the attempt has saved the checkpoint that the rank's record tells of.
[[nodiscard]] bool has_saved(const Observation& seen, const api::ResumableJobStatus& status,
                             const std::vector<Rank>& ranks, const Rank& rank);

}  // namespace reprise::controllers::resumablejob
