#include "controllers/gpupool/machines/faulty_nodes.h"

#include <algorithm>

#include "controllers/common/gpu_health.h"
#include "controllers/gpupool/machines/given_back.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "runtime/base/utf8_cut.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::size_t kShown = 3;
constexpr std::size_t kLongestFault = 1024;  // the definition's bound of a fault's text
constexpr std::chrono::seconds kNextPass(1);

struct FaultyNode {
  const kube::Node* node = nullptr;
  const api::NodeClaim* claim = nullptr;  // null: none of the pool's own
  GpuFault fault;
};

std::vector<FaultyNode> faulty_nodes(const Observation& seen) {
  std::vector<FaultyNode> found;
  for (const auto& node : seen.nodes) {
    auto fault = gpu_fault(*node);
    if (!fault) continue;
    const auto claim = std::ranges::find_if(seen.node_claims, [&](const auto& each) {
      return std::string_view(each->node_name) == node->meta.name && is_own(seen, *each);
    });
    found.push_back({node.get(), claim == seen.node_claims.end() ? nullptr : claim->get(), *std::move(fault)});
  }
  std::ranges::sort(found, {}, [](const FaultyNode& each) { return std::string_view(each.node->meta.name); });
  return found;
}

std::string described(const std::vector<FaultyNode>& faulty) {
  std::string all;
  for (std::size_t i = 0; i < faulty.size() && i < kShown; ++i) all += (i == 0 ? "" : "; ") + faulty[i].fault.what;
  if (faulty.size() > kShown) all += "; and " + std::to_string(faulty.size() - kShown) + " more nodes";
  return all;
}

class Replacing {
 public:
  Replacing(const Observation& seen, std::size_t faulty, Plan& plan)
      : seen_(seen), done_(plan.status.health.replacements, seen.now), plan_(plan) {
    const std::size_t a_fifth = std::max<std::size_t>((seen.nodes.size() + 4) / 5, 1);
    if (faulty > a_fifth) {
      too_many_ =
          std::to_string(faulty) + " of " + std::to_string(seen.nodes.size()) +
          " nodes are called broken, more than a fifth, and none is given back: if the monitor is right, delete "
          "their NodeClaims";
    }
  }

  void consider(const FaultyNode& faulty) {
    // A node that has not become usable has a deadline of its own.
    if (faulty.claim == nullptr || faulty.claim->meta.deletion_timestamp || !is_initialized(*faulty.claim)) return;
    const std::string name = faulty.claim->meta.name;
    if (!too_many_.empty()) {
      held_ = too_many_;
      return;
    }
    if (is_written(*faulty.claim)) {
      plan_.actions.emplace_back(ReplaceFaultyNode{name, faulty.claim->meta.uid, faulty.node->meta.name});
      return;
    }
    // A rejected deletion is written down anew only when it is time to try again.
    const auto refused = seen_.refused_deletions.find(name);
    if (refused != seen_.refused_deletions.end()) plan_.still_refused.push_back(name);
    if (refused != seen_.refused_deletions.end() && !refused->second) return;
    if (done_.within_an_hour() >= kMostReplacementsPerHour) {
      hold_for_an_hour();
    } else {
      write_down(faulty);
    }
  }

  // Says why a node is not given back; empty: none is held.
  [[nodiscard]] const std::string& held() const { return held_; }

 private:
  [[nodiscard]] bool is_written(const api::NodeClaim& claim) const {
    return std::ranges::any_of(seen_.pool->status.health.replacements, [&](const api::NodeReplacement& each) {
      return each.node_claim == std::string_view(claim.meta.name) && is_near(each.time, seen_.now, done_.kWindow);
    });
  }

  void write_down(const FaultyNode& faulty) {
    const std::string claim = faulty.claim->meta.name;
    const std::string fault = faulty.fault.sentence();
    done_.write_down({claim, faulty.node->meta.name, seen_.now, std::string(runtime::utf8_cut(fault, kLongestFault))});
    if (!seen_.refused_deletions.contains(claim))
      plan_.announcements.push_back({true, std::string(kReplacingFaultyNode), "DeleteNodeClaim",
                                     "NodeClaim " + claim + " is given back: " + fault});
    plan_.wake_by(seen_.now + kNextPass);
  }

  void hold_for_an_hour() {
    held_ =
        std::to_string(kMostReplacementsPerHour) +
        " nodes were given back within an hour, and the next one waits: if others are no better, it is not the nodes";
    done_.wake_when_fewer(plan_);
  }

  const Observation& seen_;
  GivenBack<api::NodeReplacement> done_;
  Plan& plan_;
  std::string too_many_, held_;
};

}  // namespace

NodesHealthy plan_faulty_nodes(const Observation& seen, bool serves, Plan& plan) {
  plan.status.health.faulty_nodes = 0;
  const api::HealthPolicy policy = seen.pool->spec.health_policy;
  if (policy == api::HealthPolicy::Ignore) return {};
  const std::vector<FaultyNode> faulty = faulty_nodes(seen);
  plan.status.health.faulty_nodes = static_cast<std::int32_t>(faulty.size());
  if (faulty.empty()) return {"NoFaultReported", "no monitor calls the GPUs of a node broken", true};
  if (policy == api::HealthPolicy::Report) return {"GpuFault", described(faulty), false, true};
  if (!serves)
    return {"GpuFault", "no job could begin on another node, and none is given back: " + described(faulty), false,
            true};
  Replacing replacing(seen, faulty.size(), plan);
  for (const FaultyNode& each : faulty) replacing.consider(each);
  if (!replacing.held().empty()) return {"ReplacementHeld", replacing.held() + ": " + described(faulty), false, true};
  const bool all_go = std::ranges::all_of(faulty, [](const FaultyNode& each) { return each.claim != nullptr; });
  if (!all_go) return {"GpuFault", "not every one has a NodeClaim of this pool: " + described(faulty), false, true};
  return {"ReplacingNodes", described(faulty), false};
}

}  // namespace reprise::controllers::gpupool
