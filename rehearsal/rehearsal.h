// Jobs with real trainer processes on the embedded cluster: the real operator, virtual nodes, scaled real time. Each
// rank runs below the real reprise-agent on a real directory; a notice is the same as on a spot node: SIGTERM, the
// grace, SIGKILL.
//
// One thread, except the processes it starts. When rehearse() returns none of them is left, whatever they did.
#pragma once

#include "rehearsal/live/rehearsal_moment.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "rehearsal/report/run_report.h"
#include "runtime/base/error.h"

namespace reprise::rehearsal {

// Invalid: the plan (names the job and field). Otherwise the report, whose `survived` is the verdict.
[[nodiscard]] runtime::Result<RunReport> rehearse(const RehearsalPlan& plan, const RehearsalObserver& observer = {});

}  // namespace reprise::rehearsal
