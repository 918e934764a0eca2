// Taints that the node agent puts on its own Node when the cloud says that the machine goes, and that the operator
// reads (controllers/interruption). The value is when the machine goes, in seconds since 1970 in UTC, or of a
// recommendation when it was made; it is empty where the cloud does not say. One key for each meaning, and keys of
// nobody else: what is on the Node is all the memory that the node agent has.
#pragma once

#include <string_view>

namespace reprise::protocol {

// The cloud takes spot capacity back.
inline constexpr std::string_view kSpotInterruptionTaint = "reprise.dev/spot-interruption";
// The machine is ended for another reason: its group shrinks, a person deletes it.
inline constexpr std::string_view kInstanceTerminationTaint = "reprise.dev/instance-termination";
// The machine restarts or moves, and its memory is lost.
inline constexpr std::string_view kScheduledMaintenanceTaint = "reprise.dev/scheduled-maintenance";
// The machine may be taken soon: a checkpoint is worth while, and nothing ends.
inline constexpr std::string_view kRebalanceTaint = "reprise.dev/rebalance-recommendation";

}  // namespace reprise::protocol
