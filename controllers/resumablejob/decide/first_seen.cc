#include "controllers/resumablejob/decide/first_seen.h"

#include <algorithm>

#include "controllers/common/job_of.h"
#include "controllers/interruption/signal.h"
#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/leaving_nodes.h"
#include "protocol/annotations.h"

namespace reprise::controllers::resumablejob {
namespace {

void note_requests(const std::vector<std::shared_ptr<const kube::Pod>>& pods, const auto& add) {
  for (const auto& pod : pods) {
    const std::string_view request = pod->meta.annotation(protocol::kCheckpointRequestAnnotation);
    if (!request.empty() && !pod->node_name.empty())
      add(Waiting::ForTheNextHint, std::string(pod->node_name) + "/" + std::string(request));
  }
}

bool trainer_ended_well(const kube::Pod& pod) {
  const kube::ContainerStatus* trainer = pod.container(pod.meta.annotation(kTrainerAnnotation));
  return trainer != nullptr && trainer->exit_code == 0 && pod.phase == kube::PodPhase::Running;
}

}  // namespace

std::optional<kube::Time> last_request(const FirstSeen& first_seen, std::string_view node) {
  const std::string prefix = std::string(node) + "/";
  std::optional<kube::Time> last;
  for (auto at = first_seen.lower_bound({Waiting::ForTheNextHint, prefix}); at != first_seen.end(); ++at) {
    if (at->first.first != Waiting::ForTheNextHint || !at->first.second.starts_with(prefix)) break;
    if (!last || *last < at->second) last = at->second;
  }
  return last;
}

FirstSeen as_set(FirstSeen waits, const Looked& before, const Looked& now) {
  constexpr std::chrono::seconds in_step{2};  // times of day are whole seconds here
  const auto by_day = now.wall - before.wall;
  const auto passed = std::chrono::duration_cast<kube::Time::duration>(now.steady - before.steady);
  const auto set_by = by_day - passed;
  if (set_by > -in_step && set_by < in_step) return waits;
  for (auto& [what, since] : waits) since += set_by;
  return waits;
}

FirstSeen waits_of(const Observation& seen, const FirstSeen& before) {
  FirstSeen waits;
  const auto add = [&](Waiting what, std::string_view uid) {
    std::pair key{what, std::string(uid)};
    const auto found = before.find(key);
    // A clock that is set back begins anew: it would hold what is waited for until it has caught up.
    waits.emplace(std::move(key), found == before.end() ? seen.now : std::min(found->second, seen.now));
  };
  if (seen.job->status.attempt_end) add(Waiting::ForTheNode, std::to_string(seen.job->status.attempt));
  const bool lacks_pods = std::ranges::any_of(seen.job->status.members, [](const api::RankStatus& rank) {
    return rank.pod_uid.empty() && rank.proof == api::EndProof::None;
  });
  if (seen.pods_may_come && lacks_pods) add(Waiting::ForLatePods, std::to_string(seen.job->status.attempt));
  for (const auto& node : seen.leaving) {
    const std::string& uid = node->meta.uid;
    const auto waited = [&](Waiting what) { return before.contains({what, uid}); };
    if (takes_pods(*node)) {
      add(Waiting::UntilTainted, uid);
    } else if (waited(Waiting::UntilTainted) || waited(Waiting::ForTheScheduler)) {
      add(Waiting::ForTheScheduler, uid);
    }
  }
  for (const auto& [name, node] : seen.nodes) {
    if (!takes_pods(*node)) add(Waiting::ForTheScheduler, node->meta.uid);
  }
  for (const auto& [wait, since] : before) {  // also when what reported the node is gone
    if (wait.first == Waiting::ForTheScheduler && seen.now < since + kSchedulerLag)
      waits.emplace(wait, std::min(since, seen.now));
  }
  note_requests(seen.pods, add);
  note_requests(seen.deleted_pods, add);
  for (const auto& [wait, since] : before) {  // the pod that was asked may have ended for it
    if (wait.first == Waiting::ForTheNextHint && seen.now < since + interruption::kBetweenHints)
      waits.emplace(wait, std::min(since, seen.now));
  }
  const bool has_standby = std::ranges::any_of(seen.pods, [](const auto& pod) { return is_standby(*pod); });
  for (const auto& pod : seen.pods) {
    if (pod->meta.deletion_timestamp) add(Waiting::ForTheEnd, pod->meta.uid);
    if (trainer_ended_well(*pod)) add(Waiting::ForContainersBeside, pod->meta.uid);
    if (has_standby && pod->node_name.empty()) add(Waiting::ForPreemption, pod->meta.uid);
  }
  return waits;
}

}  // namespace reprise::controllers::resumablejob
