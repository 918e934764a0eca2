// The caches that a job's decision reads.
#pragma once

#include <optional>

#include "api/karpenter.h"
#include "api/kueue.h"
#include "api/resumable_job.h"
#include "controllers/common/indexes.h"
#include "controllers/reports/inbox.h"
#include "runtime/cache/store.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::resumablejob {

struct Caches {
  const runtime::Store<api::ResumableJob>& jobs;
  const runtime::Store<api::GpuPool>& pools;
  const runtime::Store<kube::Pod>& pods;
  const runtime::Store<kube::Node>& nodes;
  const runtime::Store<api::NodeClaim>& node_claims;
  const runtime::Store<api::NodePool>& node_pools;
  const runtime::Store<kube::Event>& node_events;
  const runtime::Store<kube::Event>& node_claim_events;
  const runtime::Store<kube::PersistentVolumeClaim>& claims;
  const runtime::Store<kube::Service>& services;
  const runtime::Store<kube::Namespace>& namespaces;
  // Followed where the feature gate Kueue is on.
  struct Kueue {
    const runtime::Store<api::Workload>& workloads;
    const runtime::Store<api::ResourceFlavor>& flavors;
    const runtime::Store<api::WorkloadPriorityClass>& workload_priority_classes;
    const runtime::Store<api::PriorityClass>& priority_classes;
    bool boosts = false;  // the feature gate KueuePriorityBoost
  };
  std::optional<Kueue> kueue = {};
  const reports::Inbox* inbox = nullptr;  // null: no reports are received
};

}  // namespace reprise::controllers::resumablejob
