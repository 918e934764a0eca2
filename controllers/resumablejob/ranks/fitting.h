// Fits what somebody else has written to the status: the API server refuses the whole status for one field that its
// schema (crds/src/resumablejobs.yaml) does not allow, at each pass again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/resumable_job.h"
#include "protocol/record.h"

namespace reprise::controllers::resumablejob {

// The reason of causes whose own word is none that a reason can be, and of kinds of interruptions beyond those that are
// counted.
inline constexpr std::string_view kOtherReason = "Other";

// Rows of status.interruptions, with kOtherReason.
inline constexpr std::size_t kMostReasons = 32;

// `reason` where the status and an Event take it.
[[nodiscard]] std::string fitting_reason(std::string reason);

// A trainer may write records too: members that the status would not take are left out.
[[nodiscard]] protocol::Record fitting_record(protocol::Record record);

// Cuts the sentences of a status that quote others.
void cut_messages(api::ResumableJobStatus& status);

}  // namespace reprise::controllers::resumablejob
