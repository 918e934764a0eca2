// A pool whose machines come and may never become useful, pass after pass, for tests: Karpenter is played by the test.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool::testing {

// Spot, then on demand, of machines of four GPUs that cost 1.20 and 3.60 per hour.
class FailingPool {
 public:
  FailingPool() : FailingPool([](api::GpuPool&) {}) {}
  explicit FailingPool(auto&& change) {
    seen_.pool = controllers::testing::MakePool("t4")
                     .with([](api::GpuPool& pool) {
                       pool.spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = 16});
                       pool.spec.instance_types = {"g4dn.12xlarge"};
                       pool.spec.prices = {{"g4dn.12xlarge", api::CapacityType::Spot, "", "1.20"},
                                           {"g4dn.12xlarge", api::CapacityType::OnDemand, "", "3.60"}};
                       pool.spec.initialization_deadline_seconds = 600;
                     })
                     .with(change)
                     .get();
    seen_.now = controllers::testing::kStart;
    pass();
  }

  // Carries out what one look at the pool plans. NodeClaims only begin to be deleted.
  Plan pass() {
    Plan plan = decide(seen_);
    auto pool = std::make_shared<api::GpuPool>(*seen_.pool);
    pool->status = plan.status;
    seen_.pool = std::move(pool);
    for (const Action& action : plan.actions) carry_out(action);
    return plan;
  }
  FailingPool& after(std::chrono::seconds time) {
    seen_.now += time;
    return *this;
  }
  // The pass of a moment later, when nothing new has come of it.
  Plan pass_after(std::chrono::seconds time) { return after(time).pass(); }

  // The cloud launches a machine; nothing is to be seen of it in the cluster.
  FailingPool& launch(const std::string& name, std::string_view type = "spot") {
    claims_[name] = *controllers::testing::MakeNodeClaim(name, "")
                         .with([&](api::NodeClaim& claim) {
                           claim.meta.creation_timestamp = seen_.now;
                           claim.meta.labels["karpenter.sh/nodepool"] = "t4-" + std::string(type);
                           claim.meta.labels["karpenter.sh/capacity-type"] = type;
                           claim.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.12xlarge";
                           claim.capacity = {{"nvidia.com/gpu", "4"}};
                           claim.conditions = {{"Launched", "True", "Launched", ""},
                                               {"Registered", "Unknown", "NodeNotFound", "Node not registered"},
                                               {"Initialized", "Unknown", "NodeNotFound", "Node not registered"}};
                         })
                         .get();
    return show();
  }
  // The machine's Node is there, and shows no GPU.
  FailingPool& registers(const std::string& name) {
    api::NodeClaim& claim = claims_.at(name);
    claim.node_name = "node-" + name;
    claim.conditions = {{"Launched", "True", "Launched", ""},
                        {"Registered", "True", "Registered", ""},
                        {"Initialized", "Unknown", "ResourceNotRegistered",
                         "Resource \"nvidia.com/gpu\" was requested but not registered"}};
    return show();
  }
  FailingPool& becomes_useful(const std::string& name) {
    api::NodeClaim& claim = claims_.at(name);
    claim.node_name = "node-" + name;
    claim.conditions = {{"Launched", "True", "", ""}, {"Registered", "True", "", ""}, {"Initialized", "True", "", ""}};
    return show();
  }
  // Karpenter's timeout, a person, a spot interruption.
  FailingPool& is_deleted(const std::string& name) {
    claims_.at(name).meta.deletion_timestamp = seen_.now;
    return show();
  }
  FailingPool& is_gone(const std::string& name) {
    claims_.erase(name);
    return show();
  }
  // One more machine fails: it is launched, and ended by its deadline.
  Plan fails(const std::string& name, std::string_view type = "spot") {
    launch(name, type).pass();
    Plan plan = pass_after(std::chrono::seconds(seen_.pool->spec.initialization_deadline_seconds));
    is_gone(name).pass();
    return plan;
  }

  [[nodiscard]] std::string limit(std::string_view resource = "nvidia.com/gpu",
                                  const std::string& type = "spot") const {
    const kube::StringMap& limits = seen_.node_pools.at("t4-" + type)->spec.limits;
    const auto found = limits.find(resource);
    return found == limits.end() ? "-" : std::string(std::string_view(found->second));
  }
  [[nodiscard]] std::string state(std::string_view type) const {
    const kube::Condition* found = find_condition(seen_.pool->status.conditions, type);
    if (found == nullptr) return "absent";
    return std::string(found->status == kube::ConditionStatus::True ? "True/" : "False/") + std::string(found->reason);
  }
  [[nodiscard]] std::string message(std::string_view type) const {
    const kube::Condition* found = find_condition(seen_.pool->status.conditions, type);
    return found == nullptr ? "" : std::string(found->message);
  }
  void edit(auto&& change) {
    auto pool = std::make_shared<api::GpuPool>(*seen_.pool);
    change(*pool);
    seen_.pool = std::move(pool);
  }

  Observation seen_;

 private:
  FailingPool& show() {
    seen_.node_claims.clear();
    for (const auto& [name, claim] : claims_) seen_.node_claims.push_back(std::make_shared<api::NodeClaim>(claim));
    return *this;
  }
  void carry_out(const Action& action) {
    const api::NodePool* written = nullptr;
    if (const auto* create = std::get_if<CreateNodePool>(&action)) written = &create->wanted;
    if (const auto* update = std::get_if<UpdateNodePool>(&action)) written = &update->wanted;
    if (written != nullptr) {
      auto made = std::make_shared<api::NodePool>(*written);
      made->conditions = {{"Ready", "True", "", ""}};
      seen_.node_pools[made->meta.name] = std::move(made);
    }
    if (const auto* gone = std::get_if<DeleteNodePool>(&action)) seen_.node_pools.erase(gone->name);
    if (const auto* stuck = std::get_if<DeleteStuckNodeClaim>(&action)) is_deleted(stuck->name);
  }

  std::map<std::string, api::NodeClaim> claims_;
};

[[nodiscard]] inline std::vector<std::string> reasons(const Plan& plan) {
  std::vector<std::string> all;
  for (const Announcement& each : plan.announcements) all.push_back(each.reason);
  return all;
}

// The first NodePool's row; an empty one where none has failed.
[[nodiscard]] inline const api::NodePoolBackOff& row(const FailingPool& pool) {
  static const api::NodePoolBackOff none;
  const std::vector<api::NodePoolBackOff>& rows = pool.seen_.pool->status.startup.back_off;
  return rows.empty() ? none : rows.front();
}

}  // namespace reprise::controllers::gpupool::testing
