#include "controllers/gpupool/node_pools/device_plugin.h"

#include <algorithm>

#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {

std::string device_plugin_config_map(const api::GpuPool& pool) {
  return pool.spec.device_plugin_config_map_ref ? pool.spec.device_plugin_config_map_ref->name
                                                : std::string(kDefaultConfigMap);
}

std::vector<std::string> unused_device_plugin_keys(const kube::ConfigMap& config_map,
                                                   const std::vector<std::shared_ptr<const api::GpuPool>>& pools) {
  std::vector<std::string> unused;
  for (const DevicePluginConfig& ours : all_device_plugin_configs()) {
    const auto found = config_map.data.find(ours.key);
    if (found == config_map.data.end() || found->second != ours.content) continue;
    const bool needed = std::ranges::any_of(pools, [&](const auto& pool) {
      return !pool->meta.deletion_timestamp && sharing_of(pool->spec.sharing).device_plugin == ours;
    });
    if (!needed) unused.push_back(ours.key);
  }
  return unused;
}

kube::StringMap new_device_plugin_map(const std::string& key, const std::string& content) {
  return {{key, content}, {std::string(kDefaultKey), std::string(kSharesNothing)}};
}

bool is_read(const std::string& key, const std::vector<std::shared_ptr<const kube::Node>>& nodes) {
  return std::ranges::any_of(nodes,
                             [&](const auto& node) { return node->meta.label(kDevicePluginConfigLabel) == key; });
}

std::optional<std::string> plan_device_plugin(const Observation& seen, Plan& plan) {
  const std::optional<DevicePluginConfig> wanted = sharing_of(seen.pool->spec.sharing).device_plugin;
  if (!wanted) return std::nullopt;
  const auto& [key, content] = *wanted;
  WriteDevicePluginKey write{device_plugin_config_map(*seen.pool), key, content, !seen.device_plugin_config, {}};
  if (seen.device_plugin_config) {
    const kube::ConfigMap& map = *seen.device_plugin_config;
    const bool own = map.meta.label("app.kubernetes.io/managed-by") == "reprise";
    if (own && !map.data.contains(std::string(kDefaultKey))) {  // from an older operator; the pool's own key follows
      plan.actions.emplace_back(WriteDevicePluginKey{write.config_map, std::string(kDefaultKey),
                                                     std::string(kSharesNothing), false, map.meta.resource_version});
      return std::nullopt;
    }
    const auto found = map.data.find(key);
    if (found != map.data.end() && found->second == content) return std::nullopt;
    // Other nodes may read it.
    if (found != map.data.end() && !own) {
      return "ConfigMap " + write.config_map + " has a key " + key +
             " with another content, and the map is not this operator's; remove the key or name another map in "
             "spec.devicePluginConfigMapRef";
    }
    write.resource_version = map.meta.resource_version;
  }
  plan.actions.emplace_back(std::move(write));
  return std::nullopt;
}

}  // namespace reprise::controllers::gpupool
