#include "controllers/resumablejob/shell/observe_kueue.h"

#include <utility>

#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::Result;

Result<void> confirm_workload(runtime::ReconcileContext& context, Observation& seen) {
  Observation::Kueue& kueue = seen.kueue;
  if (!kueue.workload && !lacks_workload(seen)) return {};
  const api::ResumableJobStatus& status = seen.job->status;
  const bool admitted = kueue.workload && is_admitted(*kueue.workload);
  // The pass that closes an attempt may begin the next.
  const bool would_begin = admitted && (status.members.empty() || status.attempt_end);
  const bool would_end = !admitted && !status.members.empty() && !status.attempt_end;
  if (!would_begin && !would_end) return {};
  auto live = context.read_live<api::Workload>(seen.job->meta.namespace_, workload_name(*seen.job));
  if (!live) return std::unexpected(std::move(live).error());
  kueue.workload = nullptr;
  if (live->has_value() && is_of_job((*live)->meta, *seen.job))
    kueue.workload = std::make_shared<const api::Workload>(**std::move(live));
  return {};
}

void read_flavors(const Caches::Kueue& caches, Observation::Kueue& kueue) {
  if (!kueue.workload) return;
  for (const std::string& name : kueue.workload->assigned_flavors) {
    if (auto flavor = caches.flavors.get("", name)) {
      kueue.flavors.push_back(std::move(flavor));
    } else {
      kueue.not_found = "ResourceFlavor " + name + ", which Kueue has assigned, is not there";
    }
  }
}

// Reads the priority as Kueue takes it for other jobs: its own class, else that of the pods, else the cluster's
// default.
void read_priority(const Caches::Kueue& caches, Observation& seen) {
  Observation::Kueue& kueue = seen.kueue;
  const std::string own(seen.job->meta.label(kPriorityClassLabel));
  const std::string of_pods(seen.job->spec.pod_template.priority_class_name);
  if (!own.empty()) {
    const auto found = caches.workload_priority_classes.get("", own);
    if (!found) {
      kueue.not_found =
          "label " + std::string(kPriorityClassLabel) + ": WorkloadPriorityClass " + own + " is not there";
      return;
    }
    kueue.priority = found->value;
    kueue.priority_class = api::PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass", own};
    return;
  }
  for (const auto& known : caches.priority_classes.all()) {
    if (of_pods.empty() ? !known->global_default : known->meta.name != of_pods) continue;
    kueue.priority = known->value;
    kueue.priority_class = api::PriorityClassRef{"scheduling.k8s.io", "PriorityClass", known->meta.name};
    return;
  }
  if (!of_pods.empty())
    kueue.not_found = "spec.template.spec.priorityClassName: PriorityClass " + of_pods + " is not there";
}

}  // namespace

Result<void> read_kueue(const Caches& caches, runtime::ReconcileContext& context, Observation& seen) {
  if (!caches.kueue) return {};
  const api::ResumableJob& job = *seen.job;
  seen.kueue.enabled = true;
  seen.kueue.boosts = caches.kueue->boosts;
  auto workload = caches.kueue->workloads.get(job.meta.namespace_, workload_name(job));
  if (workload && is_of_job(workload->meta, job)) seen.kueue.workload = std::move(workload);
  seen.kueue.served = !caches.kueue->workloads.absent();
  if (!seen.kueue.served) seen.kueue.workload = nullptr;
  if (auto sure = confirm_workload(context, seen); !sure) return sure;
  if (queue_name(job).empty()) return {};
  if (!seen.kueue.workload) read_priority(*caches.kueue, seen);  // for the one that is made
  read_flavors(*caches.kueue, seen.kueue);
  return {};
}

}  // namespace reprise::controllers::resumablejob
