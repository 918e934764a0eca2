// `user.exec` of a kubeconfig.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>

#include "runtime/client/credentials/exec_plugin.h"
#include "runtime/http/curl_transport.h"

namespace reprise::runtime {

// `server` has been read from `cluster` already. A command with a slash counts from `folder`.
[[nodiscard]] Result<ExecPlugin> read_exec(const YAML::Node& exec, const YAML::Node& cluster,
                                           const ServerConfig& server, const std::filesystem::path& folder);

}  // namespace reprise::runtime
