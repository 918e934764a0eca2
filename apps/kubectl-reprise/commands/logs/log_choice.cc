#include "apps/kubectl-reprise/commands/logs/log_choice.h"

#include <algorithm>

#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

bool has_begun(const kube::Pod& pod, const std::string& name) {
  const kube::ContainerStatus* container = pod.container(name);
  return container != nullptr && container->state != kube::ContainerStateKind::Waiting;
}

}  // namespace

std::vector<kube::Pod> with_logs(const std::vector<kube::Pod>& pods, const std::string& container,
                                 const LogChoice& choice) {
  std::vector<kube::Pod> found;
  for (const kube::Pod& pod : pods) {
    if (choice.attempt && attempt_of(pod) != *choice.attempt) continue;
    if (choice.index && index_of(pod) != *choice.index) continue;
    if (has_begun(pod, container)) found.push_back(pod);
  }
  if (choice.all || choice.attempt || found.empty()) return found;
  const std::int32_t last = attempt_of(found.back());
  std::erase_if(found, [&](const kube::Pod& pod) { return attempt_of(pod) != last; });
  return found;
}

std::string log_source(const kube::Pod& pod) {
  return std::to_string(attempt_of(pod)) + "/" + std::to_string(index_of(pod));
}

std::string log_path(const kube::Pod& pod, const std::string& container, bool follow, const std::string& more) {
  return kube::KindOf<kube::Pod>::info().path(pod.meta.namespace_, pod.meta.name, "log") + "?container=" + container +
         (follow ? "&follow=true" : "") + more;
}

bool is_over(const api::ResumableJob& job) {
  const auto& conditions = job.status.conditions;
  if (kube::is_true(conditions, "Complete") || kube::is_true(conditions, "Failed")) return true;
  return kube::is_true(conditions, "Suspended") && job.status.active == 0;
}

}  // namespace reprise::plugin
