// The kinds that the API server serves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::simulator {

// A small number that stands for a kind in one ApiServer.
struct ResourceId {
  std::uint16_t index = 0;
  friend bool operator==(const ResourceId&, const ResourceId&) = default;
  friend auto operator<=>(const ResourceId&, const ResourceId&) = default;
};

struct ResourceType {
  std::string group;  // "" for core
  std::string version, plural, kind;
  bool namespaced = false;
  bool status_subresource =
      false;                // status is written through /status only; then metadata.generation counts spec changes
  bool generation = false;  // the server counts metadata.generation
  bool graceful_deletion = false;  // pods: a bound one stays with a deletionTimestamp until its kubelet removes it

  [[nodiscard]] std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};

// The kinds of Kubernetes itself (pods, nodes, events, leases ...) and Karpenter's, whose CRDs are not the project's.
[[nodiscard]] std::vector<ResourceType> built_in_resources();

}  // namespace reprise::simulator
