// Counts what a job's attempts have cost so far: an estimate, in status.cost.
//
// The cost is kept as a sum until a moment (countedTime) and what each hour since costs (perHour), so that nothing has
// to be written while an attempt merely runs: readers add perHour for the time since. At each write that is due for
// another reason the sum moves on, by the rate that was written before; a process that dies, or another replica that
// leads, goes on from there and counts no second twice.
#pragma once

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

// `planned` is what is to be written; left as it is where it equals the job's status, or no price is known.
void count_cost(const Observation& seen, api::ResumableJobStatus& planned);

}  // namespace reprise::controllers::resumablejob
