// The part of reports that other controllers read.
#pragma once

#include "controllers/reports/rank_reports.h"
#include "controllers/reports/report_target.h"

namespace reprise::controllers::reports {

struct Inbox {
  RankReports reports;
  CurrentTarget target;
};

}  // namespace reprise::controllers::reports
