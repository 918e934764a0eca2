// Everything a decision about one pool rests on, as values.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::gpupool {

struct JobsOfPool {
  std::int32_t unfinished = 0;
  std::int32_t interruptions = 0;  // over the jobs that exist
  std::optional<kube::Time> last_interruption;
};

// Since when this process knows a NodeClaim, by its own clock.
struct Sighting {
  std::chrono::seconds ago{};
  bool from_before = false;  // it was there already when this process first looked
};

struct Observation {
  std::shared_ptr<const api::GpuPool> pool;
  std::map<std::string, std::shared_ptr<const api::NodePool>, std::less<>>
      node_pools;                                                 // by name: wanted or labelled ours
  std::vector<std::shared_ptr<const api::NodeOverlay>> overlays;  // labelled with the pool, or of a wanted name
  std::string missing_kinds;    // of those that no pool can do without: "nodepools.karpenter.sh (v1)"; empty: none
  bool overlays_served = true;  // the NodeOverlay kind is there
  std::vector<std::shared_ptr<const kube::Node>> nodes;            // labelled with the pool
  std::vector<std::shared_ptr<const api::NodeClaim>> node_claims;  // of the pool's NodePools
  std::map<std::string, Sighting, std::less<>> sightings;          // of node_claims, by uid
  std::vector<std::shared_ptr<const kube::Pod>> pods;              // on those nodes
  std::shared_ptr<const kube::ConfigMap> device_plugin_config;     // null: not there
  JobsOfPool jobs;
  kube::Time now{};
};

struct Settings {
  std::string device_plugin_namespace;  // where its ConfigMap lives
};

}  // namespace reprise::controllers::gpupool
