// Tells whether Karpenter knows how many slices a node of the pool will offer. Karpenter learns that from NodeOverlays
// alone: an optional kind behind a feature gate of Karpenter's. Where they do not work it starts no node for a sliced
// GPU, or too many, so a pool must not look ready.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

enum class OverlayState {
  InUse,     // or none is needed
  Missing,   // being written
  Unjudged,  // Karpenter has not looked at it yet
  // a person has to help:
  NotServed,
  NotOwned,
  Rejected,
  Ignored,
  NoInstanceType,
};
// The reason for conditions; empty for InUse.
[[nodiscard]] std::string_view reason_of(OverlayState state);
// True when only a person can help. Other states come right by themselves.
[[nodiscard]] bool needs_person(OverlayState state);

struct OverlayVerdict {
  OverlayState state = OverlayState::InUse;
  std::string message = {};
  std::optional<kube::Time> wake_at = {};  // when to look again at the latest
};

// `wanted`: what desired_overlays() says.
[[nodiscard]] OverlayVerdict judge_overlays(const Observation& seen, const std::vector<api::NodeOverlay>& wanted);

// True when the pool may change the object: its controlling owner is the pool.
[[nodiscard]] bool owned_by(const kube::ObjectMeta& meta, const api::GpuPool& pool);

}  // namespace reprise::controllers::gpupool
