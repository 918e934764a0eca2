// A job that has trained and begins from zero: never in silence.
#pragma once

#include <string>

#include "agent/core/fencing/job_history.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// Text for the record of an attempt that has found nothing to resume from. Empty: no attempt before it has trained.
// `is_said`: some other line says already what lies there. Names files that this job's attempts have written since and
// that may hold a training's state.
[[nodiscard]] runtime::Result<std::string> say_zero(const Volume& volume, HistoryOnce& once, bool is_said);

}  // namespace reprise::agent
