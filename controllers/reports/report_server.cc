#include "controllers/reports/report_server.h"

#include <utility>

#include "controllers/metrics/table.h"
#include "controllers/reports/take_report.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::reports {
namespace {

using runtime::HttpAnswer;

HttpAnswer say(int status, const std::string& message) {
  return {.status = status, .body = message + "\n"};
}

HttpAnswer later(int status, std::int64_t seconds, const std::string& message) {
  HttpAnswer answer = say(status, message);
  answer.retry_after_seconds = seconds;
  return answer;
}

HttpAnswer answer_to(const ReportReceiver& to, const PodAuthenticator::Answer& who, const std::string& body) {
  if (!who) return later(503, 10, "the API server could not be asked whose token this is");
  if (!*who)
    return say(401, "the token is not that of a pod, or is not meant for " + std::string(protocol::kReportAudience));
  return take_report({to.pods, to.jobs}, to.clock, **who, body, to.reports);
}

}  // namespace

runtime::HttpRoutes report_routes(std::shared_ptr<const ReportReceiver> receiver) {
  runtime::HttpRoute route;
  route.post = [to = std::move(receiver)](runtime::HttpPost post, runtime::HttpRoute::Answer answer) {
    const auto tell = [to, answer = std::move(answer)](HttpAnswer given) {
      to->metrics
          .counter(metrics::kReports, metrics::info(metrics::kReports).help, {{"code", std::to_string(given.status)}})
          .add();
      answer(std::move(given));
    };
    if (!to->leading()) return tell(later(503, 1, "this replica does not lead"));
    to->authenticator.ask(post.authorization,
                          [to, tell, body = std::move(post.body)](const PodAuthenticator::Answer& who) {
                            tell(answer_to(*to, who, body));
                          });
  };
  return {{std::string(protocol::kLiveReportPath), std::move(route)}};
}

runtime::Result<std::unique_ptr<runtime::HttpServer>> serve_reports(
    const std::string& address, std::shared_ptr<const ReportReceiver> receiver,
    std::shared_ptr<const CurrentCertificate> certificate) {
  const runtime::Clock& clock = receiver->clock;
  return runtime::serve_https(address, report_routes(std::move(receiver)),
                              {.clock = clock,
                               .read = [certificate = std::move(certificate)] { return certificate->get(); },
                               .body_limit = protocol::kMaxLiveReportBytes});
}

}  // namespace reprise::controllers::reports
