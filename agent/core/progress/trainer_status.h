// A trainer tells this by the status protocol of Kubeflow's TrainJobs, as transformers' Trainer does: {"trainerStatus":
// {"progressPercentage", "estimatedRemainingSeconds", "metrics": [{"name", "value"}]}}.
#pragma once

#include <optional>
#include <string_view>

#include "agent/core/progress/progress.h"

namespace reprise::agent {

// Empty where it is no such object. The step is the metric "current_step", the last one "total_steps".
[[nodiscard]] std::optional<ProgressNote> parse_trainer_status(std::string_view json);

}  // namespace reprise::agent
