// Turns a cluster's own history of Events into a trace, so that an admin can replay what really happened to them.
//
// One Event a line: TIME REASON, then anything, as
//   kubectl get events -A -o
//   custom-columns=TIME:.lastTimestamp,REASON:.reason,OBJECT:.involvedObject.name,MESSAGE:.message
// prints. Reasons that tell that spot was launched or is there make a zone count as up from then on, reasons that tell
// that it was taken or refused as down; other Events tell nothing. A line's zone is the first word behind the reason
// that reads like one ("us-west-2a", "us-central1-a").
#pragma once

#include <string>
#include <string_view>

#include "controllers/placement/trace.h"
#include "runtime/base/error.h"

namespace reprise::controllers::placement {

// `zone`: for lines that name none; empty: such a line is an error. Lines may come in any order. Before its first word
// a zone is unknown. Prices are left for the caller to give.
[[nodiscard]] runtime::Result<Trace> trace_from_events(std::string_view file, std::string_view text,
                                                       std::string_view zone, int gap_seconds);

// The trace as read_trace reads it.
[[nodiscard]] std::string write_trace(const Trace& trace);

}  // namespace reprise::controllers::placement
