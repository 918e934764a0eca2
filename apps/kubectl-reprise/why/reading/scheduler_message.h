// Reads the scheduler's message about a pod that fits no node: "0/3 nodes are available: 1 Insufficient nvidia.com/gpu,
// ...". Private to this folder.
#pragma once

#include <string_view>
#include <vector>

namespace reprise::plugin::why {

enum class Complaint {
  ClaimUnbound,  // its storage class does not wait for a pod
  ClaimNotFound,
  ClaimDeleting,
  ClaimHeld,  // ReadWriteOncePod
  VolumeZone,
  VolumeCount,
  Affinity,  // pod affinity, and topology spread
  Selector,
  Taint,
  Cordoned,
  Insufficient,
  Other,
};

// Each complaint once, in the order of the message; the part about preemption is left out.
[[nodiscard]] std::vector<Complaint> read_complaints(std::string_view message);

}  // namespace reprise::plugin::why
