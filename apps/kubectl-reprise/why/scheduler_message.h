// What the scheduler says of a pod that fits no node: "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, ...".
// Private to this folder.
#pragma once

#include <string_view>
#include <vector>

namespace reprise::plugin::why {

enum class Complaint {
  ClaimUnbound,  // of a class that does not wait for a pod
  ClaimNotFound,
  ClaimDeleting,
  ClaimHeld,  // ReadWriteOncePod
  VolumeZone,
  VolumeCount,
  Affinity,  // of pods, and topology spread
  Selector,
  Taint,
  Cordoned,
  Insufficient,
  Other,
};

// Each once, in the order of the message; without what it says of preemption.
[[nodiscard]] std::vector<Complaint> read_complaints(std::string_view message);

}  // namespace reprise::plugin::why
