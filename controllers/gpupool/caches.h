// The caches that a pool's decision reads. Karpenter's three kinds may be absent(), see runtime/cache/store.h. Index
// names: resumablejob/caches.h.
#pragma once

#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"
#include "controllers/common/indexes.h"
#include "runtime/cache/store.h"

namespace reprise::controllers::gpupool {

struct Caches {
  const runtime::Store<api::GpuPool>& pools;
  const runtime::Store<api::ResumableJob>& jobs;
  const runtime::Store<api::Pod>& pods;
  const runtime::Store<api::Node>& nodes;
  const runtime::Store<api::NodeClaim>& node_claims;
  const runtime::Store<api::NodePool>& node_pools;
  const runtime::Store<api::NodeOverlay>& overlays;
  const runtime::Store<api::ConfigMap>& config_maps;
};

}  // namespace reprise::controllers::gpupool
