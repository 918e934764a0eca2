#include "apps/reprise-operator/operator_options.h"

#include <boost/program_options.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "apps/common/duration_text.h"

namespace reprise::apps {
namespace {

namespace po = boost::program_options;

std::unexpected<UsageText> wrong(std::string text) {
  return std::unexpected(
      UsageText{"reprise operator: " + std::move(text) + "\nSee 'reprise operator --help'.\n", true});
}

std::optional<bool> as_bool(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// ":8080", "127.0.0.1:8080", "[::1]:8080", "0"
bool is_address(const std::string& text) {
  if (text == "0") return true;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size() || text.size() - colon > 6) return false;
  int port = 0;
  for (const char c : text.substr(colon + 1)) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port <= 65535;
}

po::options_description flags() {
  po::options_description known("Flags");
  known.add_options()("help,h", "show this text")("version", "print the version")(
      "kubeconfig", po::value<std::string>(), "path of a kubeconfig (default: KUBECONFIG, in-cluster, ~/.kube/config)")(
      "context", po::value<std::string>(), "context of the kubeconfig (default: its current context)")(
      "leader-elect", po::value<std::string>()->implicit_value("true"),
      "elect a leader among replicas; only the leader writes (default: true)")(
      "leader-election-namespace", po::value<std::string>(), "namespace of the lease (default: the operator's own)")(
      "leader-elect-lease-duration", po::value<std::string>(),
      "without a renewal others take over after this, at most 600s (default: 15s)")(
      "leader-elect-renew-deadline", po::value<std::string>(),
      "a leader that could not renew for so long ends itself (default: 10s)")(
      "leader-elect-retry-period", po::value<std::string>(),
      "the lease is renewed and looked at so often; longer loads the API server less (default: 2s)")(
      "metrics-bind-address", po::value<std::string>(), "address of /metrics, 0 turns it off (default: :8080)")(
      "health-probe-bind-address", po::value<std::string>(),
      "address of /healthz and /readyz, 0 turns it off (default: :8081)")(
      "debug-bind-address", po::value<std::string>(),
      "loopback address of /debug/state and /debug/log-level, 0 turns it off (default: 0)")(
      "max-concurrent-reconciles", po::value<std::string>(), "reconciles at once per controller, 1 to 64 (default: 4)")(
      "log-level", po::value<std::string>(), "debug, info, warning or error (default: info)")(
      "log-format", po::value<std::string>(), "json or text (default: json)")(
      "agent-image", po::value<std::string>(), "image that holds /reprise-agent, installed into each trainer's pod");
  return known;
}

}  // namespace

std::expected<OperatorOptions, UsageText> parse_operator_options(const std::vector<std::string>& arguments) {
  const po::options_description known = flags();
  po::variables_map given;
  try {
    // No guessing: --kube is not --kubeconfig, and -leader-elect is not a bundle of letters.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(known).positional({}).style(style).run(), given);
  } catch (const po::error& problem) {
    return wrong(problem.what());
  }
  if (given.contains("help")) {
    std::ostringstream text;
    text << "Usage: reprise operator [flags]\n\nRuns the controllers for GpuPool and ResumableJob.\n\n" << known;
    return std::unexpected(UsageText{text.str(), false});
  }

  OperatorOptions options;
  const auto text = [&](const char* flag, std::string& into) {
    if (given.contains(flag)) into = given[flag].as<std::string>();
  };
  text("kubeconfig", options.kubeconfig);
  text("context", options.context);
  text("leader-election-namespace", options.leader_election_namespace);
  text("metrics-bind-address", options.metrics_bind_address);
  text("health-probe-bind-address", options.health_probe_bind_address);
  text("debug-bind-address", options.debug_bind_address);
  text("agent-image", options.agent_image);
  for (const char* flag : {"metrics-bind-address", "health-probe-bind-address", "debug-bind-address"}) {
    if (!given.contains(flag)) continue;
    const auto value = given[flag].as<std::string>();
    if (!is_address(value))
      return wrong("--" + std::string(flag) + ": found '" + value + "', must be host:port, :port or 0");
  }
  if (given.contains("leader-elect")) {
    const auto value = given["leader-elect"].as<std::string>();
    const auto parsed = as_bool(value);
    if (!parsed) return wrong("--leader-elect: found '" + value + "', must be true or false");
    options.leader_elect = *parsed;
  }
  for (const auto& [flag, into] : {std::pair{"leader-elect-lease-duration", &options.lease_timing.lease_duration},
                                   {"leader-elect-renew-deadline", &options.lease_timing.renew_deadline},
                                   {"leader-elect-retry-period", &options.lease_timing.retry_period}}) {
    if (!given.contains(flag)) continue;
    const auto value = given[flag].as<std::string>();
    const auto parsed = parse_duration(value);
    if (!parsed) return wrong("--" + std::string(flag) + ": found '" + value + "', must be a duration such as 15s");
    *into = *parsed;
  }
  if (auto fits = runtime::check(options.lease_timing); !fits)
    return wrong("--leader-elect-...: " + fits.error().message);
  if (given.contains("max-concurrent-reconciles")) {
    const auto value = given["max-concurrent-reconciles"].as<std::string>();
    const bool digits =
        !value.empty() && value.size() <= 2 && value.find_first_not_of("0123456789") == std::string::npos;
    const int parsed = digits ? std::stoi(value) : 0;
    if (parsed < 1 || parsed > 64) return wrong("--max-concurrent-reconciles: found '" + value + "', must be 1 to 64");
    options.max_concurrent_reconciles = parsed;
  }
  if (given.contains("log-level")) {
    const auto value = given["log-level"].as<std::string>();
    if (value == "debug")
      options.log_level = runtime::LogLevel::Debug;
    else if (value == "info")
      options.log_level = runtime::LogLevel::Info;
    else if (value == "warning")
      options.log_level = runtime::LogLevel::Warning;
    else if (value == "error")
      options.log_level = runtime::LogLevel::Error;
    else
      return wrong("--log-level: found '" + value + "', must be debug, info, warning or error");
  }
  if (given.contains("log-format")) {
    const auto value = given["log-format"].as<std::string>();
    if (value == "json")
      options.log_format = runtime::LogFormat::Json;
    else if (value == "text")
      options.log_format = runtime::LogFormat::Text;
    else
      return wrong("--log-format: found '" + value + "', must be json or text");
  }
  return options;
}

}  // namespace reprise::apps
