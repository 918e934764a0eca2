#include "controllers/gpupool/node_pools/overlays.h"

#include <algorithm>

#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

// Karpenter judges an overlay within seconds of its creation.
constexpr std::chrono::seconds kValidationTime(60);

constexpr std::string_view kHowToTurnOn =
    "start Karpenter with FEATURE_GATES=NodeOverlay=true (Helm: settings.featureGates.nodeOverlay=true)";

OverlayVerdict not_served(const api::GpuPool& pool) {
  return {.state = OverlayState::NotServed,
          .message =
              "spec.sharing: the cluster does not serve nodeoverlays.karpenter.sh (v1alpha1), so Karpenter cannot "
              "know that nodes of this pool offer " +
              sharing_of(pool.spec.sharing).resource_name + "; install Karpenter's NodeOverlay CRD and " +
              std::string(kHowToTurnOn) + ", or write sharing.mode Exclusive"};
}

// Says what stands in the way of one overlay.
OverlayVerdict judge(const Observation& seen, const api::NodeOverlay& overlay) {
  const std::string name = "NodeOverlay " + overlay.meta.name;
  if (!owned_by(overlay.meta, *seen.pool)) {
    return {.state = OverlayState::NotOwned,
            .message = name + " exists and is not this pool's; rename the GpuPool or remove it"};
  }
  const kube::PodCondition* rejected = nullptr;
  bool valid = false;
  for (const std::string_view type : {"ValidationSucceeded", "Ready"}) {
    const kube::PodCondition* condition = overlay.condition(type);
    if (condition == nullptr) continue;
    if (condition->status == "True") valid = true;
    if (condition->status == "False" && rejected == nullptr) rejected = condition;
  }
  if (rejected != nullptr) {
    return {.state = OverlayState::Rejected,
            .message = "Karpenter does not use " + name + ": " + std::string(rejected->reason) + ": " +
                       std::string(rejected->message)};
  }
  if (valid) return {};
  const kube::Time late = overlay.meta.creation_timestamp + kValidationTime;
  if (seen.now < late) {
    return {.state = OverlayState::Unjudged, .message = name + " waits for Karpenter to judge it", .wake_at = late};
  }
  return {.state = OverlayState::Ignored,
          .message = "Karpenter has not looked at " + name +
                     ", which says how many slices a node has; its feature gate "
                     "NodeOverlay is off: " +
                     std::string(kHowToTurnOn)};
}

}  // namespace

std::string_view reason_of(OverlayState state) {
  switch (state) {
    case OverlayState::InUse:
      return {};
    case OverlayState::Missing:
    case OverlayState::Unjudged:
      return "Writing";
    case OverlayState::NotServed:
      return "NodeOverlayNotServed";
    case OverlayState::NotOwned:
      return "NodeOverlayNotOwned";
    case OverlayState::Rejected:
      return "NodeOverlayNotReady";
    case OverlayState::Ignored:
      return "NodeOverlayIgnored";
    case OverlayState::NoInstanceType:
      return "NoInstanceType";
  }
  return {};
}

bool needs_person(OverlayState state) {
  switch (state) {
    case OverlayState::InUse:
    case OverlayState::Missing:
    case OverlayState::Unjudged:
      return false;
    case OverlayState::NotServed:
    case OverlayState::NotOwned:
    case OverlayState::Rejected:
    case OverlayState::Ignored:
    case OverlayState::NoInstanceType:
      return true;
  }
  return true;
}

bool owned_by(const kube::ObjectMeta& meta, const api::GpuPool& pool) {
  const kube::OwnerReference* owner = meta.controller();
  return owner != nullptr && owner->uid == pool.meta.uid;
}

OverlayVerdict judge_overlays(const Observation& seen, const std::vector<api::NodeOverlay>& wanted) {
  // Nodes that nobody has to make need no overlay.
  if (seen.pool->spec.existing_nodes || !sharing_of(seen.pool->spec.sharing).needs_overlay) return {};
  if (!seen.overlays_served) return not_served(*seen.pool);
  if (wanted.empty()) {
    return {.state = OverlayState::NoInstanceType,
            .message =
                "spec.gpu: no instance type that this version knows fits, so Karpenter cannot be told how many "
                "slices a node has; see spec.gpu and spec.instanceTypes"};
  }
  OverlayVerdict worst;
  for (const api::NodeOverlay& overlay : wanted) {
    const auto found =
        std::ranges::find_if(seen.overlays, [&](const auto& each) { return each->meta.name == overlay.meta.name; });
    OverlayVerdict verdict = found == seen.overlays.end() ? OverlayVerdict{.state = OverlayState::Missing,
                                                                           .message = "NodeOverlays are being written"}
                                                          : judge(seen, **found);
    if (needs_person(verdict.state)) return verdict;
    if (verdict.state != OverlayState::InUse) worst = std::move(verdict);
  }
  return worst;
}

}  // namespace reprise::controllers::gpupool
