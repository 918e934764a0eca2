// Work on the volume after the trainer's end.
#pragma once

#include <chrono>
#include <functional>

#include "agent/core/run/session.h"

namespace reprise::agent {

// The time on a disk of one machine where nobody has requested a stop: at 100 MB/s a sync takes so long for the 60 GB
// of a save that has just been made, and a save that is not shown to be there is not resumed from by the next attempt
// (proofs/unproven.h).
inline constexpr std::chrono::minutes kLongestAtEnd{10};

// Does the work; true if it ended. Between a stop request and the kubelet's kill it has its part of what is left
// (end_timeouts.h), also where the request comes meanwhile. It may be left behind, as with Session::bounded.
[[nodiscard]] bool ends_in_time(Session& session, std::function<void()> work);

}  // namespace reprise::agent
