// The pods of the attempt under way, by their kubelets' reports.
#include <fmt/format.h>

#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/phases/pod_findings.h"

namespace reprise::plugin::why {
namespace {

bool is_ready(const Pod& pod) {
  return with_status(pod.conditions, "Ready", "True") != nullptr && !pod.meta.deleted;
}

// Skips a pod that is as it should be, or waits for a node: the scheduler phase looks at that.
void look_at(Inquiry& inquiry, const Pod& pod) {
  using Look = std::optional<Finding> (*)(const Inquiry&, const Pod&);
  constexpr Look looks[] = {why_pod_failed, why_pod_does_not_end, why_its_gpu_is_held, why_pod_does_not_start};
  for (const Look look : looks) {
    if (auto finding = look(inquiry, pod)) {
      return inquiry.found(*std::move(finding));
    }
  }
}

}  // namespace

void look_at_pods(Inquiry& inquiry) {
  const std::vector<const Pod*> ranks = ranks_of_attempt(inquiry);
  const Job& job = *inquiry.seen.job;
  const Condition* waits = with_status(job.conditions, "PodsReady", "False");
  if (ranks.empty()) {
    // Between two attempts no pods are expected, and the reason has been said.
    if (waits == nullptr || waits->reason == "WaitForRecovery" || waits->reason == "PoolNotReady") return;
    return inquiry.found({.cause = Cause::PodsNotMade,
                          .object = inquiry.seen.subject,
                          .found = waits->message,
                          .to_do = {describe(inquiry.seen.subject)}});
  }
  std::size_t ready = 0;
  for (const Pod* pod : ranks) {
    if (is_ready(*pod)) {
      ++ready;
      continue;
    }
    look_at(inquiry, *pod);
    if (inquiry.over()) return;
  }
  inquiry.ok({.kind = "Pods", .namespace_ = {}, .name = "of attempt " + std::to_string(job.attempt)},
             fmt::format("{} of {} are ready", ready, job.ranks));
}

}  // namespace reprise::plugin::why
