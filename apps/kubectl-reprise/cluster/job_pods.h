// The pods of a job, found as the operator finds them: by label and by the job's uid.
#pragma once

#include <cstdint>
#include <vector>

#include "api/resumable_job.h"
#include "apps/kubectl-reprise/cluster/fetch.h"
#include "runtime/kube/pod.h"

namespace reprise::plugin {

// The pods of all attempts that still have some, without standby pods; by attempt and index.
[[nodiscard]] runtime::Result<std::vector<kube::Pod>> pods_of(runtime::Client& client, const api::ResumableJob& job);
[[nodiscard]] std::int32_t attempt_of(const kube::Pod& pod);
[[nodiscard]] std::int32_t index_of(const kube::Pod& pod);
// The training container, as the operator chooses it; empty: none trains.
[[nodiscard]] std::string trainer_of(const api::ResumableJob& job);

}  // namespace reprise::plugin
