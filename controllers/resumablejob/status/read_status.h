// Statuses that an earlier version wrote, which remembered in conditions and in
// messages what fields of their own hold now.
#pragma once

#include <memory>

#include "api/resumable_job.h"

namespace reprise::controllers::resumablejob {

// The same job with the fields of this version; null: it has them.
[[nodiscard]] std::shared_ptr<const api::ResumableJob> read_old_status(const api::ResumableJob& job);

}  // namespace reprise::controllers::resumablejob
