// A pool with a limit of cost, for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/limits/cost_limit.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool::testing {

using api::CapacityType;

// Spot, then on demand; a GPU costs 1.00 at the most, 0.40 as spot.
class Rented {
 public:
  explicit Rented(std::string most, std::vector<api::PoolCapacity> capacity = {{.type = CapacityType::Spot},
                                                                               {.type = CapacityType::OnDemand}}) {
    seen_.pool = controllers::testing::MakePool("t4")
                     .with([&](auto& pool) {
                       pool.spec.instance_types = {"g4dn.xlarge"};
                       pool.spec.prices = {{"g4dn.xlarge", CapacityType::Spot, "", "0.40"},
                                           {"g4dn.xlarge", CapacityType::OnDemand, "", "1.00"},
                                           {"g4dn.2xlarge", CapacityType::Spot, "", "0.10"}};
                       pool.spec.max_cost_per_hour = std::move(most);
                       pool.spec.capacity = std::move(capacity);
                     })
                     .get();
    for (const char* name : {"t4-spot", "t4-on-demand"})
      seen_.node_pools[name] = controllers::testing::make_node_pool(name);
    seen_.now = controllers::testing::kStart;
  }

  Rented& with_machine(std::string_view type, auto&& change, std::string instance_type = "g4dn.xlarge") {
    const std::string name = "m" + std::to_string(seen_.node_claims.size());
    seen_.node_claims.push_back(
        controllers::testing::MakeNodeClaim(name, name)
            .with([&](api::NodeClaim& claim) {
              claim.meta.labels["karpenter.sh/nodepool"] = "t4-" + std::string(type);
              claim.meta.labels["karpenter.sh/capacity-type"] = type;
              claim.meta.labels["node.kubernetes.io/instance-type"] = instance_type;
              claim.capacity = {{"nvidia.com/gpu", "1"}};
              claim.conditions = {{"Launched", "True", "", ""}, {"Initialized", "True", "", ""}};
              change(claim);
            })
            .get());
    return *this;
  }
  Rented& with_machines(int number, std::string_view type, std::string instance_type = "g4dn.xlarge") {
    for (int i = 0; i < number; ++i)
      with_machine(
          type, [](auto&) {}, instance_type);
    return *this;
  }
  Rented& with_waiting(std::string capacity, std::string gpus, auto&& change) {
    auto pod = std::make_shared<kube::Pod>();
    pod->meta.name = "p" + std::to_string(seen_.waiting.size());
    pod->meta.uid = "uid-" + std::string(pod->meta.name);
    pod->phase = kube::PodPhase::Pending;
    pod->resource_requests = {{"nvidia.com/gpu", gpus}};
    pod->node_selector = {{"reprise.dev/pool", "t4"}};
    if (!capacity.empty()) pod->node_selector["karpenter.sh/capacity-type"] = capacity;
    change(*pod);
    seen_.waiting.push_back(std::move(pod));
    return *this;
  }
  Rented& with_waiting(std::string capacity, std::string gpus = "1") {
    return with_waiting(std::move(capacity), std::move(gpus), [](auto&) {});
  }
  // The pods so far that take any capacity have had no answer for this time.
  Rented& unanswered_for(std::chrono::seconds time) {
    for (const auto& pod : seen_.waiting)
      if (!capacity_asked_for(*pod)) seen_.unanswered[pod->meta.uid] = time;
    return *this;
  }

  // The limits of the NodePools in order; "-": none.
  [[nodiscard]] std::vector<std::string> limits() const {
    auto node_pools = desired_node_pools(*seen_.pool).value();
    static_cast<void>(limit_cost(seen_, node_pools));
    std::vector<std::string> found;
    for (const api::NodePool& each : node_pools) {
      const auto limit = each.spec.limits.find("nvidia.com/gpu");
      found.emplace_back(limit == each.spec.limits.end() ? "-" : std::string_view(limit->second));
    }
    return found;
  }
  [[nodiscard]] std::string reached() const {
    auto node_pools = desired_node_pools(*seen_.pool).value();
    return limit_cost(seen_, node_pools).reached;
  }

  Observation seen_;
};

inline void keeps_a_gpu_ready(kube::Pod& pod) {
  pod.meta.labels = {{"reprise.dev/warm", "t4"}};
  kube::OwnerReference pool;
  pool.kind = "GpuPool";
  pool.controller = true;
  pod.meta.owner_references = {pool};
}

}  // namespace reprise::controllers::gpupool::testing
