// Everything a decision about one pool rests on, as values.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "controllers/prices/price_table.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::gpupool {

struct JobsOfPool {
  std::int32_t unfinished = 0;
  std::int32_t interruptions = 0;  // over the jobs that exist
  std::optional<kube::Time> last_interruption;
};

// How long this process has known a NodeClaim, by its own clock.
struct Sighting {
  std::chrono::seconds ago{};
  bool from_before = false;  // was there already when this process first looked
};

// Nodes that a pool of existing nodes wants, or has put labels on.
struct CandidateNodes {
  std::vector<std::shared_ptr<const kube::Node>> nodes;
  std::map<std::string, std::string, std::less<>> users;  // by node: a pod that uses its GPUs, "namespace/name"
  [[nodiscard]] const std::string& user_of(const kube::Node& node) const {
    static const std::string nobody;
    const auto found = users.find(node.meta.name);
    return found == users.end() ? nobody : found->second;
  }
};

struct Observation {
  std::shared_ptr<const api::GpuPool> pool;
  std::map<std::string, std::shared_ptr<const api::NodePool>, std::less<>>
      node_pools;                                                 // by name: wanted or labelled ours
  std::vector<std::shared_ptr<const api::NodeOverlay>> overlays;  // labelled with the pool, or of a wanted name
  std::string missing_kinds;    // one that no pool can do without: "nodepools.karpenter.sh (v1)"; empty: none
  bool overlays_served = true;  // the NodeOverlay kind is there
  std::vector<std::shared_ptr<const kube::Node>> nodes;            // labelled with the pool
  std::vector<std::shared_ptr<const api::NodeClaim>> node_claims;  // out of the pool's NodePools
  std::map<std::string, Sighting, std::less<>> sightings;          // by uid, for node_claims
  // NodeClaims whose deletion the API server has rejected, by name: whether it is time to try again.
  std::map<std::string, bool, std::less<>> refused_deletions;
  std::vector<std::shared_ptr<const kube::Pod>> pods;     // on those nodes
  std::vector<std::shared_ptr<const kube::Pod>> waiting;  // select the pool and have no node
  // Ask for GPUs, have no node and name no pool, while machines of the pool start: Karpenter may rent these for them.
  std::vector<std::shared_ptr<const kube::Pod>> waiting_anywhere;
  std::vector<std::shared_ptr<const kube::Pod>> warm_pods;  // keep GPUs of the pool ready (warm_pods.h)
  // How long the waiting ones have had no answer, by uid (waiting_pods.h).
  std::map<std::string, std::chrono::seconds, std::less<>> unanswered;
  std::shared_ptr<const kube::ConfigMap> device_plugin_config;  // null: not there
  CandidateNodes candidates;
  std::vector<std::shared_ptr<const api::GpuPool>> pools_of_existing_nodes;  // all there are
  JobsOfPool jobs;
  // The pool's jobs by uid, where nodes may be rolled (rolling.h).
  std::map<std::string, std::shared_ptr<const api::ResumableJob>, std::less<>> users;
  prices::PriceTable price_table;  // the cluster's; the reconciler's settings outlive it
  kube::Time now{};
};

struct Settings {
  std::string device_plugin_namespace = {};  // the namespace of its ConfigMap
  // The namespace of the pods that keep GPUs ready: the operator's own. It sees and makes pods there if it watches it.
  std::string own_namespace = {};
  bool is_own_namespace_watched = true;
  bool is_every_pod_seen = true;  // the operator watches all namespaces
  // The image that those pods run, as in resumablejob::Settings.
  std::string agent_image = {};
  std::string agent_image_pull_policy = {};
  std::vector<std::string> agent_image_pull_secrets = {};
  std::vector<api::InstancePrice> prices = {};  // the cluster's, below a pool's own (prices/price_table.h)
};

}  // namespace reprise::controllers::gpupool
