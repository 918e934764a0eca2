#include "controllers/reports/take_report.h"

#include <utility>

#include "controllers/reports/judge_report.h"

namespace reprise::controllers::reports {
namespace {

runtime::HttpAnswer answer(int status, const std::string& message) {
  return {.status = status, .body = message + "\n"};
}

}  // namespace

runtime::HttpAnswer take_report(const ReportCaches& caches, const runtime::Clock& clock, const PodIdentity& who,
                                const std::string& body, RankReports& reports) {
  auto said = protocol::decode_live_report(body);
  if (!said) return answer(400, said.error().path + ": " + said.error().message);
  const auto pod = caches.pods.get(who.namespace_, who.name);
  const auto of_job = pod ? job_of(*pod) : std::nullopt;
  const auto job = of_job ? caches.jobs.get(*of_job) : nullptr;
  const auto judged = judge_report(who, pod.get(), job.get(), *said);
  if (!judged) return answer(judged.error().status, judged.error().message);
  const auto now = std::chrono::floor<std::chrono::microseconds>(clock.wall());
  const bool taken = reports.take(*judged, who.uid, *std::move(said), now);
  runtime::HttpAnswer told = taken ? runtime::HttpAnswer{.status = 204} : answer(429, "this pod has just reported");
  told.retry_after_seconds = reports.report_interval().count();
  if (taken && !caches.pods.get(who.namespace_, who.name)) reports.forget(who.uid);
  return told;
}

}  // namespace reprise::controllers::reports
