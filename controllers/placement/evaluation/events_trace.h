// Turns a cluster's own history of Events into a trace, so that an admin can replay what really happened to them.
//
// One Event a line: TIME REASON OBJECT, then anything, as
//   kubectl get events -A -o
//   custom-columns=TIME:.lastTimestamp,ELSE:.eventTime,REASON:.reason,OBJECT:.involvedObject.name,MESSAGE:.message
// prints; of several times the latest counts, "<none>" is none. Reasons that tell that spot was launched or is there
// make a zone count as up from then on, reasons that tell that it was taken or rejected as down; other Events tell
// nothing. A line's zone is the first word behind the reason that reads like one ("us-west-2a", "us-central1-a"), else
// that of its object: as listed, or as another line names it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "controllers/placement/evaluation/trace.h"
#include "runtime/base/error.h"

namespace reprise::controllers::placement {

struct EventObject {
  std::string zone;  // empty: not told
  bool spot = true;  // Events of what is not spot tell nothing
};
struct EventPlaces {
  std::map<std::string, EventObject, std::less<>> objects;  // NodeClaims and Nodes by name
  std::string otherwise;                                    // for lines whose zone is not told; empty: an error
};

// One object a line: NAME ZONE CAPACITY, where "<none>" is none; a capacity other than spot (or none) is not spot.
[[nodiscard]] runtime::Result<std::map<std::string, EventObject, std::less<>>> read_event_objects(
    std::string_view file, std::string_view text);

// Lines may come in any order. Before its first word a zone is unknown. Prices are left for the caller to give.
[[nodiscard]] runtime::Result<Trace> trace_from_events(std::string_view file, std::string_view text,
                                                       const EventPlaces& places, int gap_seconds);

// The trace as read_trace reads it.
[[nodiscard]] std::string write_trace(const Trace& trace);

}  // namespace reprise::controllers::placement
