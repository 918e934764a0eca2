// Does the current attempt end now, and why? Exactly one cause is chosen, by fixed precedence; it is written as
// status.attemptEnd before anything is deleted, and counted in the same write.
#pragma once

#include <optional>
#include <vector>

#include "controllers/resumablejob/members.h"

namespace reprise::controllers::resumablejob {

// Nothing while the attempt may go on. Precedence: all succeeded; a suspend asked by the user; an interruption (it
// explains failures of the other ranks); a refusal of the agent; application failures by the user's rules; 85;
// timeouts.
[[nodiscard]] std::optional<api::AttemptEnd> verdict(const Observation& seen, const std::vector<Member>& members);

// What the user's podFailurePolicy says about a member that failed; Count when no rule matches.
struct FailureJudgement {
  api::FailureAction action = api::FailureAction::Count;
  std::optional<std::size_t> rule;  // index of the rule that matched
};
[[nodiscard]] FailureJudgement judge_failure(const std::vector<api::PodFailureRule>& rules, const Member& member,
                                             std::string_view trainer);

[[nodiscard]] bool past_active_deadline(const Observation& seen);
[[nodiscard]] std::string past_active_deadline_message(const Observation& seen);

// When `pods_ready_timeout_seconds` or `active_deadline_seconds` will strike, for the wake-up.
[[nodiscard]] std::optional<api::Time> next_timeout(const Observation& seen, const std::vector<Member>& members);

}  // namespace reprise::controllers::resumablejob
