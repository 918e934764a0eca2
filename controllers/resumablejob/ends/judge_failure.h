// Judges a rank's failure: the agent's own, or the application's, by the user's podFailurePolicy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/resumablejob/ranks/ranks.h"

namespace reprise::controllers::resumablejob {

// True for the agent's own doing, which is no failure of the application: no rule of the user's is about it.
[[nodiscard]] bool is_install_failure(const Rank& rank);

// Says how a rank overfilled its own disk, in the kubelet's words, which name the limit.
[[nodiscard]] std::string how_disk_overflowed(const Rank& rank);

// The judgement of the user's podFailurePolicy about a rank that failed; where no rule matches FailJob for a trainer's
// exit code 93, else Count.
struct FailureJudgement {
  api::FailureAction action = api::FailureAction::Count;
  std::optional<std::size_t> rule;  // index of the rule that matched; nothing: none did
};
[[nodiscard]] FailureJudgement judge_failure(const std::vector<api::PodFailureRule>& rules, const Rank& rank,
                                             std::string_view trainer);

}  // namespace reprise::controllers::resumablejob
