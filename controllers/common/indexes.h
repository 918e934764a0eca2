// Names of the caches' indexes; setup/setup.cc declares them.
#pragma once

namespace reprise::controllers {

inline constexpr const char* kByJobUid = "job-uid";  // Pod: label reprise.dev/job-uid
inline constexpr const char* kByClaim = "claim";     // Pod: "namespace/claim" of each claim it mounts; also jobs
inline constexpr const char* kByNode = "node";       // Pod: spec.nodeName; NodeClaim: status.nodeName; jobs: members'
inline constexpr const char* kByNodeClaim = "nodeclaim";  // jobs: members' NodeClaims by name
inline constexpr const char* kByPool = "pool";          // ResumableJob: spec.poolName; Node, NodeClaim: the pool label
inline constexpr const char* kByInvolved = "involved";  // Event: name of the involved object

}  // namespace reprise::controllers
