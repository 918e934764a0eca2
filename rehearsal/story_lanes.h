// The rows of the timeline picture.
#pragma once

#include "rehearsal/told.h"

namespace reprise::simulator {

void add_zone_lanes(const ToldRun& run, Story& story);
void add_node_lanes(const ToldRun& run, Story& story);
// The job's own lane, and one for each rank of a gang.
void add_job_lanes(const ToldRun& run, const ToldJob& job, Story& story);

}  // namespace reprise::simulator
