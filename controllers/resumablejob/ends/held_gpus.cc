#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {
namespace {

// Containers beside a trainer may take a while to see that it has ended.
constexpr std::chrono::seconds kUntilOthersEnd{60};

// Containers whose end nobody but they decides: a kubelet ends sidecars that are init containers by itself.
std::string containers_that_run(const kube::Pod& pod) {
  std::string names;
  std::size_t count = 0;
  for (const kube::ContainerStatus& each : pod.container_statuses) {
    if (each.init || each.state != kube::ContainerStateKind::Running) continue;
    names += (++count > 1 ? ", " : "") + std::string(each.name);
  }
  return count == 0 ? names : count == 1 ? "container " + names + " holds" : "containers " + names + " hold";
}

}  // namespace

void tell_held_gpus(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Succeeded || !rank.pod || rank.pod->meta.deletion_timestamp) continue;
    const std::string held = containers_that_run(*rank.pod);
    if (held.empty()) continue;
    const kube::Time tell = builder.seen.since(Waiting::ForContainersBeside, rank.pod->meta.uid) + kUntilOthersEnd;
    if (builder.seen.now < tell) {
      builder.plan.wake_by(tell);
      continue;
    }
    builder.outlook.held = "rank " + std::to_string(rank.memory.index) + " has finished; " + held +
                           (rank.pod->resource_requests.empty() ? " its node" : " its GPU") +
                           ": let it end when the trainer does, or make it an init container with restartPolicy "
                           "Always, which its kubelet ends";
    const kube::Condition* before = find_condition(builder.conditions.before(), "PodsReady");
    if (before == nullptr || std::string_view(before->message).find(builder.outlook.held) == std::string_view::npos)
      builder.announce(EventType::Warning, "GpuHeld", "RunAttempt", builder.outlook.held);
    return;
  }
}

}  // namespace reprise::controllers::resumablejob
