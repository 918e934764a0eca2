// The decision about one pool: a pure function of what has been seen. The status is written after the actions, because
// it reports them; every action is an idempotent step towards the wanted objects.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controllers/gpupool/observation.h"

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

using Action = std::variant<CreateNodePool, UpdateNodePool, DeleteNodePool, CreateOverlay, UpdateOverlay, DeleteOverlay,
                            WriteDevicePluginKey, DeleteStuckNodeClaim>;

struct Announcement {
  bool warning = false;
  std::string reason, action, note;
};

struct Plan {
  std::vector<Action> actions;
  api::GpuPoolStatus status;
  std::vector<Announcement> announcements;
  std::optional<kube::Time> wake_at;
  void wake_by(kube::Time at) {
    if (!wake_at || at < *wake_at) wake_at = at;
  }
};

[[nodiscard]] Plan decide(const Observation& seen);

// Some of the plan's actions came to nothing: the status then says so.
void show_rejection(const Observation& seen, std::string_view reason, const std::string& message, Plan& plan);

// The keys of the operator's own ConfigMap that no pool needs any more. A key that a person changed is not touched.
[[nodiscard]] std::vector<std::string> unused_device_plugin_keys(
    const kube::ConfigMap& config_map, const std::vector<std::shared_ptr<const api::GpuPool>>& pools);
// A device plugin that starts anew on a node whose key is gone shows no GPUs: a key stays as long as a node reads it.
[[nodiscard]] bool is_read(const std::string& key, const std::vector<std::shared_ptr<const kube::Node>>& nodes);

inline constexpr std::string_view kDefaultConfigMap = "reprise-device-plugin";

// The name of the ConfigMap in the operator's namespace that the device plugin reads.
[[nodiscard]] std::string device_plugin_config_map(const api::GpuPool& pool);

}  // namespace reprise::controllers::gpupool
