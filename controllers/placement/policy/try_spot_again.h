// Decides when something that runs on demand, because spot was not to be had, should ask for spot again. On demand the
// market of spot is not seen, and asking costs a changeover whether it is back or not.
#pragma once

#include "controllers/placement/policy/types.h"

namespace reprise::controllers::placement {

// Hours. Replayed on recorded traces, asking each half hour saves nearly as much as at every tick, with fewer starts.
constexpr double kTryAgainAtTheEarliest = 0.5;

// Hours after the last try in vain at which the chance that spot is back, by the age that the outage had at that try,
// pays for a changeover on demand: with what a fresh spell of spot saves until it ends, 6 h at the most. The older the
// outage, the longer. Infinity: never, since the prices do not differ by enough.
[[nodiscard]] double try_spot_again_after(const Terms& terms, double outage_age);

}  // namespace reprise::controllers::placement
