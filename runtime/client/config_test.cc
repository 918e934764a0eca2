#include "runtime/client/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace reprise::runtime {
namespace {

struct ConfigTest : ::testing::Test {
  ConfigTest() { std::filesystem::create_directories(folder); }
  ~ConfigTest() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("reprise-config-test-" + std::to_string(getpid()));
};

constexpr const char* two_contexts = R"(
apiVersion: v1
kind: Config
current-context: a
contexts:
- {name: a, context: {cluster: one, user: cert, namespace: vision}}
- {name: b, context: {cluster: two, user: token}}
clusters:
- {name: one, cluster: {server: "https://one:6443/prefix", certificate-authority-data: "Q0EgUEVN"}}
- {name: two, cluster: {server: "https://two", insecure-skip-tls-verify: true, tls-server-name: kubernetes}}
users:
- {name: cert, user: {client-certificate: cert.pem, client-key-data: "S0VZ"}}
- {name: token, user: {token: secret, tokenFile: token}}
)";

TEST_F(ConfigTest, the_current_context_is_read_with_data_and_files) {
  write("cert.pem", "CERT");
  const auto config = read_kubeconfig(write("config", two_contexts), "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.url, "https://one:6443/prefix");
  EXPECT_EQ(config->server.identity.ca_pem, "CA PEM");
  EXPECT_EQ(config->server.identity.client_certificate_pem, "CERT");
  EXPECT_EQ(config->server.identity.client_key_pem, "KEY");
  EXPECT_EQ(config->namespace_, "vision");
  EXPECT_FALSE(config->server.insecure_skip_verify);
}

TEST_F(ConfigTest, a_given_context_wins) {
  const auto config = read_kubeconfig(write("config", two_contexts), "b");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.url, "https://two");
  EXPECT_TRUE(config->server.insecure_skip_verify);
  EXPECT_EQ(config->server.tls_server_name, "kubernetes");
  EXPECT_EQ(config->token_file, (folder / "token").string());
}

TEST_F(ConfigTest, of_several_files_the_first_counts_per_name_and_paths_count_from_their_own_file) {
  std::filesystem::create_directories(folder / "other");
  const std::string first = write("first", R"(
clusters: [{name: one, cluster: {server: "https://first"}}]
contexts: [{name: b, context: {cluster: two, user: token, namespace: first}}]
)");
  write("other/cert.pem", "CERT");
  const std::string second = write("other/second", two_contexts);
  const std::string absent = (folder / "absent").string();
  const auto config = read_kubeconfigs({absent, first, second}, "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.url, "https://first") << "the current context is of the first file that sets one";
  EXPECT_EQ(config->server.identity.ca_pem, "") << "what a later file says under the name does not count";
  EXPECT_EQ(config->server.identity.client_certificate_pem, "CERT");
  const auto chosen = read_kubeconfigs({first, second}, "b");
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->server.url, "https://two");
  EXPECT_EQ(chosen->namespace_, "first");
  const auto none = read_kubeconfigs({absent, absent + "-too"}, "");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("none of these files exists: " + absent), std::string::npos);
  EXPECT_FALSE(read_kubeconfigs({first, write("broken", "a: [b")}, "b"))
      << "one that cannot be read is not passed over";
}

TEST_F(ConfigTest, the_environment_may_name_several_files) {
  const std::string first = write("first", "current-context: b\n");
  write("cert.pem", "CERT");
  setenv("KUBECONFIG", (":" + first + ":" + write("config", two_contexts)).c_str(), 1);
  const auto config = find_cluster("", "");
  unsetenv("KUBECONFIG");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.url, "https://two");
}

TEST_F(ConfigTest, what_is_missing_is_named) {
  const auto context = read_kubeconfig(write("config", two_contexts), "zzz");
  ASSERT_FALSE(context);
  EXPECT_NE(context.error().message.find("zzz"), std::string::npos);
  const auto certificate = read_kubeconfig(write("config", two_contexts), "a");
  ASSERT_FALSE(certificate);
  EXPECT_NE(certificate.error().message.find("cert.pem"), std::string::npos);
  EXPECT_FALSE(read_kubeconfig(write("broken", "a: [b"), ""));
  EXPECT_FALSE(read_kubeconfig((folder / "absent").string(), ""));
}

TEST_F(ConfigTest, a_directory_in_its_place_is_an_error_that_says_so) {
  const auto config = read_kubeconfig("/tmp", "");
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("cannot read /tmp: Is a directory"), std::string::npos);
}

TEST_F(ConfigTest, a_file_that_can_be_read_in_two_ways_or_without_end_is_rejected_with_its_line) {
  std::string twice = two_contexts;
  twice += "current-context: b\n";
  const auto ambiguous = read_kubeconfig(write("twice", twice), "");
  ASSERT_FALSE(ambiguous);
  EXPECT_NE(ambiguous.error().message.find("found the key 'current-context' a second time"), std::string::npos)
      << ambiguous.error().message;
  EXPECT_NE(ambiguous.error().message.find((folder / "twice").string() + ": line "), std::string::npos);
  std::string bomb = "a0: &a0 {server: x}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
    bomb.append(name).append(": &").append(name).append(" [").append(alias);
    for (int k = 0; k < 8; ++k) bomb.append(", ").append(alias);
    bomb.append("]\n");
  }
  const auto endless = read_kubeconfig(write("bomb", bomb), "");
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("aliases followed"), std::string::npos) << endless.error().message;
}

// One cluster and one user with what the test puts in.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "current-context: c\n"
         "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {server: 'https://api.example.com:6443'" +
         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

TEST_F(ConfigTest, what_cannot_be_honoured_is_rejected_by_name) {
  const struct {
    const char* invariant;
    const char* cluster;
    const char* user;
    const char* want;
  } cases[] = {
      {"auth-provider went out of use", "", "auth-provider: {name: gcp}", "auth-provider"},
      {"passwords went out of use", "", "username: a, password: b", "username"},
      {"a certificate without its key", "", "client-certificate-data: Q0E=", "client-key"},
      {"groups without a user", "", "as-groups: [a]", "as-groups"},
      {"an unknown proxy", ", proxy-url: 'ftp://p'", "token: t", "proxy-url"},
      {"a plugin without a version", "", "exec: {command: aws}", "apiVersion"},
      {"a plugin of a version to come", "", "exec: {command: aws, apiVersion: client.authentication.k8s.io/v2}", "v2"},
      {"a plugin without a command", "", "exec: {apiVersion: client.authentication.k8s.io/v1}", "command"},
      {"a plugin that wants a person", "",
       "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}", "interactiveMode"},
  };
  for (const auto& test : cases) {
    const auto config = read_kubeconfig(write("config", kubeconfig(test.cluster, test.user)), "");
    ASSERT_FALSE(config) << test.invariant;
    EXPECT_EQ(config.error().error_class, ErrorClass::Terminal) << test.invariant;
    EXPECT_NE(config.error().message.find(test.want), std::string::npos) << config.error().message;
  }
}

TEST_F(ConfigTest, a_credential_plugin_is_read_in_full) {
  const auto config = read_kubeconfig(write("config", kubeconfig(R"(
, certificate-authority-data: Q0E=, tls-server-name: kubernetes, disable-compression: true, extensions: [
  {name: other, extension: {x: y}},
  {name: client.authentication.k8s.io/exec, extension: {audience: "1", count: 2, on: true, list: [a]}}])",
                                                                 R"(exec: {
  apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/login, args: [get, --now], env: [{name: A, value: b}],
  installHint: Get it, provideClusterInfo: true, interactiveMode: IfAvailable})")),
                                      "");
  ASSERT_TRUE(config) << config.error().message;
  const ExecPlugin& plugin = config->exec.value();
  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1beta1");
  EXPECT_EQ(plugin.arguments, (std::vector<std::string>{(folder / "./bin/login").string(), "get", "--now"}));
  EXPECT_EQ(plugin.environment.front(), (std::pair<std::string, std::string>("A", "b")));
  EXPECT_EQ(plugin.install_hint, "Get it");
  EXPECT_EQ(plugin.cluster_json,
            R"({"certificate-authority-data":"Q0E=","config":{"audience":"1","count":2,"list":["a"],"on":true},)"
            R"("disable-compression":true,"server":"https://api.example.com:6443","tls-server-name":"kubernetes"})");
  EXPECT_TRUE(config->server.disable_compression);
}

TEST_F(ConfigTest, a_plugin_learns_of_the_cluster_only_where_that_is_wanted) {
  const auto config = read_kubeconfig(
      write("config", kubeconfig("", "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}")), "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->exec->cluster_json, "");
  EXPECT_EQ(config->exec->arguments, std::vector<std::string>{"aws"});
}

TEST_F(ConfigTest, who_to_pose_as_becomes_headers) {
  const auto config = read_kubeconfig(
      write("config", kubeconfig("", "token: t, as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {x/y: [z]}")),
      "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(impersonation_headers(config->impersonate), (Headers{{"Impersonate-User", "jane"},
                                                                 {"Impersonate-Uid", "7"},
                                                                 {"Impersonate-Group", "a"},
                                                                 {"Impersonate-Group", "b"},
                                                                 {"Impersonate-Extra-x%2Fy", "z"}}));
}

TEST_F(ConfigTest, files_are_remembered_for_rotation_and_data_are_not) {
  write("ca.pem", "CA");
  write("cert.pem", "CERT");
  const auto config = read_kubeconfig(
      write("config",
            kubeconfig(", certificate-authority: ca.pem", "client-certificate: cert.pem, client-key-data: S0VZ")),
      "");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->tls_files.ca, (folder / "ca.pem").string());
  EXPECT_EQ(config->tls_files.certificate, (folder / "cert.pem").string());
  EXPECT_EQ(config->tls_files.key, "");
}

TEST_F(ConfigTest, the_cluster_s_proxy_wins_over_the_environment_s) {
  setenv("HTTPS_PROXY", "proxy.example.com:3128", 1);
  const auto own = read_kubeconfig(write("config", kubeconfig(", proxy-url: 'socks5://p:1080'", "token: t")), "");
  const auto environment = read_kubeconfig(write("config", kubeconfig("", "token: t")), "");
  setenv("NO_PROXY", "example.com", 1);
  const auto exempt = read_kubeconfig(write("config", kubeconfig("", "token: t")), "");
  unsetenv("HTTPS_PROXY");
  unsetenv("NO_PROXY");
  EXPECT_EQ(own->server.proxy_url, "socks5://p:1080");
  EXPECT_EQ(environment->server.proxy_url, "http://proxy.example.com:3128");
  EXPECT_EQ(exempt->server.proxy_url, "");
}

TEST_F(ConfigTest, a_pod_finds_its_mounted_files) {
  write("ca.crt", "CA");
  write("token", "T");
  write("namespace", "reprise-system");
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto config = read_in_cluster(folder.string());
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.url, "https://[fd00::1]:443");
  EXPECT_EQ(config->namespace_, "reprise-system");
  EXPECT_EQ(config->token_file, folder.string() + "/token");
  EXPECT_EQ(config->tls_files.ca, folder.string() + "/ca.crt");
}

}  // namespace
}  // namespace reprise::runtime
