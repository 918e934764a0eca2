#include "controllers/gpupool/machines/drifted_nodes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/rolling_held.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::size_t kNamedAtMost = 3;

// Leaves out nodes that are going already. Unused ones come first.
std::vector<NodeToRoll> drifted_nodes(const Observation& seen) {
  std::vector<NodeToRoll> found;
  const NodeUsers users(seen);
  for (const auto& claim : seen.node_claims) {
    if (!has_drifted(*claim) || !is_in_service(seen, *claim)) continue;
    found.push_back({.claim = claim.get(),
                     .may_go = may_go(seen, users, *claim),
                     .why = "it has drifted (" + std::string(claim->condition("Drifted")->reason) + ")",
                     .event = kRollingDriftedNode});
  }
  std::ranges::sort(found, {}, [](const NodeToRoll& each) {
    return std::pair(each.may_go.is_used, std::string_view(each.claim->meta.name));
  });
  return found;
}

std::string explained(const std::vector<NodeToRoll>& nodes) {
  std::string all;
  for (std::size_t i = 0; i < nodes.size() && i < kNamedAtMost; ++i)
    all += (i == 0 ? "node " : "; node ") + std::string(nodes[i].claim->node_name) + ": " + nodes[i].may_go.why;
  if (nodes.size() > kNamedAtMost) all += "; and " + std::to_string(nodes.size() - kNamedAtMost) + " more nodes";
  return all;
}

}  // namespace

bool has_drifted(const api::NodeClaim& claim) {
  const kube::PodCondition* drifted = claim.condition("Drifted");
  return drifted != nullptr && drifted->status == "True";
}

bool has_any_drifted(const std::vector<std::shared_ptr<const api::NodeClaim>>& claims) {
  return std::ranges::any_of(claims, [](const auto& claim) { return has_drifted(*claim); });
}

NodesUpToDate plan_drifted_nodes(const Observation& seen, const Settings& settings, bool serves, Plan& plan) {
  plan.status.drift.drifted_nodes = static_cast<std::int32_t>(std::ranges::count_if(
      seen.node_claims, [&](const auto& each) { return has_drifted(*each) && is_own(seen, *each); }));
  if (seen.pool->spec.existing_nodes) return {};
  if (plan.status.drift.drifted_nodes == 0)
    return {"NoDriftSeen", "Karpenter calls no node of this pool drifted", true};
  if (std::string held = why_nothing_is_rolled(seen, settings); !held.empty())
    return {kRollingHeld, std::move(held), false};
  const std::vector<NodeToRoll> nodes = drifted_nodes(seen);
  for (const NodeToRoll& each : nodes) {
    if (each.may_go.look_again) plan.wake_by(*each.may_go.look_again);
  }
  for (const NodeToRoll& each : nodes) {
    if (is_refused(seen, each)) return retry_refused(seen, serves, {each}, plan);
  }
  const auto with = [&](MayGo::Answer answer) {
    std::vector<NodeToRoll> some;
    std::ranges::copy_if(nodes, std::back_inserter(some),
                         [&](const NodeToRoll& each) { return each.may_go.answer == answer; });
    return some;
  };
  if (auto now = with(MayGo::Answer::Now); !now.empty()) {
    const bool is_used = now.front().may_go.is_used;
    std::erase_if(now, [&](const NodeToRoll& each) { return each.may_go.is_used != is_used; });
    std::string held = why_rolling_is_held(seen, serves, is_used, plan);
    if (!held.empty()) return {kRollingHeld, std::move(held), false};
    std::vector<NodesToRoll> one_by_one;
    for (NodeToRoll& each : now) one_by_one.push_back({std::move(each)});
    return roll(seen, one_by_one, plan);
  }
  if (const auto waiting = with(MayGo::Answer::AtCheckpoint); !waiting.empty())
    return {kWaitingForCheckpoint, explained(waiting), false, true};
  if (const auto kept = with(MayGo::Answer::Kept); !kept.empty()) return {kRollingHeld, explained(kept), false};
  return {"RollingNode", "each node that has drifted is going, or has not become usable yet", false};
}

}  // namespace reprise::controllers::gpupool
