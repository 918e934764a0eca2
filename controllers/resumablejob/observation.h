// Everything a decision about one job rests on, as values. The shell fills it from caches; tests fill it by hand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"

namespace reprise::controllers::resumablejob {

struct Observation {
  std::shared_ptr<const api::ResumableJob> job;
  std::shared_ptr<const api::GpuPool> pool;      // the one named by spec.poolName; null when there is none
  api::StringMap namespace_labels;               // of the job's namespace, for the pool's allowedNamespaces
  std::vector<std::shared_ptr<const api::Pod>> pods;      // labelled with this job's uid
  std::vector<std::shared_ptr<const api::Pod>> departed;  // last seen state of this job's pods that are gone
  std::vector<std::shared_ptr<const api::Pod>> claim_users;  // every pod of the namespace that mounts one of the claims
  std::map<std::string, std::shared_ptr<const api::PersistentVolumeClaim>, std::less<>> claims;  // by name
  bool service_exists = false;
  std::map<std::string, std::shared_ptr<const api::Node>, std::less<>> nodes;              // by name: members' nodes
  std::map<std::string, std::shared_ptr<const api::NodeClaim>, std::less<>> node_claims;   // by uid: members' claims
  std::map<std::string, std::shared_ptr<const api::NodeClaim>, std::less<>> node_claims_by_node;  // by node name
  std::vector<std::shared_ptr<const api::Event>> events;  // about the members' nodes and NodeClaims
  // For members whose pod vanished before its node was recorded: the node that the scheduler's Event named, by pod uid.
  std::map<std::string, std::string, std::less<>> scheduled_nodes;
  // Why the API server refused to create something of this job the last time (422, 403), in its words; empty: it did not.
  std::string refusal;
  api::Time now{};
};

// Where the agent comes from and how the operator is installed; the same for all jobs.
struct Settings {
  std::string agent_image;
};

}  // namespace reprise::controllers::resumablejob
