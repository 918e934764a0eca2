// What can never be rented, by numbers: what Karpenter says of a pod it says late, and of other pools as well.
#include <algorithm>

#include "api/labels.h"
#include "api/resumable_job.h"
#include "apps/kubectl-reprise/why/phases/phases.h"
#include "controllers/gpupool/rentable/gang_of_job.h"
#include "controllers/gpupool/rentable/selectors.h"

namespace reprise::plugin::why {
namespace {

namespace rentable = controllers::rentable;

Cause cause_of_lack(rentable::Lack lack) {
  switch (lack) {
    case rentable::Lack::InstanceType:
      return Cause::NoInstanceType;
    case rentable::Lack::Limit:
      return Cause::LimitBelowOneNode;
    case rentable::Lack::Cost:
      return Cause::CostLimitBelowOneNode;
  }
  return Cause::NoInstanceType;
}

bool is_met_by_a_node(const Inquiry& inquiry, const std::string& label) {
  return std::ranges::any_of(inquiry.seen.nodes, [&](const Node& node) {
    return node.meta.label(api::kPoolLabel) == pool_name(inquiry) && !node.meta.label(label).empty();
  });
}

// Of a pod that waits for a machine; one that is there may bear what a new one does not.
std::optional<Finding> why_no_machine_is_made(const Inquiry& inquiry, const Pod& pod) {
  const Pool& pool = *inquiry.seen.pool;
  if (!inquiry.seen.job->whole) return std::nullopt;
  const auto misfits = rentable::selector_misfits(pool.meta.name, pool.whole->spec,
                                                  rentable::gang_of(*inquiry.seen.job->whole, *pool.whole).demands);
  if (misfits.empty() || (misfits.front().comes_later && is_met_by_a_node(inquiry, misfits.front().key)))
    return std::nullopt;
  return Finding{.cause = Cause::NodeSelectorMatchesNone,
                 .object = ref("Pod", pod.meta),
                 .found = misfits.front().misfit.text(),
                 .to_do = {"correct nodeSelector and affinity in spec.template, or " + edit_pool(inquiry)}};
}

void look_at_pool_s_numbers(Inquiry& inquiry) {
  const Pool& pool = *inquiry.seen.pool;
  if (const auto misfit = rentable::pool_misfit(pool.whole->spec))
    inquiry.found({.cause = cause_of_lack(misfit->lack),
                   .object = ref("GpuPool", pool.meta),
                   .found = misfit->misfit.text(),
                   .to_do = {edit_pool(inquiry)}});
}

}  // namespace

void look_at_arithmetic(Inquiry& inquiry) {
  if (!inquiry.seen.pool) return;
  const Pod* pod = pod_without_node(inquiry);
  if (inquiry.seen.job && pod == nullptr && !ranks_of_attempt(inquiry).empty()) return;
  // What keeps the pool itself from going on comes before what Karpenter says of the pod, and before the limits of
  // NodePools, which the operator lowers then. A machine that is to come says more than its pool.
  if (!coming_node_claims(inquiry).empty()) return;
  if (inquiry.seen.job)
    if (const Condition* said = why_pool_rents_nothing(inquiry)) return say_of_pool(inquiry, *said);
  if (!inquiry.seen.pool->whole) return;
  look_at_pool_s_numbers(inquiry);
  if (inquiry.over() || !inquiry.seen.job || !inquiry.seen.job->whole) return;
  if (const auto misfit = rentable::job_misfit(*inquiry.seen.job->whole, *inquiry.seen.pool->whole))
    return inquiry.found({.cause = Cause::NeverFits,
                          .object = inquiry.seen.subject,
                          .found = misfit->text(),
                          .to_do = {edit_pool(inquiry)}});
  if (pod == nullptr) return;
  if (auto finding = why_no_machine_is_made(inquiry, *pod)) inquiry.found(*std::move(finding));
}

}  // namespace reprise::plugin::why
