// The decision about one pool: a pure function of what has been seen. The status is written after the actions, because
// it reports them; every action is an idempotent step towards the wanted objects.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/pod_builder.h"
#include "controllers/gpupool/decide/observation.h"
#include "controllers/gpupool/node_pools/node_labels.h"

namespace reprise::controllers::gpupool {

struct CreateNodePool {
  api::NodePool wanted;
};
struct UpdateNodePool {
  api::NodePool wanted, current;
};
struct DeleteNodePool {
  std::string name, uid;
};
struct CreateOverlay {
  api::NodeOverlay wanted;
};
struct UpdateOverlay {
  api::NodeOverlay wanted, current;
};
struct DeleteOverlay {
  std::string name, uid;
};
// Adds or changes one key of the device plugin's ConfigMap; creates the map when it is absent.
struct WriteDevicePluginKey {
  std::string config_map;
  std::string key;
  std::string content;
  bool create = false;
  std::string resource_version;
};
// A NodeClaim whose node is paid for and never became usable.
struct DeleteStuckNodeClaim {
  std::string name, uid;
};
// A NodeClaim whose node's GPUs are called broken.
struct ReplaceFaultyNode {
  std::string name, uid;
  std::string node;
};
// A NodeClaim that goes so that Karpenter makes another (rolling.h).
struct RollNode {
  std::string name, uid;
  std::string node;
  bool has_drifted = true;  // true: it goes because it has drifted
};
// Keeps a GPU ready (warm_pods.h).
struct CreateWarmPod {
  api::PodBuilder pod_builder;
};
struct DeleteWarmPod {
  std::string namespace_, name, uid;
};

using Action = std::variant<CreateNodePool, UpdateNodePool, DeleteNodePool, CreateOverlay, UpdateOverlay, DeleteOverlay,
                            WriteDevicePluginKey, DeleteStuckNodeClaim, ReplaceFaultyNode, RollNode, LabelNode,
                            CreateWarmPod, DeleteWarmPod>;

struct Announcement {
  bool warning = false;
  std::string reason, action, note;
};

struct Plan {
  std::vector<Action> actions;
  api::GpuPoolStatus status;
  std::vector<Announcement> announcements;
  // NodeClaims that are still to be deleted, and whose deletion is not sent now: it was rejected (refused_deletions).
  std::vector<std::string> still_refused;
  std::optional<kube::Time> wake_at;
  void wake_by(kube::Time at) {
    if (!wake_at || at < *wake_at) wake_at = at;
  }
};

[[nodiscard]] Plan decide(const Observation& seen, const Settings& settings = {});

// Writes into the plan's status that some of its actions came to nothing.
void show_rejection(const Observation& seen, std::string_view reason, const std::string& message, Plan& plan);

}  // namespace reprise::controllers::gpupool
