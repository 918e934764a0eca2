#include "apps/reprise-operator/operator_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::apps {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(OperatorOptions, default_to_what_a_cluster_wants) {
  const auto options = parse_operator_options({});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->leader_elect);
  EXPECT_EQ(options->metrics_bind_address, ":8080");
  EXPECT_EQ(options->health_probe_bind_address, ":8081");
  EXPECT_EQ(options->debug_bind_address, "0");
  EXPECT_EQ(options->log_format, runtime::LogFormat::Json);
}

TEST(OperatorOptions, take_values_behind_a_blank_or_an_equals_sign) {
  const auto options = parse_operator_options({"--kubeconfig", "/k", "--leader-elect=false", "--log-level=debug",
                                               "--max-concurrent-reconciles=8", "--metrics-bind-address=127.0.0.1:0"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->kubeconfig, "/k");
  EXPECT_FALSE(options->leader_elect);
  EXPECT_EQ(options->log_level, runtime::LogLevel::Debug);
  EXPECT_EQ(options->max_concurrent_reconciles, 8);
}

TEST(OperatorOptions, take_the_timing_of_the_lease) {
  const auto options = parse_operator_options({"--leader-elect-lease-duration=137s", "--leader-elect-renew-deadline",
                                               "107s", "--leader-elect-retry-period=26s"});
  ASSERT_TRUE(options);
  using std::chrono::seconds;
  EXPECT_EQ(options->lease_timing, (runtime::LeaseTiming{seconds(137), seconds(107), seconds(26)}));
}

TEST(OperatorOptions, take_where_to_look_how_long_to_stop_and_how_to_pull_the_agent) {
  const auto options = parse_operator_options(
      {"--watch-namespaces=team-a,team-b,team-a", "--device-plugin-namespace=gpu-operator", "--shutdown-timeout=55s",
       "--agent-image-pull-policy=Never", "--agent-image-pull-secrets=registry,two.example"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->watch_namespaces, ElementsAre("team-a", "team-b"));
  EXPECT_EQ(options->device_plugin_namespace, "gpu-operator");
  EXPECT_EQ(options->shutdown_timeout, std::chrono::seconds(55));
  EXPECT_EQ(options->agent_image_pull_policy, "Never");
  EXPECT_THAT(options->agent_image_pull_secrets, ElementsAre("registry", "two.example"));
}

TEST(OperatorOptions, an_empty_list_of_namespaces_is_all_of_them) {
  const auto options = parse_operator_options({"--watch-namespaces", ""});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->watch_namespaces.empty());
}

TEST(OperatorOptions, reject_what_they_do_not_know_by_name) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"--kube", "/k"}, "--kube"},
      {{"--nonsense"}, "--nonsense"},
      {{"extra"}, "unknown argument 'extra'"},
      {{"--kubeconfig"}, "kubeconfig"},
      {{"--leader-elect=maybe"}, "--leader-elect: found 'maybe'"},
      {{"--leader-elect-retry-period=2"}, "found '2', must be a duration"},
      {{"--leader-elect-lease-duration=10s"}, "lease duration: found 10s, must be more than the renew deadline of 10s"},
      {{"--max-concurrent-reconciles=0"}, "--max-concurrent-reconciles: found '0'"},
      {{"--max-concurrent-reconciles=many"}, "must be 1 to 64"},
      {{"--log-level=loud"}, "must be debug, info, warning or error"},
      {{"--log-format=xml"}, "must be json or text"},
      {{"--watch-namespaces=team-a,Team_B"}, "found 'team-a,Team_B', must be names of namespaces"},
      {{"--watch-namespaces=,"}, "found ',', must be names of namespaces"},
      {{"--device-plugin-namespace=a.b"}, "found 'a.b', must be the name of a namespace"},
      {{"--otlp-endpoint=collector:4317"}, "--otlp-endpoint: no URL of http or https; write http://HOST:PORT"},
      {{"--otlp-endpoint=https://me:secret@collector"}, "credentials belong into OTEL_EXPORTER_OTLP_HEADERS"},
      {{"--shutdown-timeout=25"}, "found '25', must be a duration"},
      {{"--shutdown-timeout=900ms"}, "at least 1000ms"},
      {{"--shutdown-timeout=11m"}, "must be 10m at most"},
      {{"--agent-image-pull-policy=always"}, "must be Always, IfNotPresent or Never"},
      {{"--agent-image-pull-secrets=registry,-x"}, "must be names of Secrets"},
      {{"--metrics-bind-address=8080"}, "must be host:port"},
      {{"--metrics-secure=yes"}, "must be true"},
      {{"--metrics-cert-path=/pair"}, "without --metrics-secure"},
      {{"--job-metrics-limit=-1"}, "must be 0 to 1000"},
      {{"--job-metrics-limit=1001"}, "must be 0 to 1000"},
      {{"--report-bind-address=here"}, "host:port"},
      {{"--report-bind-address=:9446"}, "without --report-service or --report-url"},
      {{"--report-url=https://reports.example.com:9446"}, "with an IP address"},
      {{"--report-url=http://10.0.0.1:9446"}, "with an IP address"},
      {{"--report-bind-address=:9446", "--report-service=Not A Name"}, "the name of a Service"},
      {{"--debug-bind-address=8082"}, "must be host:port"},
      {{"--health-probe-bind-address=:99999"}, "must be host:port"}};
  for (const auto& [arguments, expected] : rows) {
    const auto options = parse_operator_options(arguments);
    ASSERT_FALSE(options) << arguments[0];
    EXPECT_TRUE(options.error().error);
    EXPECT_THAT(options.error().text, HasSubstr(expected));
  }
}

TEST(OperatorOptions, metrics_are_plain_unless_they_are_to_be_secure) {
  EXPECT_FALSE(parse_operator_options({})->metrics_secure);
  const auto secure = parse_operator_options({"--metrics-secure", "--metrics-cert-path=/pair"});
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->metrics_secure);
  EXPECT_EQ(secure->metrics_cert_path, "/pair");
}

TEST(OperatorOptions, metrics_by_job_are_bounded_and_can_be_turned_off) {
  EXPECT_EQ(parse_operator_options({})->job_metrics_limit, 500);
  EXPECT_EQ(parse_operator_options({"--job-metrics-limit=0"})->job_metrics_limit, 0);
}

// The help text is where a flag cannot be missing.
TEST(OperatorOptions, each_flag_that_sets_something_is_shown_with_its_value) {
  const auto options = parse_operator_options(
      {"--shutdown-timeout=55s", "--watch-namespaces=a,b", "--otlp-endpoint=http://collector:4318"});
  ASSERT_TRUE(options);
  const auto shown = flag_values(*options);
  EXPECT_THAT(shown, Contains(Pair("shutdown-timeout", "55000ms")));
  EXPECT_THAT(shown, Contains(Pair("watch-namespaces", "a,b")));
  EXPECT_THAT(shown, Contains(Pair("otlp-endpoint", "http://collector:4318")));
  const std::string help = parse_operator_options({"--help"}).error().text;
  std::size_t described = 0;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) ++described;
  constexpr std::size_t that_end_at_once = 3;  // --help, --version, --print-permissions
  EXPECT_EQ(shown.size() + that_end_at_once, described) << help;
  for (const auto& [name, value] : shown) EXPECT_THAT(help, HasSubstr("--" + name + " "));
}

TEST(OperatorOptions, help_is_no_error) {
  const auto options = parse_operator_options({"--help"});
  ASSERT_FALSE(options);
  EXPECT_FALSE(options.error().error);
  EXPECT_THAT(options.error().text, HasSubstr("--leader-elect"));
}

}  // namespace
}  // namespace reprise::apps
