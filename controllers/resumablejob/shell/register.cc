#include "controllers/resumablejob/shell/register.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "controllers/common/indexes.h"
#include "controllers/resumablejob/decide/inputs.h"
#include "controllers/resumablejob/kueue/priority_boost.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/shell/reconciler.h"
#include "runtime/kube/core.h"
#include "runtime/manager/watches.h"

namespace reprise::controllers::resumablejob {

using runtime::Informer;
using runtime::ObjectKey;

namespace {

// Also for somebody else's object that goes and whose name the job needs: it was found by the label, and no job
// controls it.
std::vector<ObjectKey> job_of(const kube::ObjectMeta& object) {
  if (const kube::OwnerReference* const owner = controlling_job(object)) return keyed(object.namespace_, owner->name);
  return keyed(object.namespace_, object.label(kJobLabel));
}

std::vector<std::string> claims_of(const kube::Pod& pod) {
  std::vector<std::string> keys;
  for (const kube::Text& claim : pod.claim_names) keys.push_back(pod.meta.namespace_ + "/" + claim);
  return keys;
}

std::vector<std::string> claims_of_job(const api::ResumableJob& job) {
  std::vector<std::string> keys;
  for (std::int32_t i = 0; i < claim_count(job); ++i) {
    keys.push_back(job.meta.namespace_ + "/" + claim_name(job, i));
  }
  return keys;
}

std::vector<std::string> nodes_of(const api::ResumableJob& job) {
  std::vector<std::string> names;
  for (const api::RankStatus& rank : job.status.members) {
    if (!rank.node_name.empty()) names.push_back(rank.node_name);
  }
  return names;
}

std::vector<std::string> node_claims_of(const api::ResumableJob& job) {
  std::vector<std::string> names;
  for (const api::RankStatus& rank : job.status.members) {
    if (!rank.node_claim_name.empty()) names.push_back(rank.node_claim_name);
  }
  return names;
}

}  // namespace

// Followed where the feature gate is on; the cluster may lack Kueue, now or later.
struct KueueInformers {
  explicit KueueInformers(runtime::Manager& manager)
      : workloads(manager.add_informer<api::Workload>({.label_selector = std::string(kJobUidLabel),
                                                       .optional = true,
                                                       .kept_keys = {kOwnKeys, kPriorityBoostAnnotation}})),
        flavors(manager.add_informer<api::ResourceFlavor>({.optional = true})),
        workload_priority_classes(manager.add_informer<api::WorkloadPriorityClass>({.optional = true})),
        priority_classes(manager.add_informer<api::PriorityClass>()) {}

  [[nodiscard]] Caches::Kueue caches(bool boosts) const {
    return {workloads.store(), flavors.store(), workload_priority_classes.store(), priority_classes.store(), boosts};
  }

  Informer<api::Workload>& workloads;
  Informer<api::ResourceFlavor>& flavors;
  Informer<api::WorkloadPriorityClass>& workload_priority_classes;
  Informer<api::PriorityClass>& priority_classes;
};

struct Registration::Parts {
  Parts(runtime::Manager& manager, SharedInformers& given, metrics::Recorder& recorder, const RegisterOptions& options)
      : shared(given),
        node_events(manager.add_informer<kube::Event>(
            {.namespaces = {"default"}, .field_selector = "involvedObject.kind=Node"})),
        claim_events(manager.add_informer<kube::Event>(
            {.namespaces = {"default"}, .field_selector = "involvedObject.kind=NodeClaim"})),
        volume_claims(manager.add_informer<kube::PersistentVolumeClaim>({.kept_keys = {kOwnKeys}})),
        services(manager.add_informer<kube::Service>(
            {.label_selector = std::string(kJobUidLabel), .kept_keys = {kOwnKeys}})),
        kueue(options.kueue ? std::make_unique<KueueInformers>(manager) : nullptr),
        deleted_pods(shared.jobs.store()),
        controller(manager.add_controller("resumablejob", reconciler(options, recorder),
                                          {.max_concurrent = options.max_concurrent_reconciles})) {
    add_indexes();
    shared.pods.add_listener(deleted_pods);
    shared.jobs.add_listener(deleted_pods.of_jobs());
    wake_jobs();
    if (options.inbox != nullptr) receive_reports(*options.inbox);
    if (kueue) wake_queued_jobs();
    // A kind that goes or comes may have no objects at all: none wakes a job then.
    shared.node_claims.on_served_change([this] { wake_running_jobs(); });
  }

  std::unique_ptr<JobReconciler> reconciler(const RegisterOptions& options, metrics::Recorder& recorder) {
    return std::make_unique<JobReconciler>(
        Caches{shared.jobs.store(), shared.pools.store(), shared.pods.store(), shared.nodes.store(),
               shared.node_claims.store(), shared.node_pools.store(), node_events.store(), claim_events.store(),
               volume_claims.store(), services.store(), shared.namespaces.store(),
               kueue ? std::optional(kueue->caches(options.kueue_priority_boost)) : std::nullopt, options.inbox},
        deleted_pods, options.agent, recorder, options.spans);
  }

  void receive_reports(reports::Inbox& inbox) {
    inbox.reports.on_news([this](const ObjectKey& job) { controller.enqueue(job); });
    inbox.target.on_change([this] { wake_running_jobs(); });
  }
  void wake_running_jobs() {
    for (const auto& job : shared.jobs.store().all()) {
      if (!job->status.members.empty()) controller.enqueue(runtime::key_of(*job));
    }
  }

  void add_indexes() {
    shared.jobs.store().add_index(kByClaim, claims_of_job);
    shared.jobs.store().add_index(kByNode, nodes_of);
    shared.jobs.store().add_index(kByNodeClaim, node_claims_of);
    shared.pods.store().add_index(kByJob, [](const kube::Pod& pod) { return job_keys_of(pod.meta); });
    shared.pods.store().add_index(kByClaim, claims_of);
    for (Informer<kube::Event>* events : {&node_events, &claim_events}) {
      events->store().add_index(kByInvolved, [](const kube::Event& event) { return one(event.involved_name); });
    }
  }

  [[nodiscard]] std::vector<ObjectKey> jobs_by(const char* index, std::string_view key) const {
    std::vector<ObjectKey> keys;
    for (const auto& job : shared.jobs.store().by_index(index, key)) keys.push_back(runtime::key_of(*job));
    return keys;
  }
  template <class T, class Mapper>
  void wakes_jobs(Informer<T>& informer, Mapper mapper,
                  std::type_identity_t<runtime::Predicate<T>> predicate = runtime::any_change<T>()) {
    runtime::watch_mapped<T>(controller, informer, std::move(mapper), std::move(predicate));
  }
  // A rank's node is recorded a while after it is bound (hold_back.h).
  [[nodiscard]] std::vector<ObjectKey> jobs_on_node(std::string_view name) const {
    std::vector<ObjectKey> keys = jobs_by(kByNode, name);
    for (const auto& pod : shared.pods.store().by_index(kByNode, name)) {
      for (ObjectKey& key : job_of(pod->meta)) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
      }
    }
    return keys;
  }

  void wake_jobs() {
    runtime::watch_primary(controller, shared.jobs, runtime::any_change<api::ResumableJob>());
    // Jobs that wait for the claim of another job: when that one has ended, is suspended or is gone.
    wakes_jobs(shared.jobs, [this](const api::ResumableJob& job) {
      std::vector<ObjectKey> keys;
      for (const std::string& claim : claims_of_job(job)) {
        for (const auto& other : shared.jobs.store().by_index(kByClaim, claim)) {
          if (other->meta.name != job.meta.name) keys.push_back(runtime::key_of(*other));
        }
      }
      return keys;
    });
    wakes_jobs(
        shared.pools, [this](const api::GpuPool& pool) { return jobs_by(kByPool, pool.meta.name); },
        [](const api::GpuPool& before, const api::GpuPool& after) { return changed_for_jobs(before, after); });
    wakes_jobs(
        shared.pools,
        [this](const api::GpuPool& pool) {
          std::vector<ObjectKey> keys;
          for (const auto& job : shared.jobs.store().by_index(kByPool, pool.meta.name))
            if (waits_for_pool(*job)) keys.push_back(runtime::key_of(*job));
          return keys;
        },
        [](const api::GpuPool& before, const api::GpuPool& after) { return changed_for_waiting_jobs(before, after); });
    wakes_jobs(shared.pods, [this](const kube::Pod& pod) {
      auto keys = job_of(pod.meta);
      for (const std::string& claim : claims_of(pod))
        std::ranges::move(jobs_by(kByClaim, claim), std::back_inserter(keys));
      return keys;
    });
    wakes_jobs(shared.nodes, [this](const kube::Node& node) { return jobs_on_node(node.meta.name); });
    wakes_jobs(shared.node_claims, [this](const api::NodeClaim& claim) {
      auto keys = jobs_by(kByNodeClaim, claim.meta.name);
      if (!claim.node_name.empty()) std::ranges::move(jobs_on_node(claim.node_name), std::back_inserter(keys));
      return keys;
    });
    wakes_jobs(node_events, [this](const kube::Event& event) { return jobs_on_node(event.involved_name); });
    wakes_jobs(claim_events, [this](const kube::Event& event) {
      auto keys = jobs_by(kByNodeClaim, event.involved_name);
      const auto claim = shared.node_claims.store().get("", event.involved_name);
      if (claim && !claim->node_name.empty())
        std::ranges::move(jobs_on_node(claim->node_name), std::back_inserter(keys));
      return keys;
    });
    wakes_jobs(volume_claims, [this](const kube::PersistentVolumeClaim& claim) {
      return jobs_by(kByClaim, claim.meta.namespace_ + "/" + claim.meta.name);
    });
    wakes_jobs(services, [](const kube::Service& service) { return job_of(service.meta); });
    wakes_jobs(
        shared.namespaces,
        [this](const kube::Namespace& changed) {
          std::vector<ObjectKey> keys;
          for (const auto& job : shared.jobs.store().all()) {
            if (job->meta.namespace_ == changed.meta.name) keys.push_back(runtime::key_of(*job));
          }
          return keys;
        },
        [](const kube::Namespace& before, const kube::Namespace& after) { return changed_for_jobs(before, after); });
  }

  [[nodiscard]] std::vector<ObjectKey> queued_jobs() const {
    std::vector<ObjectKey> keys;
    for (const auto& job : shared.jobs.store().all()) {
      if (!queue_name(*job).empty()) keys.push_back(runtime::key_of(*job));
    }
    return keys;
  }

  void wake_queued_jobs() {
    wakes_jobs(kueue->workloads, [](const api::Workload& workload) { return job_of(workload.meta); });
    const auto all = [this](const auto&) { return queued_jobs(); };
    wakes_jobs(kueue->flavors, all);
    wakes_jobs(kueue->workload_priority_classes, all);
    wakes_jobs(kueue->priority_classes, all);
    kueue->workloads.on_served_change([this] {
      for (const ObjectKey& key : queued_jobs()) controller.enqueue(key);
    });
  }

  SharedInformers& shared;
  Informer<kube::Event>& node_events;
  Informer<kube::Event>& claim_events;
  Informer<kube::PersistentVolumeClaim>& volume_claims;
  Informer<kube::Service>& services;
  std::unique_ptr<KueueInformers> kueue;
  DeletedPodCache deleted_pods;
  runtime::Controller& controller;
};

Registration::Registration(runtime::Manager& manager, SharedInformers& shared, metrics::Recorder& recorder,
                           const RegisterOptions& options)
    : parts_(std::make_unique<Parts>(manager, shared, recorder, options)) {}

Registration::~Registration() = default;

}  // namespace reprise::controllers::resumablejob
