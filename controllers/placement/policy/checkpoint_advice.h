// Advises how often a job on spot should save: often while its spot is young, ever more rarely as it lasts.
#pragma once

#include "controllers/placement/policy/zones/zone_memory.h"

namespace reprise::controllers::placement {

// Daly's interval between the end of one checkpoint and the begin of the next, for a write that takes `write` and a
// mean time of `between_losses` until the next loss; all in the same unit.
[[nodiscard]] double daly_interval(double write, double between_losses);

// Hours between checkpoints that take `write` hours, on spot of this age: Daly's, with the inverse of the present
// hazard as the mean time; at least twice the write, at most 2 h.
[[nodiscard]] double checkpoint_interval(double write, double age, double theta_up);

}  // namespace reprise::controllers::placement
