// The route with everything behind it but TLS.
#include "controllers/reports/report_server.h"

#include <gtest/gtest.h>

#include "protocol/agent_protocol.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::reports {
namespace {

struct ReportServerTest : ::testing::Test {
  ReportServerTest() {
    transport.on_request([this](const runtime::Request&) -> runtime::Result<runtime::Response> {
      return runtime::Response{.status = review_status,
                               .body = R"({"kind":"TokenReview","status":{"authenticated":)" + authenticated +
                                       R"(,"audiences":["reprise.dev/reports"],"user":{)"
                                       R"("username":"system:serviceaccount:vision:default","extra":{)"
                                       R"("authentication.kubernetes.io/pod-name":["fit-1-0"],)"
                                       R"("authentication.kubernetes.io/pod-uid":["u1"]}}}})",
                               .content_type = "application/json"};
    });
    kube::Pod pod;
    pod.meta.namespace_ = "vision";
    pod.meta.name = "fit-1-0";
    pod.meta.uid = "u1";
    pod.meta.owner_references = {{.api_version = "reprise.dev/v1alpha1",
                                  .kind = "ResumableJob",
                                  .name = "fit",
                                  .uid = "j1",
                                  .controller = true}};
    (void)pods.upsert("", std::make_shared<kube::Pod>(pod));
    api::ResumableJob job;
    job.meta.namespace_ = "vision";
    job.meta.name = "fit";
    job.meta.uid = "j1";
    job.status.attempt = 1;
    api::RankStatus rank;
    rank.pod_name = "fit-1-0";
    rank.pod_uid = "u1";
    job.status.members.push_back(rank);
    (void)jobs.upsert("", std::make_shared<api::ResumableJob>(job));
  }

  runtime::HttpAnswer post(const std::string& body, const std::string& token = "Bearer abc") {
    std::optional<runtime::HttpAnswer> answer;
    auto routes = report_routes(receiver);
    routes.at(std::string(protocol::kLiveReportPath)).post({token, body}, [&](runtime::HttpAnswer given) {
      answer = std::move(given);
    });
    executor.settle();
    return answer.value_or(runtime::HttpAnswer{.status = 0});
  }

  runtime::testing::VirtualClock clock;
  runtime::testing::ManualExecutor executor{clock};
  runtime::testing::ScriptedTransport transport{executor};
  int review_status = 201;
  std::string authenticated = "true";
  bool leads = true;
  PodAuthenticator authenticator{transport, clock};
  runtime::Store<kube::Pod> pods;
  runtime::Store<api::ResumableJob> jobs;
  RankReports reports;
  runtime::MetricsRegistry metrics;
  std::shared_ptr<const ReportReceiver> receiver = std::make_shared<const ReportReceiver>(
      ReportReceiver{authenticator, pods, jobs, reports, metrics, clock, [this] { return leads; }});
  const std::string good = R"({"attempt":1,"index":0,"activity":"Training","progress":{"step":7}})";
};

TEST_F(ReportServerTest, what_a_rank_says_is_taken_and_the_next_is_welcome_later) {
  const auto answer = post(good);
  EXPECT_EQ(answer.status, 204) << answer.body;
  EXPECT_EQ(answer.retry_after_seconds, 10);
  ASSERT_TRUE(reports.of("u1"));
  EXPECT_EQ(reports.of("u1")->said.progress->step, 7);
}

TEST_F(ReportServerTest, whoever_is_refused_is_told_why) {
  EXPECT_EQ(post(good, "").status, 401);
  const auto garbage = post("{}");
  EXPECT_EQ(garbage.status, 400);
  EXPECT_EQ(garbage.body, "attempt: must be set\n");
  EXPECT_EQ(post(R"({"attempt":2,"index":0,"activity":"Training"})").status, 403);
  EXPECT_EQ(reports.size(), 0U);
}

TEST_F(ReportServerTest, a_token_of_nobody_is_unauthorized) {
  authenticated = "false";
  EXPECT_EQ(post(good).status, 401);
}

TEST_F(ReportServerTest, too_many_reports_of_one_pod_are_turned_away) {
  EXPECT_EQ(post(good).status, 204);
  EXPECT_EQ(post(good).status, 429);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(post(good).status, 204);
}

TEST_F(ReportServerTest, where_the_api_server_cannot_be_asked_nothing_is_believed) {
  review_status = 500;
  const auto answer = post(good);
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.retry_after_seconds);
  EXPECT_EQ(reports.size(), 0U);
}

TEST_F(ReportServerTest, who_does_not_lead_takes_nothing) {
  leads = false;
  EXPECT_EQ(post(good).status, 503);
  EXPECT_EQ(reports.size(), 0U);
}

}  // namespace
}  // namespace reprise::controllers::reports
