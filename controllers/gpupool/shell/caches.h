// The caches that a pool's decision reads. Karpenter's three kinds may be absent(), see runtime/cache/store.h. Index
// names: resumablejob/caches.h.
#pragma once

#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "controllers/common/indexes.h"
#include "runtime/cache/store.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::gpupool {

struct Caches {
  const runtime::Store<api::GpuPool>& pools;
  const runtime::Store<api::ResumableJob>& jobs;
  const runtime::Store<kube::Pod>& pods;
  const runtime::Store<kube::Node>& nodes;
  const runtime::Store<api::NodeClaim>& node_claims;
  const runtime::Store<api::NodePool>& node_pools;
  const runtime::Store<api::NodeOverlay>& overlays;
  const runtime::Store<kube::ConfigMap>& config_maps;
  const runtime::Store<kube::Namespace>& namespaces;
};

}  // namespace reprise::controllers::gpupool
