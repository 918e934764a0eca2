// Checks that the operator runs and has seen the object as it is now.
#include <fmt/format.h>

#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {
namespace {

bool is_fresh(const OperatorLease& lease, kube::Time now) {
  if (lease.holder.empty() || !lease.renewed) return false;
  return now - *lease.renewed <= 3 * kube::bounded_seconds(std::max<std::int64_t>(lease.duration_seconds, 1));
}

std::string logs_of(const OperatorDeployment& deployment) {
  return "kubectl logs deployment/" + deployment.meta.name + " -n " + deployment.meta.namespace_;
}

// Reports why nobody leads; false when the reason cannot be seen.
bool nobody_leads(Inquiry& inquiry) {
  const Objects& seen = inquiry.seen;
  const ObjectRef unnamed{.kind = "Deployment", .namespace_ = {}, .name = "reprise"};
  const auto ready = std::ranges::find_if(seen.deployments, [](const auto& d) { return d.ready > 0; });
  if (ready != seen.deployments.end()) {
    if (!seen.saw("Lease")) return false;
    const std::string lease = seen.leases.empty() ? "there is no Lease reprise-operator"
                              : seen.leases.front().renewed
                                  ? "the Lease was last renewed at " + kube::format_time(*seen.leases.front().renewed)
                                  : "nobody holds the Lease";
    inquiry.found({.cause = Cause::OperatorNotLeading,
                   .object = ref("Deployment", ready->meta),
                   .found = fmt::format("{} of {} pods are ready, but {}", ready->ready, ready->wanted, lease),
                   .to_do = {logs_of(*ready)}});
    return true;
  }
  if (!seen.deployments.empty()) {
    const OperatorDeployment& deployment = seen.deployments.front();
    const std::string in = " -n " + deployment.meta.namespace_;
    inquiry.found(
        {.cause = Cause::OperatorNotReady,
         .object = ref("Deployment", deployment.meta),
         .found = fmt::format("0 of {} pods are ready", deployment.wanted),
         .to_do = {deployment.wanted == 0 ? "kubectl scale deployment/" + deployment.meta.name + in + " --replicas=2"
                                          : "kubectl describe pods -l app.kubernetes.io/name=reprise" + in,
                   logs_of(deployment)}});
    return true;
  }
  if (!seen.saw("Deployment")) return false;
  inquiry.found({.cause = Cause::OperatorNotInstalled,
                 .object = unnamed,
                 .found = "no Deployment with the label app.kubernetes.io/name=reprise",
                 .to_do = {"helm install reprise charts/reprise --namespace reprise-system --create-namespace"}});
  return true;
}

void look_at_lead(Inquiry& inquiry) {
  const Objects& seen = inquiry.seen;
  const auto fresh =
      std::ranges::find_if(seen.leases, [&](const OperatorLease& lease) { return is_fresh(lease, inquiry.now); });
  if (fresh != seen.leases.end()) return inquiry.ok(ref("Lease", fresh->meta), fresh->holder + " leads");
  if (nobody_leads(inquiry)) return;
  for (const Unseen& unseen : seen.unseen) {
    if (unseen.kind == "Lease" || unseen.kind == "Deployment") inquiry.unseen(unseen.kind, unseen.why);
  }
}

void look_at_generation(Inquiry& inquiry, const Meta& meta, std::int64_t observed) {
  if (observed >= meta.generation || meta.deleted) return;
  const bool never = observed < 0;
  const bool long_ago = inquiry.since(meta.created) > std::chrono::minutes(1);
  inquiry.found({.cause = never && long_ago ? Cause::NotReconciled : Cause::StatusBehind,
                 .object = inquiry.seen.subject,
                 .found = never ? "the object has no status yet"
                                : fmt::format("status.observedGeneration is {}, metadata.generation {}", observed,
                                              meta.generation),
                 .to_do = {"kubectl logs -n reprise-system -l app.kubernetes.io/name=reprise --tail=50"}});
}

bool is_finished(const Job& job) {
  return with_status(job.conditions, "Complete", "True") != nullptr ||
         with_status(job.conditions, "Failed", "True") != nullptr;
}

}  // namespace

void look_at_operator(Inquiry& inquiry) {
  const Objects& seen = inquiry.seen;
  // A finished job needs no operator.
  if (seen.job && is_finished(*seen.job)) return;
  look_at_lead(inquiry);
  if (inquiry.over()) return;
  if (seen.job) return look_at_generation(inquiry, seen.job->meta, seen.job->observed_generation);
  if (seen.pool) look_at_generation(inquiry, seen.pool->meta, seen.pool->observed_generation);
}

}  // namespace reprise::plugin::why
