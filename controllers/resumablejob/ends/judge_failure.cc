#include "controllers/resumablejob/ends/judge_failure.h"

#include <algorithm>

#include "api/pod_builder.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {

bool is_install_failure(const Rank& rank) {
  const bool own = rank.failed_init == api::kAgentInstallContainer || rank.failed_init == protocol::kListContainer;
  return rank.state == RankState::Failed && own;
}

std::string how_disk_overflowed(const Rank& rank) {
  std::string_view said = rank.last->message;
  while (said.ends_with(' ') || said.ends_with('.')) said.remove_suffix(1);
  return "pod " + rank.memory.pod_name + " overfilled its own disk and was ended by its kubelet: " + std::string(said);
}

FailureJudgement judge_failure(const std::vector<api::PodFailureRule>& rules, const Rank& rank,
                               std::string_view trainer) {
  const std::int32_t exit_code = rank.exit_code();
  const std::string_view container = rank.failed_init.empty() ? trainer : std::string_view(rank.failed_init);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const api::PodFailureRule& rule = rules[i];
    bool matches = false;
    if (!rule.on_exit_codes_values.empty()) {
      const bool listed = std::ranges::find(rule.on_exit_codes_values, exit_code) != rule.on_exit_codes_values.end();
      const bool about_it = rule.on_exit_codes_container.empty() || rule.on_exit_codes_container == container;
      matches = about_it && (rule.on_exit_codes_operator == "In" ? listed : (!listed && exit_code != 0));
    } else if (rank.last) {
      matches = std::ranges::any_of(rule.on_pod_conditions, [&](const auto& wanted) {
        const kube::PodCondition* found = rank.last->condition(wanted.type);
        return found != nullptr && found->status == wanted.status;
      });
    }
    if (matches) return {rule.action, i};
  }
  if (exit_code == protocol::kDoNotRestartExitCode && container == trainer) return {api::FailureAction::FailJob, {}};
  return {};
}

}  // namespace reprise::controllers::resumablejob
