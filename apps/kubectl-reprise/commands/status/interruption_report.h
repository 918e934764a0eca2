// The cost of an interruption to a job, from its status before and after. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/resumable_job.h"

namespace reprise::plugin {

// Has the job come through the end of attempt number `attempt`?
enum class Passage {
  Under,     // the attempt is ending, or the next one is not ready yet
  Resumed,   // a later attempt runs with all its pods
  Finished,  // the job has ended meanwhile
  Stopped,   // the job was suspended, or something blocks it
};
[[nodiscard]] Passage passage_of(const api::ResumableJob& job, std::int32_t attempt);

// `asked` and `now`: when the pods were deleted and when `after` was seen, by the clock of this machine.
[[nodiscard]] std::string interruption_report(const api::ResumableJob& before, const api::ResumableJob& after,
                                              kube::Time asked, kube::Time now);

}  // namespace reprise::plugin
