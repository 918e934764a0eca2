// The caches that a job's decision reads, and the names of their indexes.
#pragma once

#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"
#include "runtime/cache/store.h"

namespace reprise::controllers::resumablejob {

inline constexpr const char* kByJobUid = "job-uid";      // Pod: label reprise.dev/job-uid
inline constexpr const char* kByClaim = "claim";         // Pod: "namespace/claim" of each claim it mounts; also jobs
inline constexpr const char* kByNode = "node";           // Pod: spec.nodeName; NodeClaim: status.nodeName; jobs: members'
inline constexpr const char* kByNodeClaim = "nodeclaim"; // jobs: members' NodeClaims by name
inline constexpr const char* kByPool = "pool";           // ResumableJob: spec.poolName; Node, NodeClaim: the pool label
inline constexpr const char* kByInvolved = "involved";   // Event: name of the involved object

struct Caches {
  const runtime::Store<api::ResumableJob>& jobs;
  const runtime::Store<api::GpuPool>& pools;
  const runtime::Store<api::Pod>& pods;
  const runtime::Store<api::Node>& nodes;
  const runtime::Store<api::NodeClaim>& node_claims;
  const runtime::Store<api::Event>& node_events;
  const runtime::Store<api::Event>& node_claim_events;
  const runtime::Store<api::PersistentVolumeClaim>& claims;
  const runtime::Store<api::Service>& services;
  const runtime::Store<api::Namespace>& namespaces;
};

}  // namespace reprise::controllers::resumablejob
