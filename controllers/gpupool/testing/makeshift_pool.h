// A pool with a node that it rented on demand for want of spot, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "controllers/gpupool/testing/drifting_pool.h"

namespace reprise::controllers::gpupool::testing {

// Spot, then on demand, 0.2104 and 0.526 per hour; one job that has just saved, on the one node, rented on demand at
// kStart.
class Makeshift : public Drifting {
 public:
  explicit Makeshift(api::FallbackPolicy policy = api::FallbackPolicy::ReturnAtCheckpoint)
      : Drifting(0, [&](api::GpuPool& pool) {
          pool.spec.capacity = {{.type = api::CapacityType::Spot}, {.type = api::CapacityType::OnDemand}};
          pool.spec.fallback_policy = policy;
        }) {
    rent("on-demand", controllers::testing::kStart);
    runs(training_job("fit", controllers::testing::kStart));
  }

  void rent(const std::string& capacity, kube::Time came) {
    add_node(false);
    change_claim(seen_.node_claims.size() - 1, [&](api::NodeClaim& claim) {
      claim.meta.creation_timestamp = came;
      claim.meta.labels["karpenter.sh/nodepool"] = "t4-" + capacity;
      claim.meta.labels["karpenter.sh/capacity-type"] = capacity;
      claim.capacity = {{"nvidia.com/gpu", "1"}};
    });
    change_node(seen_.nodes.size() - 1, [&](kube::Node& node) {
      node.meta.labels["karpenter.sh/capacity-type"] = capacity;
      node.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.xlarge";
      node.capacity = node.allocatable = {{"nvidia.com/gpu", "1"}};
    });
  }

  Makeshift& saved_after(std::chrono::seconds time) {
    seen_.now += time;
    change_job("fit", [&](auto& job) { job.status.progress->checkpoint->time = seen_.now; });
    return *this;
  }
  // The job reports a checkpoint now. Returns what is given back by a pass that writes it down and the next one.
  std::vector<std::string> given_back() {
    saved_after(std::chrono::seconds(0));
    std::vector<std::string> names = look();
    announced_ = plan_.announcements;
    seen_.now += std::chrono::seconds(1);
    for (std::string& name : look()) names.push_back(std::move(name));
    return names;
  }
  // The change comes to nothing: on demand again, five minutes later, and the job trains there.
  void fails() {
    seen_.now += std::chrono::minutes(5);
    seen_.pods.clear();
    seen_.nodes.clear();
    seen_.node_claims.clear();
    rent("on-demand", seen_.now);
    runs(training_job("fit", seen_.now), seen_.nodes.front()->meta.name);
    change_job("fit", [&](auto& job) {
      job.status.attempt_start_time = seen_.now;
      job.status.last_planned_time = seen_.now - std::chrono::minutes(5);
    });
  }
};

}  // namespace reprise::controllers::gpupool::testing
