#include "controllers/gpupool/register.h"

#include <algorithm>
#include <utility>

#include "controllers/common/indexes.h"
#include "controllers/gpupool/reconciler.h"
#include "runtime/kube/core.h"
#include "runtime/manager/watches.h"

namespace reprise::controllers::gpupool {

using runtime::Informer;
using runtime::ObjectKey;

struct Registration::Parts {
  Parts(runtime::Manager& manager, SharedInformers& given, metrics::Recorder& recorder, const RegisterOptions& options)
      : shared(given),
        overlays(manager.add_informer<api::NodeOverlay>({.optional = true})),
        config_maps(manager.add_informer<kube::ConfigMap>({.namespaces = {options.device_plugin_namespace}})),
        controller(manager.add_controller("gpupool", reconciler(options, recorder),
                                          {.max_concurrent = options.max_concurrent_reconciles})) {
    overlays.store().add_index(kByPool, [](const api::NodeOverlay& overlay) { return pools_of(overlay.meta); });
    wake_pools(options.device_plugin_namespace);
    // What was there when a kind went, or is there when it comes, may be nothing at all: no object wakes anybody then.
    const auto wake_all_pools = [this] {
      for (const auto& pool : shared.pools.store().all()) controller.enqueue(runtime::key_of(*pool));
    };
    shared.node_pools.on_served_change(wake_all_pools);
    overlays.on_served_change(wake_all_pools);
    shared.node_claims.on_served_change(wake_all_pools);
  }

  std::unique_ptr<PoolReconciler> reconciler(const RegisterOptions& options, metrics::Recorder& recorder) {
    return std::make_unique<PoolReconciler>(
        Caches{shared.pools.store(), shared.jobs.store(), shared.pods.store(), shared.nodes.store(),
               shared.node_claims.store(), shared.node_pools.store(), overlays.store(), config_maps.store()},
        Settings{.device_plugin_namespace = options.device_plugin_namespace}, recorder);
  }

  template <class T, class Mapper>
  void wakes_pools(Informer<T>& informer, Mapper mapper) {
    runtime::watch_mapped<T>(controller, informer, std::move(mapper));
  }

  void wake_pools(const std::string& device_plugin_namespace) {
    runtime::watch_primary(controller, shared.pools, runtime::any_change<api::GpuPool>());
    wakes_pools(shared.jobs, [](const api::ResumableJob& job) { return keyed("", job.spec.pool_name); });
    wakes_pools(shared.nodes, pool_of_label<kube::Node>);
    wakes_pools(shared.node_claims, pool_of_label<api::NodeClaim>);
    wakes_pools(shared.node_pools, [this](const api::NodePool& node_pool) { return pools_of_name(node_pool); });
    wakes_pools(overlays, [this](const api::NodeOverlay& overlay) { return pools_of_name(overlay); });
    wakes_pools(shared.pods, [this](const kube::Pod& pod) {
      const auto node = pod.node_name.empty() ? nullptr : shared.nodes.store().get("", pod.node_name);
      return node ? pool_of_label(*node) : std::vector<ObjectKey>{};
    });
    wakes_pools(config_maps, [this, device_plugin_namespace](const kube::ConfigMap& config_map) {
      std::vector<ObjectKey> keys;
      if (config_map.meta.namespace_ != device_plugin_namespace) return keys;
      for (const auto& pool : shared.pools.store().all()) {
        if (device_plugin_config_map(*pool) == config_map.meta.name) keys.push_back(runtime::key_of(*pool));
      }
      return keys;
    });
  }
  // Also those in whose way somebody else's object may stand: what a pool makes is named after it.
  template <class T>
  [[nodiscard]] std::vector<ObjectKey> pools_of_name(const T& object) const {
    std::vector<ObjectKey> keys;
    for (std::string& name : controllers::pools_of(object.meta)) keys.push_back({{}, std::move(name)});
    for (const auto& pool : shared.pools.store().all()) {
      ObjectKey key = runtime::key_of(*pool);
      if (object.meta.name.starts_with(key.name + "-") && std::ranges::find(keys, key) == keys.end())
        keys.push_back(std::move(key));
    }
    return keys;
  }
  template <class T>
  [[nodiscard]] static std::vector<ObjectKey> pool_of_label(const T& object) {
    return keyed("", object.meta.label(kPoolLabel));
  }

  SharedInformers& shared;
  Informer<api::NodeOverlay>& overlays;
  Informer<kube::ConfigMap>& config_maps;
  runtime::Controller& controller;
};

Registration::Registration(runtime::Manager& manager, SharedInformers& shared, metrics::Recorder& recorder,
                           const RegisterOptions& options)
    : parts_(std::make_unique<Parts>(manager, shared, recorder, options)) {}

Registration::~Registration() = default;

}  // namespace reprise::controllers::gpupool
