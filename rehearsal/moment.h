// Reads the content of the live view from the cluster.
#pragma once

#include <cstddef>

#include "rehearsal/live/rehearsal_moment.h"
#include "rehearsal/plan/spot_plan.h"
#include "rehearsal/stage.h"

namespace reprise::rehearsal {

// `shown_lines`: how many lines of the event log were shown before; the call moves it on.
[[nodiscard]] RehearsalMoment moment_of(const Stage& stage, const SpotPlan& spot, std::size_t& shown_lines);

}  // namespace reprise::rehearsal
