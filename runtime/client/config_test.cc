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
- {name: plugin, user: {exec: {command: aws}}}
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

TEST_F(ConfigTest, a_credential_plugin_is_refused_in_words) {
  std::string text = two_contexts;
  text.replace(text.find("user: cert,"), 11, "user: plugin,");
  const auto config = read_kubeconfig(write("config", text), "");
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("exec"), std::string::npos);
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
}

}  // namespace
}  // namespace reprise::runtime
