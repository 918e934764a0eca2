// Objects of a cluster full of ResumableJobs, as an API server sends them to the operator: built-in kinds in protobuf,
// custom ones in JSON. Their names, uids and labels agree with each other.
#pragma once

#include <string>

namespace bench {

inline constexpr int kPodsPerJob = 3;
inline constexpr int kJobsPerNode = 10;

[[nodiscard]] std::string pod_wire(int number);    // 9 KB, 3 of them managedFields
[[nodiscard]] std::string node_wire(int number);   // 6 KB
[[nodiscard]] std::string claim_wire(int job);     // PersistentVolumeClaim
[[nodiscard]] std::string service_wire(int job);   // Service
[[nodiscard]] std::string event_wire(int number);  // Event about a node
[[nodiscard]] std::string namespace_wire(int number);
// 8 KB, with the status that the operator writes. `own_arguments`: each job's template differs a little, as in a sweep.
[[nodiscard]] std::string running_job_json(int job, bool own_arguments);
[[nodiscard]] std::string node_claim_json(int number);
[[nodiscard]] std::string gpu_pool_json(int number);

}  // namespace bench
