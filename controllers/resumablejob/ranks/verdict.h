// Decides whether the current attempt ends now, and why. Exactly one cause is chosen, by fixed precedence; it is
// written as status.attemptEnd before anything is deleted, and counted in the same write.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/resumablejob/ranks/ranks.h"

namespace reprise::controllers::resumablejob {

// The cause for which a job has failed for good, behind AttemptEndCause::Failed; the end's reason says no more than
// this.
enum class FailedBy { FailureRule, BackoffLimit, Deadline };
[[nodiscard]] std::string_view reason_of(FailedBy cause);

struct Verdict {
  api::AttemptEnd end;
  std::optional<FailedBy> failed_by = {};      // set where the job fails with it
  std::optional<kube::Time> signal_time = {};  // since when what interrupts it has said so, where that is known
  bool is_planned = false;                     // its pool has chosen to move it
};

// The cause that ends the attempt; empty while it may go on. Precedence: all succeeded; a suspend requested by the
// user, quota that is taken away, or spec.placement.maxCost; an interruption (it explains failures of the other ranks);
// a rejection by a kubelet (likewise); an agent that refused to start the trainer; a trainer that hung (it explains
// failures of the other ranks); application failures by the user's rules; 85; timeouts.
[[nodiscard]] std::optional<Verdict> verdict(const Observation& seen, const std::vector<Rank>& ranks);

// The end of an attempt of which a rank hung; empty where none has.
[[nodiscard]] std::optional<api::AttemptEnd> hung(const Observation& seen, const std::vector<Rank>& ranks);

// The time at which spec.activeDeadlineSeconds ends the job; empty while no clock runs: before its start and while it
// is suspended.
[[nodiscard]] std::optional<kube::Time> active_deadline(const Observation& seen);
[[nodiscard]] bool past_active_deadline(const Observation& seen);
[[nodiscard]] std::string past_active_deadline_message(const Observation& seen);

// The time since when the attempt holds a node and is not ready as a whole; empty where it is, or none of it has one.
[[nodiscard]] std::optional<kube::Time> starting_since(const Observation& seen, const std::vector<Rank>& ranks);

// The time at which `pods_ready_timeout_seconds` or `active_deadline_seconds` will strike, for the wake-up.
[[nodiscard]] std::optional<kube::Time> next_timeout(const Observation& seen, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
