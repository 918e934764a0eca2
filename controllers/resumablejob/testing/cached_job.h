// A job and what caches show of it, filled by hand, beside an API server that may say something else.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/ranks.h"
#include "controllers/resumablejob/shell/observe.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/scripted_context.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::resumablejob::testing {

// A job with its pods, in caches that a test fills by hand.
struct CachedJob {
  CachedJob() {
    pods.add_index(kByJob, [](const kube::Pod& pod) { return job_keys_of(pod.meta); });
    pods.add_index(kByNode, [](const kube::Pod& pod) { return std::vector<std::string>{std::string(pod.node_name)}; });
    pods.add_index(kByClaim, [](const kube::Pod& pod) {
      std::vector<std::string> keys;
      for (const kube::Text& claim : pod.claim_names)
        keys.push_back(std::string(pod.meta.namespace_) + "/" + std::string(claim));
      return keys;
    });
    node_claims.add_index(kByPool, [](const api::NodeClaim& claim) {
      return std::vector<std::string>{std::string(claim.meta.label(kPoolLabel))};
    });
    node_claims.add_index(
        kByNode, [](const api::NodeClaim& claim) { return std::vector<std::string>{std::string(claim.node_name)}; });
  }

  template <class T>
  static void show(runtime::Store<T>& store, T object) {
    (void)store.upsert("", std::make_shared<const T>(std::move(object)));
  }
  kube::Pod pod(const std::string& name, const std::string& node) const {
    kube::Pod made;
    made.meta.name = name;
    made.meta.namespace_ = "vision";
    made.meta.uid = "uid-of-" + name;
    made.meta.labels = {{std::string(kJobUidLabel), "uid-fit"}, {std::string(kAttemptLabel), "1"}};
    made.meta.owner_references = {kube::owner_reference(job)};
    made.container_names = {"trainer"};
    made.node_name = node;
    made.phase = kube::PodPhase::Pending;
    return made;
  }
  Observation see() {
    auto seen = observe(caches, deleted_pods, api.client(), api, std::make_shared<const api::ResumableJob>(job), {});
    if (!seen) throw std::runtime_error(seen.error().message);
    return *std::move(seen);
  }
  std::vector<Rank> look(bool begun_here = true) {
    auto seen = observe(caches, deleted_pods, api.client(), api, std::make_shared<const api::ResumableJob>(job),
                        OwnAttempt{.begun_here = begun_here, .made = {}});
    if (!seen) throw std::runtime_error(seen.error().message);
    std::vector<Rank> ranks = look_at_ranks(*seen);
    for (std::size_t i = 0; i < ranks.size(); ++i) job.status.members[i] = ranks[i].memory;
    return ranks;
  }
  void begin(int size) {
    job.status.attempt = 1;
    for (int i = 0; i < size; ++i) {
      api::RankStatus rank;
      rank.index = i;
      rank.pod_name = pod_name("fit", 1, i);
      job.status.members.push_back(std::move(rank));
    }
  }

  api::ResumableJob job = controllers::testing::MakeJob("fit").get();
  controllers::testing::ScriptedContext api;  // the API server itself
  runtime::Store<api::ResumableJob> jobs;
  runtime::Store<api::GpuPool> pools;
  runtime::Store<kube::Pod> pods;
  runtime::Store<kube::Node> nodes;
  runtime::Store<api::NodeClaim> node_claims;
  runtime::Store<api::NodePool> node_pools;
  runtime::Store<kube::Event> node_events, claim_events;
  runtime::Store<kube::PersistentVolumeClaim> claims;
  runtime::Store<kube::Service> services;
  runtime::Store<kube::Namespace> namespaces;
  DeletedPodCache deleted_pods{jobs};
  Caches caches{jobs,        pools,        pods,   nodes,    node_claims, node_pools,
                node_events, claim_events, claims, services, namespaces};
};

}  // namespace reprise::controllers::resumablejob::testing
