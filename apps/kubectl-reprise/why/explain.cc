#include "apps/kubectl-reprise/why/explain.h"

#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {
namespace {

using Phase = void (*)(Inquiry&);
constexpr Phase kPhasesOfJob[] = {look_at_operator,   look_at_job,        look_at_running_job, look_at_pods,
                                  look_at_volumes,    look_at_arithmetic, look_at_scheduler,   look_at_node_claims,
                                  look_at_node_pools, look_at_pool,       look_at_quotas,      look_for_silence,
                                  look_at_node_health};
constexpr Phase kPhasesOfPool[] = {look_at_operator,   look_at_pool,        look_at_arithmetic,
                                   look_at_node_pools, look_at_node_claims, look_at_node_health};

}  // namespace

Explanation explain(const Objects& objects, kube::Time now) {
  Inquiry inquiry(objects, now);
  const auto run = [&](const auto& phases) {
    for (const Phase phase : phases) {
      if (!inquiry.over()) phase(inquiry);
    }
  };
  if (objects.job) {
    run(kPhasesOfJob);
  } else {
    run(kPhasesOfPool);
  }
  return std::move(inquiry).explanation();
}

}  // namespace reprise::plugin::why
