// The rows of the timeline picture.
#pragma once

#include "rehearsal/outcome/build_report.h"

namespace reprise::rehearsal {

void add_zone_lanes(const ReportedRun& run, RunReport& report);
void add_node_lanes(const ReportedRun& run, RunReport& report);
// The job's own lane, and one for each rank of a gang.
void add_job_lanes(const ReportedRun& run, const ReportedJob& job, RunReport& report);

}  // namespace reprise::rehearsal
