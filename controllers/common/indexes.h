// Names of the caches' indexes; shared_informers.cc and each register.cc declare them.
#pragma once

#include "api/labels.h"

namespace reprise::controllers {

using api::kPoolLabel;

inline constexpr const char* kByJob = "job";      // Pod: "namespace/uid" of the job that controls it (job_of.h)
inline constexpr const char* kByClaim = "claim";  // Pod: "namespace/claim" of each claim it mounts; also jobs
inline constexpr const char* kByNode = "node";    // Pod: spec.nodeName; NodeClaim: status.nodeName; jobs: ranks'
inline constexpr const char* kByNodeClaim = "nodeclaim";  // jobs: ranks' NodeClaims by name
inline constexpr const char* kByPool = "pool";          // ResumableJob: spec.poolName; Node, NodeClaim: the pool label
inline constexpr const char* kByLabeller = "labeller";  // Node: the pool that existing labels were put there for
inline constexpr const char* kByPoolAskedFor = "pool-asked-for";  // Pod without a node: the pool that it selects
inline constexpr const char* kByGpusAskedFor = "gpus-asked-for";  // Pod without a node and a pool: kAnywhere
inline constexpr const char* kAnywhere = "anywhere";
inline constexpr const char* kByPoolKeptWarm = "warm";  // Pod: the pool of which it keeps a GPU ready
inline constexpr const char* kByInvolved = "involved";  // Event: name of the involved object

}  // namespace reprise::controllers
