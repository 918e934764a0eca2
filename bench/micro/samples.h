// Objects as an API server sends them, in JSON, made from a number; their size is that of objects in real clusters.
#pragma once

#include <string>

namespace bench {

[[nodiscard]] std::string pod_json(int number);            // 10 KB, four of them managedFields
[[nodiscard]] std::string node_json(int number);           // 7 KB
[[nodiscard]] std::string job_json(int number);            // batch/v1 Job, 3 KB
[[nodiscard]] std::string bench_job_json(int number);      // 1.5 KB
[[nodiscard]] std::string resumable_job_json(int number);  // 6 KB

}  // namespace bench
