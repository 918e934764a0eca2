// Everything a decision about one job rests on, as values. The shell fills it from caches; tests fill it by hand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/karpenter.h"
#include "api/kueue.h"
#include "api/resumable_job.h"
#include "controllers/prices/price_table.h"
#include "controllers/reports/rank_report.h"
#include "controllers/reports/report_target.h"
#include "controllers/resumablejob/decide/first_seen.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::resumablejob {

struct Observation {
  std::shared_ptr<const api::ResumableJob> job;
  std::shared_ptr<const api::GpuPool> pool;            // the one named by spec.poolName; null when there is none
  kube::StringMap namespace_labels;                    // the job's namespace's, for the pool's allowedNamespaces
  std::string namespace_uid;                           // empty: the cache does not show it
  std::vector<std::shared_ptr<const kube::Pod>> pods;  // this job's (common/job_of.h)
  std::set<std::string, std::less<>> strangers;        // uids of pods that bear a rank's name and are not of this job
  bool pods_may_come = false;  // a request for a pod of the attempt may be on its way, of a process that has died, or
                               // of this one without an answer
  std::vector<std::shared_ptr<const kube::Pod>> deleted_pods;  // last seen state of this job's pods that are gone
  std::vector<std::shared_ptr<const kube::Pod>>
      claim_users;  // every pod of the namespace that mounts one of the claims
  std::map<std::string, std::shared_ptr<const kube::PersistentVolumeClaim>, std::less<>> claims;  // by name
  bool service_exists = false;
  std::map<std::string, std::shared_ptr<const kube::Node>, std::less<>> nodes;            // by name: ranks' nodes
  std::map<std::string, std::shared_ptr<const api::NodeClaim>, std::less<>> node_claims;  // by uid: behind ranks' nodes
  std::map<std::string, std::shared_ptr<const api::NodePool>, std::less<>> node_pools;    // by name: of those claims
  std::vector<std::shared_ptr<const kube::Event>> events;  // about the ranks' nodes and NodeClaims
  // For ranks whose pod is gone and was not fully recorded: the words of the scheduler's Event, by pod name.
  struct Scheduled {
    std::string pod_uid, node_name;
  };
  std::map<std::string, Scheduled, std::less<>> scheduled;
  // Nodes on which other namespaces' pods use GPUs, out of those of which nothing but such an Event says that a rank
  // may run there. The writer of an Event is not known.
  std::set<std::string, std::less<>> nodes_of_others;
  // False: the cluster does not serve NodeClaims now, and their absence says nothing about any node.
  bool node_claims_served = true;
  // Names of nodes for which the API server itself, not a cache, has said: neither a Node nor a NodeClaim.
  std::set<std::string, std::less<>> absent_nodes;
  // Nodes of the pool whose NodeClaim is being deleted; read only where the next attempt may begin. A pod that is
  // made now could still be bound to one.
  std::vector<std::shared_ptr<const kube::Node>> leaving;
  // The waits of this process, and since when, by its own clock.
  FirstSeen first_seen;
  // Returns now for what was not waited for before.
  [[nodiscard]] kube::Time since(Waiting what, std::string_view uid) const {
    const auto found = first_seen.find({what, std::string(uid)});
    return found == first_seen.end() ? now : found->second;
  }
  // Says why a claim on which another job's name stands is not to be had, by name of the claim. An attempt under way
  // has it from the API server itself where the cache would let it have the claim.
  std::map<std::string, std::string, std::less<>> kept_claims;
  // Other jobs that name one of the claims and have pods which are not proven to have ended, whatever stands on the
  // claim.
  std::vector<std::shared_ptr<const api::ResumableJob>> conflicting_jobs;
  // Says why something of this job could not be created the last time and cannot until a person acts (422, 403, a name
  // that somebody else holds); empty: nothing stands in the way.
  std::string rejection;
  // Kueue's word on a job in one of its queues, or on one that was.
  struct Kueue {
    bool enabled = false;                                                  // the feature gate
    bool served = false;                                                   // the cluster has Kueue's kinds
    std::shared_ptr<const api::Workload> workload = {};                    // the job's; null: none
    std::vector<std::shared_ptr<const api::ResourceFlavor>> flavors = {};  // assigned to it
    std::string not_found = {};  // a flavor or priority class that is named and not there; empty: none
    std::optional<std::int32_t> priority = {};
    std::optional<api::PriorityClassRef> priority_class = {};
    bool boosts = false;  // the feature gate KueuePriorityBoost
    // The boost that this process asked for last, and when.
    struct Boosted {
      std::int32_t boost = 0;
      kube::Time at{};
    };
    std::optional<Boosted> boosted = {};
  };
  Kueue kueue;
  // The ranks' latest reports, by uid of their pod, and how often the status takes them over.
  std::map<std::string, std::shared_ptr<const reports::RankReport>, std::less<>> reports;
  std::chrono::seconds progress_interval{30};
  // A rank whose last report is older is silent.
  std::chrono::seconds silent_after{60};
  [[nodiscard]] bool speaks(const reports::RankReport& report) const { return now - report.received <= silent_after; }
  // The address at which new pods are told to report; null: none.
  std::shared_ptr<const reports::ReportTarget> report_to;
  prices::PriceTable price_table;  // the cluster's; the reconciler's settings outlive it
  kube::Time now{};
};

// The source of the agent and the installation of the operator; the same for all jobs.
struct Settings {
  std::string agent_image = {};              // holds /reprise-agent; empty: trainers' images bring the agent
  std::string agent_image_pull_policy = {};  // empty: Kubernetes' own choice by the tag
  std::vector<std::string> agent_image_pull_secrets = {};
  std::vector<api::InstancePrice> prices = {};  // the cluster's, below a pool's own (prices/price_table.h)
};

}  // namespace reprise::controllers::resumablejob
