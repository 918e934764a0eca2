// The same jobs once more without interruptions: do they end with the same weights?
#pragma once

#include <vector>

#include "rehearsal/live/rehearsal_moment.h"
#include "rehearsal/outcome/build_report.h"
#include "rehearsal/plan/manifests.h"
#include "rehearsal/plan/rehearsal_plan.h"

namespace reprise::rehearsal {

// Adds to the facts of each job how its weights compare. When a job has none to compare, or does not survive, nothing
// is run. Where they differ, the jobs are run once more: weights that differ between two undisturbed runs say nothing.
void verify_weights(const RehearsalPlan& plan, const std::vector<RehearsedJob>& jobs, const simulator::Value& pool,
                    const RehearsalObserver& observer, ReportedRun& run);

}  // namespace reprise::rehearsal
