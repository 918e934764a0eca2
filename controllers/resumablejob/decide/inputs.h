// The parts of objects that a job's decision reads: such objects change for other reasons as well, and only a change of
// these parts wakes jobs.
#pragma once

#include "api/resumable_job.h"
#include "runtime/kube/core.h"

namespace reprise::controllers::resumablejob {

// A pool's status follows its nodes and jobs; a job reads one field of it.
[[nodiscard]] inline bool changed_for_jobs(const api::GpuPool& before, const api::GpuPool& after) {
  return before.meta.generation != after.meta.generation || before.status.resource_name != after.status.resource_name ||
         before.meta.deletion_timestamp.has_value() != after.meta.deletion_timestamp.has_value();
}

// For the pool's spec.allowedNamespaces.
[[nodiscard]] inline bool changed_for_jobs(const kube::Namespace& before, const kube::Namespace& after) {
  return before.meta.labels != after.meta.labels;
}

}  // namespace reprise::controllers::resumablejob
