#include "runtime/client/credentials/exec_plugin.h"

#include <gtest/gtest.h>

#include "runtime/client/internal/child_process.h"
#include "runtime/kube/time.h"

namespace reprise::runtime {
namespace {

constexpr const char* v1 = "client.authentication.k8s.io/v1";

ExecPlugin script(std::string text) {
  return {.api_version = v1, .arguments = {"sh", "-c", std::move(text)}, .install_hint = "Install the tool"};
}

std::string credential(const std::string& status, const std::string& version = v1) {
  return R"({"apiVersion":")" + version + R"(","kind":"ExecCredential","status":{)" + status + "}}";
}

TEST(ExecPlugin, a_token_with_its_expiry_is_read) {
  const auto answer =
      parse_exec_answer(script(""), credential(R"("token":"secret","expirationTimestamp":"2026-11-21T09:00:00Z")"));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->bearer, "secret");
  EXPECT_EQ(answer->expires, kube::parse_time("2026-11-21T09:00:00Z"));
}

TEST(ExecPlugin, a_certificate_is_read) {
  const auto answer = parse_exec_answer(script(""), credential(R"("clientCertificateData":"C","clientKeyData":"K")"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->certificate_pem, "C");
  EXPECT_EQ(answer->key_pem, "K");
}

TEST(ExecPlugin, what_is_wrong_is_said_without_the_secret) {
  const struct {
    const char* invariant;
    std::string output;
    const char* want;
  } cases[] = {
      {"no JSON", "secret", "no JSON"},
      {"nothing", "", "no JSON"},
      {"another kind", R"({"kind":"Pod","x":"secret"})", "ExecCredential"},
      {"another version", credential(R"("token":"secret")", "client.authentication.k8s.io/v1beta1"), "v1beta1"},
      {"no status", credential(""), "neither"},
      {"half a certificate", credential(R"("token":"secret","clientKeyData":"secret")"), "only one"},
      {"no time", credential(R"("token":"secret","expirationTimestamp":"soon")"), "RFC 3339"},
      {"a token that would add a header", credential(R"("token":"secret\r\nX: y")"), "two lines"},
  };
  for (const auto& test : cases) {
    const auto answer = parse_exec_answer(script(""), test.output);
    ASSERT_FALSE(answer) << test.invariant;
    EXPECT_EQ(answer.error().error_class, ErrorClass::Unauthorized) << test.invariant;
    EXPECT_NE(answer.error().message.find(test.want), std::string::npos) << answer.error().message;
    EXPECT_EQ(answer.error().message.find("secret"), std::string::npos) << answer.error().message;
  }
}

TEST(ExecPlugin, the_plugin_is_told_the_version_the_cluster_and_that_nobody_sits_here) {
  ExecPlugin plugin = script("");
  EXPECT_EQ(exec_info(plugin), R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                               R"("spec":{"interactive":false}})");
  plugin.cluster_json = R"({"server":"https://x"})";
  EXPECT_NE(exec_info(plugin).find(R"("cluster":{"server":"https://x"})"), std::string::npos);
}

TEST(ExecPlugin, it_runs_with_its_environment_and_its_input) {
  const ChildStop stop;
  ExecPlugin plugin = script(R"(echo "{\"apiVersion\":\"$V\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"$(
    echo "$KUBERNETES_EXEC_INFO" | grep -c '"interactive":false')\"}}")");
  plugin.environment = {{"V", v1}};
  const auto answer = run_exec_plugin(plugin, stop).answer;
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->bearer, "1");
}

TEST(ExecPlugin, a_failure_names_the_command_its_code_its_last_words_and_what_to_do) {
  const ChildStop stop;
  const auto [answer, end, exit_code] =
      run_exec_plugin(script("echo '{secret}'; echo first >&2; echo 'log in first' >&2; exit 3"), stop);
  ASSERT_FALSE(answer);
  EXPECT_EQ(end, ExecEnd::PluginExecutionError);
  EXPECT_EQ(exit_code, 3);
  EXPECT_EQ(answer.error().message, "credential plugin sh ended with exit code 3: log in first. Install the tool");
  EXPECT_TRUE(answer.error().not_sent);
}

TEST(ExecPlugin, a_command_that_is_not_there_is_named_with_its_hint) {
  const ChildStop stop;
  const auto [answer, end, exit_code] =
      run_exec_plugin({.api_version = v1, .arguments = {"reprise-no-such-plugin"}, .install_hint = "Install it"}, stop);
  EXPECT_EQ(answer.error().message,
            "credential plugin reprise-no-such-plugin cannot be run: No such file or directory. Install it");
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unauthorized);
  EXPECT_EQ(end, ExecEnd::PluginNotFoundError);
  EXPECT_EQ(exit_code, 1);
}

}  // namespace
}  // namespace reprise::runtime
