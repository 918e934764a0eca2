// The port to which agents report: POST protocol::kLiveReportPath over TLS.
//
//   204  taken; Retry-After says when the next is welcome
//   400  not a report: the field is named      401  the token is no pod's
//   403  another rank's, or another job's      404, 409  not known yet, or the attempt is over
//   429  too soon                              503  not the leader, or the API server could not be asked
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/resumable_job.h"
#include "controllers/reports/current_certificate.h"
#include "controllers/reports/pod_authenticator.h"
#include "controllers/reports/rank_reports.h"
#include "runtime/base/clock.h"
#include "runtime/cache/store.h"
#include "runtime/kube/pod.h"
#include "runtime/metrics/metrics.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::controllers::reports {

// How reports are received. All outlive the route and its calls.
struct ReportReceiver {
  PodAuthenticator& authenticator;
  const runtime::Store<kube::Pod>& pods;
  const runtime::Store<api::ResumableJob>& jobs;
  RankReports& reports;
  runtime::MetricsRegistry& metrics;
  const runtime::Clock& clock;
  std::function<bool()> leading;
};

[[nodiscard]] runtime::HttpRoutes report_routes(std::shared_ptr<const ReportReceiver> receiver);

// Destroying it stops it. `address` as serve_http() has it; Terminal where the certificate cannot be used.
[[nodiscard]] runtime::Result<std::unique_ptr<runtime::HttpServer>> serve_reports(
    const std::string& address, std::shared_ptr<const ReportReceiver> receiver,
    std::shared_ptr<const CurrentCertificate> certificate);

}  // namespace reprise::controllers::reports
