// Credential plugins of kubeconfig (`user.exec`): their input, their answer, and running one.
// client.authentication.k8s.io/v1 and v1beta1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

class ChildStop;

struct ExecPlugin {
  std::string api_version;
  std::vector<std::string> arguments;  // the command first; without a slash it is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string install_hint = {};
  std::string cluster_json = {};  // for provideClusterInfo; empty: not provided
  Duration timeout{30'000};       // then it is killed with all it started
};

// A token, a client certificate, or both. Never log one.
struct ExecAnswer {
  std::string bearer, certificate_pem, key_pem;
  std::optional<WallTime> expires;
};

// How a run ended, as client-go names it, for metrics.
enum class ExecEnd {
  NoError,
  PluginExecutionError,  // the plugin ended with an exit code other than 0
  PluginNotFoundError,   // there is no such command
  ClientInternalError,   // anything else: it took too long, printed nonsense, was stopped
};
[[nodiscard]] std::string_view name(ExecEnd end);

struct ExecOutcome {
  Result<ExecAnswer> answer;
  ExecEnd end = ExecEnd::NoError;
  int exit_code = 0;  // 1 where there is none and it failed
};

// The plugin's environment variable KUBERNETES_EXEC_INFO. Never interactive: nobody sits here.
[[nodiscard]] std::string exec_info(const ExecPlugin& plugin);

// Unauthorized with the reason; the plugin's text itself is in no message.
[[nodiscard]] Result<ExecAnswer> parse_exec_answer(const ExecPlugin& plugin, std::string_view output);

// Blocks until the plugin has ended: for a thread of its own. Unauthorized with the command, how it ended, the last
// line of its standard error and the installHint; Cancelled when stopped.
[[nodiscard]] ExecOutcome run_exec_plugin(const ExecPlugin& plugin, const ChildStop& stop);

}  // namespace reprise::runtime
