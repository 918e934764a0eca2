// The parts of objects that a job's decision reads: such objects change for other reasons as well, and only a change of
// these parts wakes jobs.
#pragma once

#include <algorithm>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/kube/core.h"

namespace reprise::controllers::resumablejob {

// A pool's status follows its nodes and jobs; a job that has begun reads one field of it.
[[nodiscard]] inline bool changed_for_jobs(const api::GpuPool& before, const api::GpuPool& after) {
  return before.meta.generation != after.meta.generation || before.status.resource_name != after.status.resource_name ||
         before.meta.deletion_timestamp.has_value() != after.meta.deletion_timestamp.has_value();
}

// Whether a gang ever finds room depends on the machines that are there (gpupool/rentable/room.h), not on their use.
[[nodiscard]] inline bool changed_for_waiting_jobs(const api::GpuPool& before, const api::GpuPool& after) {
  return !std::ranges::equal(before.status.capacity, after.status.capacity, [](const auto& one, const auto& other) {
    return one.type == other.type && one.gpus == other.gpus && one.machines == other.machines;
  });
}

// No attempt is under way, and one may begin.
[[nodiscard]] inline bool waits_for_pool(const api::ResumableJob& job) {
  return job.status.members.empty() && !job.status.completion_time && !job.spec.suspend;
}

// For the pool's spec.allowedNamespaces.
[[nodiscard]] inline bool changed_for_jobs(const kube::Namespace& before, const kube::Namespace& after) {
  return before.meta.labels != after.meta.labels;
}

}  // namespace reprise::controllers::resumablejob
