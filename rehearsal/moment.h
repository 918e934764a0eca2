// What the live view shows, read from the cluster.
#pragma once

#include <cstddef>

#include "rehearsal/stage.h"

namespace reprise::rehearsal {

// `told`: how many lines of the event log were news before; moved on.
[[nodiscard]] RehearsalMoment moment_of(const Stage& stage, const SpotPlan& spot, std::size_t& told);

}  // namespace reprise::rehearsal
