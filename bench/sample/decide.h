// Decides what a BenchJob needs from the content of the caches. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/sample/types.h"

namespace bench {

struct Seen {
  const BenchJob& job;
  const std::vector<std::shared_ptr<const Pod>>& pods;
  bool a_node_is_tainted = false;
  kube::Time now{};
};

[[nodiscard]] Status decide(const Seen& seen);

// The Job of an attempt, and the merge patch for a status.
[[nodiscard]] std::string job_name(const BenchJob& owner, std::int32_t attempt);
[[nodiscard]] std::string encode_job(const BenchJob& owner, std::int32_t attempt);
[[nodiscard]] std::string encode_status(const Status& status);

}  // namespace bench
