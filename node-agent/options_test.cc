#include "node-agent/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace reprise::node_agent {
namespace {

Environment pod(std::map<std::string, std::string> variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

const Environment kPod =
    pod({{"NODE_NAME", "gpu-1"}, {"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}});

TEST(Options, come_from_the_pod) {
  const auto options = parse_options({}, kPod);
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->node_name, "gpu-1");
  EXPECT_EQ(options->server, "https://10.96.0.1:443");
  EXPECT_FALSE(options->provider);
  const auto six = parse_options(
      {}, pod({{"NODE_NAME", "a"}, {"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}}));
  ASSERT_TRUE(six) << six.error();
  EXPECT_EQ(six->server, "https://[fd00::1]:443");
}

TEST(Options, are_changed_by_flags_in_both_notations) {
  const auto options =
      parse_options({"--provider=gcp", "--node-name", "b", "--metadata-url", "http://127.0.0.1:8080",
                     "--server=https://127.0.0.1:6443", "--token-file=/t", "--authority-file=/a", "--server-name=api"},
                    kPod);
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->provider, Provider::Gcp);
  EXPECT_EQ(options->node_name, "b");
  EXPECT_EQ(options->metadata_url, "http://127.0.0.1:8080");
  EXPECT_EQ(options->token_file, "/t");
}

TEST(Options, that_are_wrong_are_named_with_what_is_allowed) {
  const std::map<std::vector<std::string>, const char*> table{
      {{"--provider=ibm"}, "aws, gcp or azure"},
      {{"--node-name="}, "NODE_NAME"},
      {{"--node-name=a/../../b"}, "name of a Node"},
      {{"--metadata-url=http://metadata.google.internal:80"}, "ADDRESS:PORT"},
      {{"--metadata-url=https://169.254.169.254:443"}, "http://"},
      {{"--server=http://10.0.0.1:443"}, "https://"},
      {{"--frequency=1"}, "unknown flag"},
      {{"--provider"}, "needs a value"},
  };
  for (const auto& [arguments, said] : table) {
    const auto options = parse_options(arguments, kPod);
    ASSERT_FALSE(options) << arguments[0];
    EXPECT_THAT(options.error(), testing::HasSubstr(said));
  }
  EXPECT_FALSE(parse_options({}, pod({{"NODE_NAME", "a"}}))) << "no API server is known";
}

TEST(Options, usage_names_each_flag) {
  for (const char* flag :
       {"--node-name", "--provider", "--metadata-url", "--server", "--server-name", "--token-file", "--authority-file"})
    EXPECT_THAT(std::string(usage()), testing::HasSubstr(std::string("  ") + flag + " arg"));
}

}  // namespace
}  // namespace reprise::node_agent
