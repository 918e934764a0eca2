// Handles a report whose sender is known: judges it by the caches, and takes it. Any thread.
#pragma once

#include <string>

#include "api/resumable_job.h"
#include "controllers/reports/pod_identity.h"
#include "controllers/reports/rank_reports.h"
#include "runtime/base/clock.h"
#include "runtime/cache/store.h"
#include "runtime/kube/pod.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::controllers::reports {

struct ReportCaches {
  const runtime::Store<kube::Pod>& pods;
  const runtime::Store<api::ResumableJob>& jobs;
};

// 204, 400, 403, 404, 409 or 429, as report_server.h has them.
[[nodiscard]] runtime::HttpAnswer take_report(const ReportCaches& caches, const runtime::Clock& clock,
                                              const PodIdentity& who, const std::string& body, RankReports& reports);

}  // namespace reprise::controllers::reports
