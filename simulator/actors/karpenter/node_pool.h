// Karpenter's NodePool and NodeClaim as its own controllers read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/actors/karpenter/cloud.h"
#include "simulator/actors/support/pod_writes.h"

namespace reprise::simulator {

struct Budget {
  std::string nodes;                 // "0", "10%"
  std::vector<std::string> reasons;  // empty: all
};

struct NodePoolFacts {
  ObjectPtr object;
  std::string name, uid, hash;
  std::int64_t weight = 0;
  Resources limits;
  std::optional<Duration> consolidate_after;  // empty: Never
  std::vector<Budget> budgets;
  Labels labels;  // the template's, with karpenter.sh/nodepool
  Taints taints, startup_taints;
  Requirements requirements;
  std::optional<Duration> termination_grace;
  bool deleting = false;
};

[[nodiscard]] NodePoolFacts read_node_pool(const ObjectPtr& object);
// The pools not being deleted, the heaviest first, then by name.
[[nodiscard]] std::vector<NodePoolFacts> node_pools(const World& world);
// Go's durations: "300s", "1h30m"; empty for "Never".
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
// How many nodes of `total` may be disrupted at once for that reason; budgets' schedules are not looked at.
[[nodiscard]] int allowed_disruptions(const NodePoolFacts& pool, std::string_view reason, int total);

// The labels that a machine of that offering will carry in that pool.
[[nodiscard]] Labels labels_of(const NodePoolFacts& pool, const Offering& offering);
// satisfies() of those labels, without making them: most offerings are looked at only to be left out.
[[nodiscard]] bool satisfies(const Requirements& requirements, const NodePoolFacts& pool, const Offering& offering);
// The capacity that Karpenter believes it to offer: the type's own, its GPUs, and the changes by NodeOverlays.
[[nodiscard]] Resources believed_capacity(const World& world, const NodePoolFacts& pool, const Offering& offering);

constexpr std::string_view kNodePoolLabel = "karpenter.sh/nodepool";
constexpr std::string_view kCapacityTypeLabel = "karpenter.sh/capacity-type";
constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::string_view kTypeLabel = "node.kubernetes.io/instance-type";
constexpr std::string_view kTermination = "karpenter.sh/termination";  // finalizer
constexpr std::string_view kDisruptedTaint = "karpenter.sh/disrupted";
constexpr std::string_view kUnregisteredTaint = "karpenter.sh/unregistered";
constexpr std::string_view kHashAnnotation = "karpenter.sh/nodepool-hash";
constexpr std::string_view kTerminationTime = "karpenter.sh/nodeclaim-termination-timestamp";
constexpr std::string_view kKarpenter = "karpenter";

}  // namespace reprise::simulator
