#include "controllers/setup/setup.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "controllers/gpupool/reconciler.h"
#include "controllers/resumablejob/inputs.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/reconciler.h"
#include "runtime/manager/watches.h"

namespace reprise::controllers {

namespace rj = resumablejob;
using runtime::Informer;
using runtime::ObjectKey;

namespace {

std::vector<std::string> one(std::string_view value) {
  return value.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::string(value)};
}

template <class T>
std::vector<std::string> pool_label(const T& object) {
  return one(object.meta.label(rj::kPoolLabel));
}

// A label is soon taken off; what a pool has made stays its own.
template <class T>
std::vector<std::string> label_and_owner(const T& object) {
  std::vector<std::string> names = pool_label(object);
  for (const ObjectKey& owner : runtime::OwnerOf<api::GpuPool>{}(object.meta)) {
    if (std::ranges::find(names, owner.name) == names.end()) names.push_back(owner.name);
  }
  return names;
}

std::vector<std::string> claims_of(const kube::Pod& pod) {
  std::vector<std::string> keys;
  for (const kube::Text& claim : pod.claim_names) keys.push_back(pod.meta.namespace_ + "/" + claim);
  return keys;
}

std::vector<std::string> claims_of_job(const api::ResumableJob& job) {
  std::vector<std::string> keys;
  for (std::int32_t i = 0; i < rj::claim_count(job); ++i) {
    keys.push_back(job.meta.namespace_ + "/" + rj::claim_name(job, i));
  }
  return keys;
}

// All that is read of the labels and annotations of pods, claims and Services.
constexpr std::string_view kOwnKeys = "reprise.dev/";

}  // namespace

struct Controllers::Parts {
  Parts(runtime::Manager& given, const SetupOptions& options)
      : manager(given),
        jobs(given.add_informer<api::ResumableJob>()),
        pools(given.add_informer<api::GpuPool>()),
        pods(given.add_informer<kube::Pod>({.kept_keys = {kOwnKeys}})),
        nodes(given.add_informer<kube::Node>()),
        node_claims(given.add_informer<api::NodeClaim>({.optional = true})),
        node_pools(given.add_informer<api::NodePool>({.optional = true})),
        overlays(given.add_informer<api::NodeOverlay>({.optional = true})),
        node_events(
            given.add_informer<kube::Event>({.namespaces = {"default"}, .field_selector = "involvedObject.kind=Node"})),
        claim_events(given.add_informer<kube::Event>(
            {.namespaces = {"default"}, .field_selector = "involvedObject.kind=NodeClaim"})),
        volume_claims(given.add_informer<kube::PersistentVolumeClaim>({.kept_keys = {kOwnKeys}})),
        services(given.add_informer<kube::Service>(
            {.label_selector = std::string(rj::kJobUidLabel), .kept_keys = {kOwnKeys}})),
        namespaces(given.add_informer<kube::Namespace>()),
        departed(jobs.store()),
        config_maps(given.add_informer<kube::ConfigMap>({.namespaces = {options.operator_namespace}})) {
    add_indexes();
    pods.add_listener(departed);
    jobs.add_listener(departed.of_jobs());
    const runtime::ControllerOptions limits{.max_concurrent = options.max_concurrent_reconciles};
    job_controller = &manager.add_controller(
        "resumablejob",
        std::make_unique<rj::JobReconciler>(
            rj::Caches{jobs.store(), pools.store(), pods.store(), nodes.store(), node_claims.store(),
                       node_pools.store(), node_events.store(), claim_events.store(), volume_claims.store(),
                       services.store(), namespaces.store()},
            departed, rj::Settings{.agent_image = options.agent_image}),
        limits);
    pool_controller = &manager.add_controller(
        "gpupool",
        std::make_unique<gpupool::PoolReconciler>(
            gpupool::Caches{pools.store(), jobs.store(), pods.store(), nodes.store(), node_claims.store(),
                            node_pools.store(), overlays.store(), config_maps.store()},
            gpupool::Settings{.operator_namespace = options.operator_namespace}),
        limits);
    wake_jobs();
    wake_pools(options.operator_namespace);
    wake_by_served_kinds();
  }

  void add_indexes() {
    jobs.store().add_index(kByPool, [](const api::ResumableJob& job) { return one(job.spec.pool_name); });
    jobs.store().add_index(kByClaim, claims_of_job);
    jobs.store().add_index(kByNode, [](const api::ResumableJob& job) {
      std::vector<std::string> names;
      for (const api::MemberStatus& member : job.status.members) {
        if (!member.node_name.empty()) names.push_back(member.node_name);
      }
      return names;
    });
    jobs.store().add_index(kByNodeClaim, [](const api::ResumableJob& job) {
      std::vector<std::string> names;
      for (const api::MemberStatus& member : job.status.members) {
        if (!member.node_claim_name.empty()) names.push_back(member.node_claim_name);
      }
      return names;
    });
    pods.store().add_index(kByJobUid, [](const kube::Pod& pod) { return one(pod.meta.label(rj::kJobUidLabel)); });
    pods.store().add_index(kByClaim, claims_of);
    pods.store().add_index(kByNode, [](const kube::Pod& pod) { return one(pod.node_name); });
    nodes.store().add_index(kByPool, pool_label<kube::Node>);
    node_claims.store().add_index(kByPool, pool_label<api::NodeClaim>);
    node_claims.store().add_index(kByNode, [](const api::NodeClaim& claim) { return one(claim.node_name); });
    node_pools.store().add_index(kByPool, label_and_owner<api::NodePool>);
    overlays.store().add_index(kByPool, label_and_owner<api::NodeOverlay>);
    for (Informer<kube::Event>* events : {&node_events, &claim_events}) {
      events->store().add_index(kByInvolved, [](const kube::Event& event) { return one(event.involved_name); });
    }
  }

  [[nodiscard]] std::vector<ObjectKey> jobs_by(const char* index, std::string_view key) const {
    std::vector<ObjectKey> keys;
    for (const auto& job : jobs.store().by_index(index, key)) keys.push_back(runtime::key_of(*job));
    return keys;
  }
  [[nodiscard]] static std::vector<ObjectKey> keyed(std::string_view ns, std::string_view name) {
    if (name.empty()) return {};
    return {ObjectKey{std::string(ns), std::string(name)}};
  }
  template <class T, class Mapper>
  void wakes_jobs(Informer<T>& informer, Mapper mapper,
                  std::type_identity_t<runtime::Predicate<T>> predicate = runtime::any_change<T>()) {
    runtime::watch_mapped<T>(*job_controller, informer, std::move(mapper), std::move(predicate));
  }
  // Where a rank runs is recorded a while after it is bound (hold_back.h).
  [[nodiscard]] std::vector<ObjectKey> jobs_on_node(std::string_view name) const {
    std::vector<ObjectKey> keys = jobs_by(kByNode, name);
    for (const auto& pod : pods.store().by_index(kByNode, name)) {
      for (ObjectKey& key : keyed(pod->meta.namespace_, pod->meta.label(rj::kJobLabel))) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
      }
    }
    return keys;
  }
  template <class T, class Mapper>
  void wakes_pools(Informer<T>& informer, Mapper mapper) {
    runtime::watch_mapped<T>(*pool_controller, informer, std::move(mapper));
  }

  void wake_jobs() {
    runtime::watch_primary(*job_controller, jobs, runtime::any_change<api::ResumableJob>());
    // Who waits for the claim of another job: when that one has ended, is suspended or is gone.
    wakes_jobs(jobs, [this](const api::ResumableJob& job) {
      std::vector<ObjectKey> keys;
      for (const std::string& claim : claims_of_job(job)) {
        for (const auto& other : jobs.store().by_index(kByClaim, claim)) {
          if (other->meta.name != job.meta.name) keys.push_back(runtime::key_of(*other));
        }
      }
      return keys;
    });
    wakes_jobs(
        pools, [this](const api::GpuPool& pool) { return jobs_by(kByPool, pool.meta.name); },
        [](const api::GpuPool& before, const api::GpuPool& after) { return rj::changed_for_jobs(before, after); });
    wakes_jobs(pods, [this](const kube::Pod& pod) {
      auto keys = keyed(pod.meta.namespace_, pod.meta.label(rj::kJobLabel));
      for (const std::string& claim : claims_of(pod))
        std::ranges::move(jobs_by(kByClaim, claim), std::back_inserter(keys));
      return keys;
    });
    wakes_jobs(nodes, [this](const kube::Node& node) { return jobs_on_node(node.meta.name); });
    wakes_jobs(node_claims, [this](const api::NodeClaim& claim) {
      auto keys = jobs_by(kByNodeClaim, claim.meta.name);
      if (!claim.node_name.empty()) std::ranges::move(jobs_on_node(claim.node_name), std::back_inserter(keys));
      return keys;
    });
    wakes_jobs(node_events, [this](const kube::Event& event) { return jobs_on_node(event.involved_name); });
    wakes_jobs(claim_events, [this](const kube::Event& event) { return jobs_by(kByNodeClaim, event.involved_name); });
    wakes_jobs(volume_claims, [this](const kube::PersistentVolumeClaim& claim) {
      return jobs_by(kByClaim, claim.meta.namespace_ + "/" + claim.meta.name);
    });
    wakes_jobs(services, [](const kube::Service& service) {
      return keyed(service.meta.namespace_, service.meta.label(rj::kJobLabel));
    });
    wakes_jobs(
        namespaces,
        [this](const kube::Namespace& changed) {
          std::vector<ObjectKey> keys;
          for (const auto& job : jobs.store().all()) {
            if (job->meta.namespace_ == changed.meta.name) keys.push_back(runtime::key_of(*job));
          }
          return keys;
        },
        [](const kube::Namespace& before, const kube::Namespace& after) {
          return rj::changed_for_jobs(before, after);
        });
  }

  void wake_pools(const std::string& operator_namespace) {
    runtime::watch_primary(*pool_controller, pools, runtime::any_change<api::GpuPool>());
    wakes_pools(jobs, [](const api::ResumableJob& job) { return keyed("", job.spec.pool_name); });
    wakes_pools(nodes, pool_of_label<kube::Node>);
    wakes_pools(node_claims, pool_of_label<api::NodeClaim>);
    wakes_pools(node_pools, [this](const api::NodePool& node_pool) { return pools_of_name(node_pool); });
    wakes_pools(overlays, [this](const api::NodeOverlay& overlay) { return pools_of_name(overlay); });
    wakes_pools(pods, [this](const kube::Pod& pod) {
      const auto node = pod.node_name.empty() ? nullptr : nodes.store().get("", pod.node_name);
      return node ? pool_of_label(*node) : std::vector<ObjectKey>{};
    });
    wakes_pools(config_maps, [this, operator_namespace](const kube::ConfigMap& config_map) {
      std::vector<ObjectKey> keys;
      if (config_map.meta.namespace_ != operator_namespace) return keys;
      for (const auto& pool : pools.store().all()) {
        if (gpupool::device_plugin_config_map(*pool) == config_map.meta.name) keys.push_back(runtime::key_of(*pool));
      }
      return keys;
    });
  }
  // What was there when a kind went, or is there when it comes, may be nothing at all: no object wakes anybody then.
  void wake_by_served_kinds() {
    const auto wake_all_pools = [this] {
      for (const auto& pool : pools.store().all()) pool_controller->enqueue(runtime::key_of(*pool));
    };
    node_pools.on_served_change(wake_all_pools);
    overlays.on_served_change(wake_all_pools);
    node_claims.on_served_change([this, wake_all_pools] {
      wake_all_pools();
      for (const auto& job : jobs.store().all()) {
        if (!job->status.members.empty()) job_controller->enqueue(runtime::key_of(*job));
      }
    });
  }
  // Also those in whose way somebody else's object may stand: what a pool makes is named after it.
  template <class T>
  [[nodiscard]] std::vector<ObjectKey> pools_of_name(const T& object) const {
    std::vector<ObjectKey> keys;
    for (std::string& name : label_and_owner(object)) keys.push_back({{}, std::move(name)});
    for (const auto& pool : pools.store().all()) {
      ObjectKey key = runtime::key_of(*pool);
      if (object.meta.name.starts_with(key.name + "-") && std::ranges::find(keys, key) == keys.end())
        keys.push_back(std::move(key));
    }
    return keys;
  }
  template <class T>
  [[nodiscard]] static std::vector<ObjectKey> pool_of_label(const T& object) {
    return keyed("", object.meta.label(rj::kPoolLabel));
  }

  runtime::Manager& manager;
  Informer<api::ResumableJob>& jobs;
  Informer<api::GpuPool>& pools;
  Informer<kube::Pod>& pods;
  Informer<kube::Node>& nodes;
  Informer<api::NodeClaim>& node_claims;
  Informer<api::NodePool>& node_pools;
  Informer<api::NodeOverlay>& overlays;
  Informer<kube::Event>& node_events;
  Informer<kube::Event>& claim_events;
  Informer<kube::PersistentVolumeClaim>& volume_claims;
  Informer<kube::Service>& services;
  Informer<kube::Namespace>& namespaces;
  rj::DepartedPods departed;
  Informer<kube::ConfigMap>& config_maps;
  runtime::Controller* job_controller = nullptr;
  runtime::Controller* pool_controller = nullptr;
};

Controllers::Controllers(runtime::Manager& manager, SetupOptions options)
    : parts_(std::make_unique<Parts>(manager, options)) {}

Controllers::~Controllers() = default;

}  // namespace reprise::controllers
