// The caches that a job's decision reads.
#pragma once

#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"
#include "controllers/common/indexes.h"
#include "runtime/cache/store.h"

namespace reprise::controllers::resumablejob {

struct Caches {
  const runtime::Store<api::ResumableJob>& jobs;
  const runtime::Store<api::GpuPool>& pools;
  const runtime::Store<api::Pod>& pods;
  const runtime::Store<api::Node>& nodes;
  const runtime::Store<api::NodeClaim>& node_claims;
  const runtime::Store<api::NodePool>& node_pools;
  const runtime::Store<api::Event>& node_events;
  const runtime::Store<api::Event>& node_claim_events;
  const runtime::Store<api::PersistentVolumeClaim>& claims;
  const runtime::Store<api::Service>& services;
  const runtime::Store<api::Namespace>& namespaces;
};

}  // namespace reprise::controllers::resumablejob
