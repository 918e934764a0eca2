// Live reports of a real agent to a real server, and that training does not care what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sstream>

#include "agent/json/json.h"
#include "agent/testing/report_server.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing_support::eventually;
using testing_support::put_text;
using testing_support::ReportServer;
using testing_support::Scene;
using testing_support::Variables;
using Behaviour = ReportServer::Behaviour;

constexpr const char* kToken = "eyJhbGciOi.secret";

// The annotation, as the kubelet puts it into the downward API's file.
void point(const Scene& scene, const std::string& url, const std::string& pem) {
  std::string der;
  std::istringstream lines(pem);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("-----")) der += line;
  }
  put_text(scene.path("annotations"),
           "kubernetes.io/config.seen=\"now\"\nreprise.dev/report-to=\"" + url + " " + der + "\"");
}

Variables reports_to(const ReportServer& server, const Scene& scene) {
  put_text(scene.path("token"), std::string(kToken) + "\n");
  point(scene, server.url(), server.authority());
  return {{"REPRISE_ANNOTATIONS_FILE", scene.path("annotations").string()},
          {"REPRISE_REPORT_TOKEN_FILE", scene.path("token").string()},
          {"REPRISE_REPORT_SECONDS", "0.05"}};
}

std::vector<boost::json::object> reports_of(const ReportServer& server) {
  std::vector<boost::json::object> reports;
  for (const auto& request : server.requests()) reports.push_back(parse_object(request.body).value());
  return reports;
}

std::vector<std::string> activities_of(const ReportServer& server) {
  std::vector<std::string> activities;
  for (const auto& report : reports_of(server)) activities.push_back(text_of(report, "activity").value_or(""));
  return activities;
}

bool eventually_reports(const ReportServer& server, const std::function<bool(const boost::json::object&)>& wanted) {
  return eventually([&] { return std::ranges::any_of(reports_of(server), wanted); });
}

TEST(live_report, tells_what_the_rank_does_and_how_far_it_is) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto agent = scene.run({.attempt = 4, .variables = reports_to(server, scene)},
                         {"sh", "-c",
                          "trap 'sleep 0.3; exit 0' TERM; mkdir " + scene.volume().string() +
                              "/step-7; echo 'step 7/10'; while :; do sleep 0.01; done"});
  EXPECT_TRUE(eventually_reports(server, [](const auto& report) {
    const auto* progress = report.if_contains("progress");
    return text_of(report, "activity") == "Saving" && progress != nullptr &&
           number_of(progress->as_object(), "step") == 7 && number_of(progress->as_object(), "percentage") == 70;
  }));
  put_text(scene.volume() / "step-7" / "_COMPLETE", "");
  EXPECT_TRUE(eventually_reports(server, [](const auto& report) {
    const auto* checkpoint = report.if_contains("checkpoint");
    return text_of(report, "activity") == "Training" && checkpoint != nullptr &&
           text_of(checkpoint->as_object(), "path") == "step-7";
  }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(activities_of(server), Contains("Stopping"));
  const auto first = server.requests().front();
  EXPECT_THAT(first.head, HasSubstr("POST /v1/reports HTTP/1.1\r\n"));
  EXPECT_THAT(first.head, HasSubstr(std::string("Authorization: Bearer ") + kToken + "\r\n"));
  EXPECT_THAT(first.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(number_of(reports_of(server).front(), "attempt"), 4);
}

// Ranks with a volume each delete what is older than the step that all have told as durable.
TEST(live_report, what_is_read_in_full_is_told_as_durable_only_once_that_has_passed) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto variables = reports_to(server, scene);
  variables["REPRISE_CHECKPOINT_VERIFY"] = "Full";
  const std::string step = scene.volume().string() + "/step-7";
  auto agent =
      scene.run({.variables = variables}, {"sh", "-c",
                                           "trap 'exit 0' TERM; sleep 0.5; mkdir " + step + "; echo w > " + step +
                                               "/weights; touch " + step + "/_COMPLETE; while :; do sleep 0.01; done"});
  const auto proven = [](const auto& report) {
    const auto* checkpoint = report.if_contains("checkpoint");
    return checkpoint != nullptr && !flag_of(checkpoint->as_object(), "structureOnly").value_or(false);
  };
  EXPECT_TRUE(eventually_reports(server, proven));
  const auto reports = reports_of(server);
  const auto first = std::ranges::find_if(reports, [](const auto& each) { return each.contains("checkpoint"); });
  ASSERT_NE(first, reports.end());
  EXPECT_FALSE(proven(*first));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
}

TEST(live_report, the_progress_file_is_reported) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto agent = scene.run({.variables = reports_to(server, scene)},
                         {"sh", "-c",
                          "echo 'step 1/10'; echo '{\"step\": 5, \"totalSteps\": 20}' > $REPRISE_PROGRESS_FILE; "
                          "while [ ! -e " +
                              scene.path("go").string() + " ]; do sleep 0.01; done"});
  EXPECT_TRUE(eventually_reports(server, [](const auto& report) {
    const auto* progress = report.if_contains("progress");
    return progress != nullptr && number_of(progress->as_object(), "totalSteps") == 20;
  }));
  put_text(scene.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
}

// As transformers' Trainer does it.
TEST(live_report, what_a_trainer_tells_as_to_kubeflow_is_reported) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  const std::string post =
      "import os, time, urllib.error, urllib.request\n"
      "token = open(os.environ['KUBEFLOW_TRAINER_SERVER_TOKEN']).read()\n"
      "def tell(token):\n"
      "  try: return urllib.request.urlopen(urllib.request.Request(os.environ['KUBEFLOW_TRAINER_SERVER_URL'],\n"
      "    headers={'Authorization': 'Bearer ' + token}, data=b'{\"trainerStatus\": {\"progressPercentage\": 42}}',\n"
      "    method='POST')).status\n"
      "  except urllib.error.HTTPError as refused: return refused.code\n"
      "print('answers', tell('wrong'), tell(token), flush=True)\n"
      "time.sleep(1000)\n";
  auto agent = scene.run({.variables = reports_to(server, scene)}, {"python3", "-c", post});
  EXPECT_TRUE(scene.wait_for_text(1, "answers 401 200"));
  EXPECT_TRUE(eventually_reports(server, [](const auto& report) {
    const auto* progress = report.if_contains("progress");
    return progress != nullptr && number_of(progress->as_object(), "percentage") == 42;
  }));
}

TEST(live_report, what_kubeflow_has_set_is_left_alone) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto variables = reports_to(server, scene);
  variables["KUBEFLOW_TRAINER_SERVER_URL"] = "https://kubeflow";
  auto agent = scene.run({.variables = variables}, {"env"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("KUBEFLOW_TRAINER_SERVER_URL=https://kubeflow\n"));
  EXPECT_THAT(scene.output(1), Not(HasSubstr("KUBEFLOW_TRAINER_SERVER_TOKEN")));
}

TEST(live_report, without_them_nothing_is_served) {
  const Scene scene;
  auto agent = scene.run({}, {"env"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), Not(HasSubstr("KUBEFLOW")));
}

TEST(live_report, a_rank_that_waits_for_index_0_says_so) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto variables = reports_to(server, scene);
  variables["REPRISE_PARALLELISM"] = "2";
  auto agent = scene.run({.index = 1, .variables = variables}, {"true"});
  EXPECT_TRUE(eventually_reports(server, [](const auto& report) {
    return text_of(report, "activity") == "WaitingForPeer" &&
           text_of(report, "message").value_or("").find("index 0") != std::string::npos;
  }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
}

TEST(live_report, goes_with_the_token_that_is_there_now) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto agent = scene.run({.variables = reports_to(server, scene)}, {"sleep", "1000"});
  ASSERT_TRUE(eventually([&] { return !server.requests().empty(); }));
  put_text(scene.path("token"), "renewed");
  EXPECT_TRUE(
      eventually([&] { return server.requests().back().head.find("Bearer renewed\r\n") != std::string::npos; }));
}

TEST(live_report, a_failure_and_its_end_are_told_once_without_the_token) {
  const Scene scene;
  ReportServer server(Behaviour::Denies);
  auto agent = scene.run({.variables = reports_to(server, scene)}, {"sleep", "1000"});
  ASSERT_TRUE(eventually([&] { return server.requests().size() >= 3; }));
  server.behave(Behaviour::Takes);
  EXPECT_TRUE(scene.wait_for_text(1, "live reports are taken again"));
  const std::string said = scene.output(1);
  EXPECT_EQ(said.find("no live reports for now"), said.rfind("no live reports for now"));
  EXPECT_THAT(said, HasSubstr("it answered 401"));
  EXPECT_THAT(said, Not(HasSubstr("secret")));
}

TEST(live_report, a_name_is_not_resolved_and_stops_no_training) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  const auto variables = reports_to(server, scene);
  point(scene, "https://localhost:9446", server.authority());
  auto agent = scene.run({.variables = variables}, {"sleep", "0.3"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("no live reports are made: the operator's address is"));
}

TEST(live_report, follow_the_annotation_to_another_operator) {
  const Scene scene;
  const ReportServer first(Behaviour::Takes), next(Behaviour::Takes);
  auto agent = scene.run({.variables = reports_to(first, scene)}, {"sleep", "1000"});
  EXPECT_TRUE(eventually([&] { return !first.requests().empty(); }));
  point(scene, next.url(), next.authority());
  EXPECT_TRUE(eventually([&] { return !next.requests().empty(); }));
}

TEST(live_report, an_annotation_that_is_none_stops_no_training) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  const auto variables = reports_to(server, scene);
  point(scene, "", "");
  auto agent = scene.run({.variables = variables}, {"sleep", "0.3"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("reprise.dev/report-to is not"));
}

TEST(live_report, whoever_has_no_such_certificate_is_told_nothing) {
  for (const bool another : {false, true}) {
    const Scene scene;
    const ReportServer server(Behaviour::Takes, another ? "DNS:reprise-operator" : "DNS:somebody-else", another);
    auto agent = scene.run({.variables = reports_to(server, scene)}, {"sleep", "1000"});
    EXPECT_TRUE(scene.wait_for_text(1, "its certificate is not the one to trust"));
    EXPECT_TRUE(server.requests().empty());
  }
}

// A certificate that an authority of the cluster has signed, such as cert-manager's.
TEST(live_report, goes_to_the_owner_of_the_very_certificate_that_the_pod_was_told) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  const auto variables = reports_to(server, scene);
  point(scene, server.url(), server.certificate());
  auto agent = scene.run({.variables = variables}, {"sleep", "1000"});
  EXPECT_TRUE(eventually([&] { return server.requests().size() >= 3; }, 5s)) << scene.output(1);
}

TEST(live_report, goes_to_nobody_else_whom_the_same_authority_has_certified) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  const auto variables = reports_to(server, scene);
  point(scene, server.url(), server.issued_to_somebody_else());
  auto agent = scene.run({.variables = variables}, {"sleep", "1000"});
  EXPECT_TRUE(scene.wait_for_text(1, "its certificate is not the one to trust"));
  EXPECT_TRUE(server.requests().empty());
}

TEST(live_report, goes_on_with_the_session_of_the_one_before) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto agent = scene.run({.variables = reports_to(server, scene)}, {"sleep", "1000"});
  EXPECT_TRUE(eventually([&] { return server.resumed() >= 3; })) << scene.output(1);
}

// The configuration is meant for the trainer, or comes with its image.
TEST(live_report, obeys_no_configuration_of_openssl_that_it_finds) {
  const Scene scene;
  const ReportServer server(Behaviour::Takes);
  auto variables = reports_to(server, scene);
  put_text(scene.path("openssl.cnf"),
           "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMaxProtocol = TLSv1\n");
  variables["OPENSSL_CONF"] = scene.path("openssl.cnf").string();
  auto agent = scene.run({.variables = variables}, {"sleep", "1000"});
  EXPECT_TRUE(eventually([&] { return !server.requests().empty(); })) << scene.output(1);
}

struct Operator {
  const char* name;
  Behaviour behaviour = Behaviour::Takes;
  const char* names = "DNS:reprise-operator";
  bool another_authority = false;
  bool gone = false;
};

class Training : public testing::TestWithParam<Operator> {
 protected:
  [[nodiscard]] Variables variables(const ReportServer& server, const Scene& scene) const {
    const auto variables = reports_to(server, scene);
    if (GetParam().gone) point(scene, "https://127.0.0.1:1", server.authority());
    return variables;
  }
};

TEST_P(Training, ends_as_it_does_without_reports_and_as_soon) {
  const Scene scene;
  const ReportServer server(GetParam().behaviour, GetParam().names, GetParam().another_authority);
  const auto begin = std::chrono::steady_clock::now();
  auto agent = scene.run({.variables = variables(server, scene)}, {"sh", "-c", "sleep 0.5; exit 3"});
  EXPECT_EQ(agent.wait(), 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);  // an exchange may take five
  EXPECT_TRUE(scene.record(1));
  EXPECT_TRUE(GetParam().gone || server.connections() > 0);
}

TEST_P(Training, is_stopped_as_it_is_without_reports_and_as_soon) {
  const Scene scene;
  const ReportServer server(GetParam().behaviour, GetParam().names, GetParam().another_authority);
  auto agent = scene.run({.variables = variables(server, scene)},
                         {"sh", "-c", "trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  const auto begin = std::chrono::steady_clock::now();
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 9);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
}

INSTANTIATE_TEST_SUITE_P(whatever_the_operator_does, Training,
                         testing::Values(Operator{.name = "takes"},
                                         Operator{.name = "denies", .behaviour = Behaviour::Denies},
                                         Operator{.name = "throttles", .behaviour = Behaviour::Throttles},
                                         Operator{.name = "talks_garbage", .behaviour = Behaviour::TalksGarbage},
                                         Operator{.name = "never_answers", .behaviour = Behaviour::NeverAnswers},
                                         Operator{.name = "never_greets", .behaviour = Behaviour::NeverGreets},
                                         Operator{.name = "greets_half", .behaviour = Behaviour::GreetsHalf},
                                         Operator{.name = "closes_early", .behaviour = Behaviour::ClosesEarly},
                                         Operator{.name = "is_somebody_else", .names = "DNS:somebody-else"},
                                         Operator{.name = "is_certified_by_another", .another_authority = true},
                                         Operator{.name = "is_gone", .gone = true}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace reprise::agent
