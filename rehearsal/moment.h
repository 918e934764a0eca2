// What the live view shows, read from the cluster.
#pragma once

#include <cstddef>

#include "rehearsal/live/rehearsal_moment.h"
#include "rehearsal/plan/spot_plan.h"
#include "rehearsal/stage.h"

namespace reprise::rehearsal {

// `shown_lines`: how many lines of the event log were shown before; moved on.
[[nodiscard]] RehearsalMoment moment_of(const Stage& stage, const SpotPlan& spot, std::size_t& shown_lines);

}  // namespace reprise::rehearsal
