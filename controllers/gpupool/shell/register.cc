#include "controllers/gpupool/shell/register.h"

#include <algorithm>
#include <utility>

#include "controllers/common/indexes.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/node_pools/device_plugin.h"
#include "controllers/gpupool/node_pools/node_labels.h"
#include "controllers/gpupool/shell/reconciler.h"
#include "controllers/gpupool/warm/warm_pod.h"
#include "runtime/kube/core.h"
#include "runtime/manager/watches.h"

namespace reprise::controllers::gpupool {

using runtime::Informer;
using runtime::ObjectKey;

struct Registration::Parts {
  Parts(runtime::Manager& manager, SharedInformers& given, metrics::Recorder& recorder, const RegisterOptions& options)
      : settings(settings_of(manager, options)),
        shared(given),
        overlays(manager.add_informer<api::NodeOverlay>({.optional = true})),
        config_maps(manager.add_informer<kube::ConfigMap>({.namespaces = {options.device_plugin_namespace}})),
        controller(manager.add_controller("gpupool", reconciler(recorder),
                                          {.max_concurrent = options.max_concurrent_reconciles})) {
    shared.nodes.store().add_index(kByLabeller,
                                   [](const kube::Node& node) { return one(node.meta.label(kLabelledByLabel)); });
    shared.pods.store().add_index(kByPoolKeptWarm,
                                  [this](const kube::Pod& pod) { return one(pool_kept_warm(pod, settings)); });
    shared.pods.store().add_index(kByPoolAskedFor, [](const kube::Pod& pod) { return one(pool_asked_for(pod)); });
    shared.pods.store().add_index(
        kByGpusAskedFor, [](const kube::Pod& pod) { return one(asks_for_gpus_anywhere(pod) ? kAnywhere : ""); });
    overlays.store().add_index(kByPool, [](const api::NodeOverlay& overlay) { return pools_of(overlay.meta); });
    wake_pools(options.device_plugin_namespace);
    // A kind that goes or comes may have no objects at all: none wakes a pool then.
    const auto wake_all_pools = [this] {
      for (const auto& pool : shared.pools.store().all()) controller.enqueue(runtime::key_of(*pool));
    };
    shared.node_pools.on_served_change(wake_all_pools);
    overlays.on_served_change(wake_all_pools);
    shared.node_claims.on_served_change(wake_all_pools);
  }

  static Settings settings_of(const runtime::Manager& manager, const RegisterOptions& options) {
    const std::vector<std::string>& watched = manager.options().namespaces;
    return {.device_plugin_namespace = options.device_plugin_namespace,
            .own_namespace = options.own_namespace,
            .is_own_namespace_watched =
                watched.empty() || std::ranges::find(watched, options.own_namespace) != watched.end(),
            .is_every_pod_seen = watched.empty(),
            .agent_image = options.agent_image,
            .agent_image_pull_policy = options.agent_image_pull_policy,
            .agent_image_pull_secrets = options.agent_image_pull_secrets,
            .prices = options.prices};
  }

  std::unique_ptr<PoolReconciler> reconciler(metrics::Recorder& recorder) {
    return std::make_unique<PoolReconciler>(
        Caches{shared.pools.store(), shared.jobs.store(), shared.pods.store(), shared.nodes.store(),
               shared.node_claims.store(), shared.node_pools.store(), overlays.store(), config_maps.store(),
               shared.namespaces.store()},
        settings, recorder);
  }

  template <class T, class Mapper>
  void wakes_pools(Informer<T>& informer, Mapper mapper) {
    runtime::watch_mapped<T>(controller, informer, std::move(mapper));
  }

  void wake_pools(const std::string& device_plugin_namespace) {
    runtime::watch_primary(controller, shared.pools, runtime::any_change<api::GpuPool>());
    wakes_pools(shared.jobs, [](const api::ResumableJob& job) { return keyed("", job.spec.pool_name); });
    // The nodes of one pool of existing nodes depend on all such pools.
    runtime::watch_mapped<api::GpuPool>(
        controller, shared.pools,
        [this](const api::GpuPool& pool) {
          return pool.spec.existing_nodes ? pools_of_existing_nodes() : std::vector<ObjectKey>{};
        },
        runtime::generation_changed<api::GpuPool>());
    wakes_pools(shared.nodes, [this](const kube::Node& node) { return pools_of_node(node); });
    wakes_pools(shared.node_claims, pool_of_label<api::NodeClaim>);
    wakes_pools(shared.node_pools, [this](const api::NodePool& node_pool) { return pools_of_name(node_pool); });
    runtime::watch_mapped<kube::Namespace>(
        controller, shared.namespaces, [this](const kube::Namespace&) { return pools_for_some(); },
        [](const kube::Namespace& before, const kube::Namespace& after) {
          return before.meta.labels != after.meta.labels;
        });
    wakes_pools(overlays, [this](const api::NodeOverlay& overlay) { return pools_of_name(overlay); });
    wakes_pools(shared.pods, [this](const kube::Pod& pod) {
      if (const std::string_view pool = pool_kept_warm(pod, settings); !pool.empty()) return keyed("", pool);
      if (pod.node_name.empty()) return pool_that_looks_at_waiting(pool_asked_for(pod));
      const auto node = shared.nodes.store().get("", pod.node_name);
      return node ? pools_of_node(*node) : std::vector<ObjectKey>{};
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
  [[nodiscard]] std::vector<ObjectKey> pool_that_looks_at_waiting(std::string_view name) const {
    const auto pool = name.empty() ? nullptr : shared.pools.store().get("", name);
    return pool && looks_at_waiting_pods(*pool) ? keyed("", name) : std::vector<ObjectKey>{};
  }
  // The pools whose jobs depend on the labels of namespaces.
  [[nodiscard]] std::vector<ObjectKey> pools_for_some() const {
    std::vector<ObjectKey> keys;
    for (const auto& pool : shared.pools.store().all()) {
      if (pool->spec.allowed_namespaces) keys.push_back(runtime::key_of(*pool));
    }
    return keys;
  }
  [[nodiscard]] std::vector<ObjectKey> pools_of_existing_nodes() const {
    std::vector<ObjectKey> keys;
    for (const auto& pool : shared.pools.store().all()) {
      if (pool->spec.existing_nodes) keys.push_back(runtime::key_of(*pool));
    }
    return keys;
  }
  // The pools that it is labelled for, and those that select it.
  [[nodiscard]] std::vector<ObjectKey> pools_of_node(const kube::Node& node) const {
    std::vector<ObjectKey> keys;
    const auto add = [&](ObjectKey key) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
    };
    for (const std::string_view label : {kPoolLabel, kLabelledByLabel}) {
      for (ObjectKey& key : keyed("", node.meta.label(label))) add(std::move(key));
    }
    for (const auto& pool : shared.pools.store().all()) {
      if (pool->spec.existing_nodes && pool->spec.existing_nodes->selector.matches(node.meta.labels))
        add(runtime::key_of(*pool));
    }
    return keys;
  }
  // Also pools in whose way somebody else's object may stand: a pool's objects are named after it.
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

  Settings settings;
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
