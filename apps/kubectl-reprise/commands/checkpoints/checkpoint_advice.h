// Advises how often a job should save, by the cost of its saves and its interruptions so far. Pure.
#pragma once

#include <string>

#include "api/resumable_job.h"

namespace reprise::plugin {

// One line with the interval that loses least and the numbers it rests on (Daly's, controllers/placement/policy);
// empty: too little is known, or spec.checkpoint.periodSeconds is about that.
[[nodiscard]] std::string checkpoint_advice(const api::ResumableJob& job, kube::Time now);

}  // namespace reprise::plugin
