#include <algorithm>
#include <charconv>
#include <tuple>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

// True for a trainer's own end, on a node: not for a pod that the kubelet rejected, nor for one that ended because it
// was deleted.
bool failed_by_itself(const kube::Pod& pod) {
  return pod.phase == kube::PodPhase::Failed && !pod.node_name.empty() && !pod.meta.deletion_timestamp &&
         pod.any_container_started() && pod.all_containers_terminated();
}

// Kubernetes keeps a claim for as long as a pod mounts it, ended or not.
bool holds_a_claim_that_goes(const Observation& seen, const kube::Pod& pod) {
  return std::ranges::any_of(pod.claim_names, [&](const kube::Text& name) {
    const auto claim = seen.claims.find(name);
    return claim != seen.claims.end() && claim->second->meta.deletion_timestamp;
  });
}

std::int32_t number(std::string_view label) {
  std::int32_t value = 0;
  std::from_chars(label.data(), label.data() + label.size(), value);
  return value;
}

// Orders pods: the newest first; in one attempt the lowest rank, which prints what the others do.
std::tuple<std::int32_t, std::int32_t> age(const kube::Pod& pod) {
  return {-number(pod.meta.label(kAttemptLabel)), number(pod.meta.label(kIndexLabel))};
}

}  // namespace

bool is_kept_failure(const Observation& seen, const kube::Pod& pod) {
  const std::int32_t most = seen.job->spec.keep_failed_pods;
  if (most == 0 || pod.meta.label(kAttemptLabel).empty() || !failed_by_itself(pod)) return false;
  if (holds_a_claim_that_goes(seen, pod)) return false;
  const auto newer = std::ranges::count_if(seen.pods, [&](const auto& other) {
    return !other->meta.label(kAttemptLabel).empty() && failed_by_itself(*other) && age(*other) < age(pod);
  });
  return newer < most;
}

void delete_orphans(PlanBuilder& builder) {
  const api::ResumableJobStatus& status = builder.seen.job->status;
  const bool finished = is_finished(status);
  const std::string current = status.members.empty() ? std::string() : std::to_string(status.attempt);
  for (const auto& pod : builder.seen.pods) {
    const std::string_view attempt = pod->meta.label(kAttemptLabel);
    if (attempt.empty() || attempt == current || pod->meta.deletion_timestamp) continue;
    const bool over = pod->phase == kube::PodPhase::Succeeded || pod->phase == kube::PodPhase::Failed;
    if (finished && over) continue;  // kept for its logs
    if (is_kept_failure(builder.seen, *pod)) continue;
    builder.delete_pod(*pod);
  }
}

}  // namespace reprise::controllers::resumablejob
