// Shows the known and the unknown about a job's checkpoints. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/resumable_job.h"
#include "protocol/record.h"
#include "runtime/kube/pod.h"

namespace reprise::plugin {

// How one rank of one attempt has ended, as its agent recorded it; without a record the pod has not ended, or its end
// was not reported.
struct RankEnd {
  std::int32_t attempt = 0, index = 0;
  std::string pod, state;
  std::optional<protocol::Record> record;
};
// Reads the termination messages of the container that trains.
[[nodiscard]] std::vector<RankEnd> rank_ends(const api::ResumableJob& job, const std::vector<kube::Pod>& pods);

[[nodiscard]] std::string checkpoints_screen(const api::ResumableJob& job, const std::vector<RankEnd>& ends,
                                             kube::Time now);

}  // namespace reprise::plugin
