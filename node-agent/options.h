// The flags of reprise-node-agent, and what a pod's environment gives. Pure.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"

namespace reprise::node_agent {

struct Options {
  std::string node_name;
  std::optional<Provider> provider;  // empty: as the Node's spec.providerID says
  std::string metadata_url = "http://169.254.169.254:80";
  std::string server;
  std::string server_name = "kubernetes.default.svc";  // every API server's certificate has it
  std::string token_file = "/var/run/secrets/kubernetes.io/serviceaccount/token";
  std::string authority_file = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
};

using Environment = std::function<std::optional<std::string>(const char* name)>;

// Reads "--flag=value" and "--flag value". An error names flag, value found, values allowed.
[[nodiscard]] std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments,
                                                                const Environment& environment);

[[nodiscard]] std::string_view usage();

}  // namespace reprise::node_agent
