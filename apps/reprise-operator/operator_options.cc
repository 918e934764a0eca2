#include "apps/reprise-operator/operator_options.h"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <sstream>
#include <utility>

#include "apps/common/flags.h"
#include "runtime/traces/otlp_endpoint.h"

namespace reprise::apps {
namespace {

namespace po = flags::po;

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

po::options_description known_flags() {
  auto known = flags::described();
  known.add_options()("kubeconfig", po::value<std::string>(),
                      "path of a kubeconfig (default: KUBECONFIG, in-cluster, ~/.kube/config)")(
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
      "metrics-secure", po::value<std::string>()->implicit_value("true"),
      "serve /metrics over TLS, and only to those who may get that path as the API server says (default: false)")(
      "metrics-cert-path", po::value<std::string>(),
      "folder with tls.crt and tls.key for that, read again when they change (default: a certificate that the operator "
      "makes and signs itself)")(
      "job-metrics-limit", po::value<std::string>(),
      "at most so many unfinished jobs have metrics of their own, 0 to 1000; 0: none (default: 500)")(
      "health-probe-bind-address", po::value<std::string>(),
      "address of /healthz and /readyz, 0 turns it off (default: :8081)")(
      "debug-bind-address", po::value<std::string>(),
      "loopback address of /debug/state, /debug/log-level, /statusz and /flagz, 0 turns it off (default: 0)")(
      "max-concurrent-reconciles", po::value<std::string>(), "reconciles at once per controller, 1 to 64 (default: 4)")(
      "log-level", po::value<std::string>(), "debug, info, warning or error (default: info)")(
      "log-format", po::value<std::string>(), "json or text (default: json)")(
      "otlp-endpoint", po::value<std::string>(),
      "URL of a receiver of OTLP over HTTP, for traces of jobs; headers with secrets come in the variable "
      "OTEL_EXPORTER_OTLP_HEADERS (default: OTEL_EXPORTER_OTLP_ENDPOINT; no traces where that is not set either)")(
      "watch-namespaces", po::value<std::string>(),
      "comma-separated; jobs and their pods are followed in these namespaces only, and pools know of no others "
      "(default: all)")("device-plugin-namespace", po::value<std::string>(),
                        "namespace of the device plugin's ConfigMap (default: the operator's own)")(
      "shutdown-timeout", po::value<std::string>(),
      "after a stop is requested the process ends within this, 1s to 10m; two thirds of it are for reconciles that "
      "still run (default: 25s)")("agent-image", po::value<std::string>(),
                                  "image that holds /reprise-agent, installed into each trainer's pod")(
      "agent-image-pull-policy", po::value<std::string>(),
      "Always, IfNotPresent or Never, of that image (default: Always for the tag latest, else IfNotPresent)")(
      "agent-image-pull-secrets", po::value<std::string>(),
      "comma-separated; Secrets in the namespaces of jobs with which that image is pulled")(
      "price-table", po::value<std::string>(),
      "file with prices of instance types, for pools and nodes that say none themselves; read once at the start "
      "(default: none, the built-in figures hold)")(
      "report-bind-address", po::value<std::string>(),
      "address at which the agents of ranks report how far they are, 0 turns it off (default: 0)")(
      "report-service", po::value<std::string>(),
      "Service in the operator's namespace to whose cluster IP they report; the replica that leads has it lead there")(
      "report-url", po::value<std::string>(), "https://ADDRESS:PORT, given to agents instead of that Service's")(
      "report-cert-path", po::value<std::string>(),
      "folder with tls.crt and tls.key for that, for the name reprise-operator (default: a certificate that the "
      "operator makes and signs itself)")("feature-gates", po::value<std::string>(),
                                          ("comma-separated name=true|false: " + describe_feature_gates()).c_str())(
      "print-permissions", "print what the operator asks of the API server, for roles of your own, and exit");
  return known;
}

// The name of a namespace, or with dots that of a Secret.
bool is_name(const std::string& text, bool dots, std::size_t longest) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || text.size() > longest || !plain(text.front()) || !plain(text.back())) return false;
  return std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-' || (dots && c == '.'); });
}

bool is_namespace(const std::string& text) {
  return is_name(text, false, 63);
}

// An empty text is no name, as a chart may render it.
std::vector<std::string> names_of(const po::variables_map& given, const char* flag, bool (*is_one)(const std::string&),
                                  const char* allowed) {
  std::vector<std::string> names;
  if (!given.contains(flag)) return names;
  const auto all = given[flag].as<std::string>();
  for (std::string& name : flags::split(all)) {
    if (!is_one(name)) flags::wrong_value(flag, all, allowed);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty() && !all.empty()) flags::wrong_value(flag, all, allowed);
  return names;
}

void take_agent(const po::variables_map& given, OperatorOptions& options) {
  if (given.contains("agent-image")) options.agent_image = given["agent-image"].as<std::string>();  // may be empty
  options.agent_image_pull_policy =
      flags::one_of<std::string>(given, "agent-image-pull-policy",
                                 {{"Always", "Always"}, {"IfNotPresent", "IfNotPresent"}, {"Never", "Never"}})
          .value_or("");
  options.agent_image_pull_secrets = names_of(
      given, "agent-image-pull-secrets", [](const std::string& name) { return is_name(name, true, 253); },
      "names of Secrets, separated by commas");
}

void take_scope(const po::variables_map& given, OperatorOptions& options) {
  options.watch_namespaces =
      names_of(given, "watch-namespaces", is_namespace, "names of namespaces, separated by commas");
  if (const auto ns = flags::text(given, "device-plugin-namespace")) {
    if (!is_namespace(*ns)) flags::wrong_value("device-plugin-namespace", *ns, "the name of a namespace");
    options.device_plugin_namespace = *ns;
  }
}

void take_metrics(const po::variables_map& given, OperatorOptions& options) {
  options.metrics_secure =
      flags::one_of<bool>(given, "metrics-secure", {{"true", true}, {"1", true}, {"false", false}, {"0", false}})
          .value_or(false);
  options.job_metrics_limit =
      static_cast<int>(flags::whole_number(given, "job-metrics-limit", 0, 1000, "0 to 1000").value_or(500));
  if (!given.contains("metrics-cert-path")) return;
  options.metrics_cert_path = given["metrics-cert-path"].as<std::string>();  // may be empty
  if (!options.metrics_cert_path.empty() && !options.metrics_secure)
    flags::wrong_value("metrics-cert-path", options.metrics_cert_path, "nothing without --metrics-secure");
}

// "https://10.96.0.12:9446", "https://[fd00::1]:9446": agents resolve no names.
bool is_report_url(const std::string& url) {
  constexpr std::string_view scheme = "https://";
  if (!url.starts_with(scheme)) return false;
  const std::string authority = url.substr(scheme.size());
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string::npos || colon == 0 || !is_address(authority.substr(colon))) return false;
  const std::string host = authority.substr(0, colon);
  const bool ipv6 = host.starts_with('[') && host.ends_with(']');
  return std::ranges::all_of(ipv6 ? host.substr(1, host.size() - 2) : host, [ipv6](char c) {
    return (c >= '0' && c <= '9') || c == '.' || (ipv6 && (c == ':' || (c >= 'a' && c <= 'f')));
  });
}

void take_reports(const po::variables_map& given, OperatorOptions& options) {
  for (const auto& [flag, into] : {std::pair{"report-service", &options.report_service},
                                   {"report-url", &options.report_url},
                                   {"report-cert-path", &options.report_cert_path}}) {
    if (given.contains(flag)) *into = given[flag].as<std::string>();  // may be empty
  }
  if (!options.report_url.empty() && !is_report_url(options.report_url))
    flags::wrong_value("report-url", options.report_url, "https://ADDRESS:PORT with an IP address");
  if (options.report_bind_address == "0") return;
  if (options.report_service.empty() && options.report_url.empty())
    flags::wrong_value("report-bind-address", options.report_bind_address,
                       "0 without --report-service or --report-url");
  if (!options.report_service.empty() && !is_namespace(options.report_service))
    flags::wrong_value("report-service", options.report_service, "the name of a Service");
}

void take_feature_gates(const po::variables_map& given, OperatorOptions& options) {
  if (!given.contains("feature-gates")) return;
  auto gates = parse_feature_gates(given["feature-gates"].as<std::string>());  // may be empty
  if (!gates) throw flags::Wrong{"--feature-gates: " + gates.error()};
  options.feature_gates = *gates;
}

void take_shutdown(const po::variables_map& given, OperatorOptions& options) {
  constexpr runtime::Duration least = std::chrono::seconds(1), most = std::chrono::minutes(10);
  const auto timeout = flags::duration(given, "shutdown-timeout", least);
  if (timeout && *timeout > most)
    flags::wrong_value("shutdown-timeout", *flags::text(given, "shutdown-timeout"), "10m at most");
  options.shutdown_timeout = timeout.value_or(options.shutdown_timeout);
}

OperatorOptions options_of(const po::variables_map& given) {
  OperatorOptions options;
  options.print_permissions = given.contains("print-permissions");
  const auto take = [&](const char* flag, std::string& into) {
    if (given.contains(flag)) into = given[flag].as<std::string>();  // may be empty
  };
  take("kubeconfig", options.kubeconfig);
  take("context", options.context);
  take("leader-election-namespace", options.leader_election_namespace);
  take("otlp-endpoint", options.otlp_endpoint);
  take("price-table", options.price_table);
  if (auto right = runtime::check_otlp_url("--otlp-endpoint", options.otlp_endpoint);
      !right && !options.otlp_endpoint.empty())
    throw flags::Wrong{right.error().message};
  take_agent(given, options);
  take_scope(given, options);
  take_shutdown(given, options);
  take_feature_gates(given, options);
  take_metrics(given, options);
  for (const auto& [flag, into] : {std::pair{"metrics-bind-address", &options.metrics_bind_address},
                                   {"health-probe-bind-address", &options.health_probe_bind_address},
                                   {"debug-bind-address", &options.debug_bind_address},
                                   {"report-bind-address", &options.report_bind_address}}) {
    take(flag, *into);
    if (!is_address(*into)) flags::wrong_value(flag, *into, "host:port, :port or 0");
  }
  take_reports(given, options);
  options.leader_elect =
      flags::one_of<bool>(given, "leader-elect", {{"true", true}, {"1", true}, {"false", false}, {"0", false}})
          .value_or(true);
  for (const auto& [flag, into] : {std::pair{"leader-elect-lease-duration", &options.lease_timing.lease_duration},
                                   {"leader-elect-renew-deadline", &options.lease_timing.renew_deadline},
                                   {"leader-elect-retry-period", &options.lease_timing.retry_period}}) {
    if (const auto found = flags::duration(given, flag, runtime::Duration(0))) *into = *found;
  }
  if (auto fits = runtime::check(options.lease_timing); !fits)
    throw flags::Wrong{"--leader-elect-...: " + fits.error().message};
  options.max_concurrent_reconciles =
      static_cast<int>(flags::whole_number(given, "max-concurrent-reconciles", 1, 64, "1 to 64").value_or(4));
  using Level = runtime::LogLevel;
  options.log_level =
      flags::one_of<Level>(
          given, "log-level",
          {{"debug", Level::Debug}, {"info", Level::Info}, {"warning", Level::Warning}, {"error", Level::Error}})
          .value_or(options.log_level);
  using Format = runtime::LogFormat;
  options.log_format = flags::one_of<Format>(given, "log-format", {{"json", Format::Json}, {"text", Format::Text}})
                           .value_or(options.log_format);
  return options;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flag_values(const OperatorOptions& options) {
  const auto flag = [](bool on) { return std::string(on ? "true" : "false"); };
  const auto time = [](runtime::Duration span) { return std::to_string(span.count()) + "ms"; };
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
  };
  return {{"agent-image", options.agent_image},
          {"agent-image-pull-policy", options.agent_image_pull_policy},
          {"agent-image-pull-secrets", list(options.agent_image_pull_secrets)},
          {"context", options.context},
          {"debug-bind-address", options.debug_bind_address},
          {"device-plugin-namespace", options.device_plugin_namespace},
          {"feature-gates", to_text(options.feature_gates)},
          {"health-probe-bind-address", options.health_probe_bind_address},
          {"job-metrics-limit", std::to_string(options.job_metrics_limit)},
          {"kubeconfig", options.kubeconfig},
          {"leader-elect", flag(options.leader_elect)},
          {"leader-elect-lease-duration", time(options.lease_timing.lease_duration)},
          {"leader-elect-renew-deadline", time(options.lease_timing.renew_deadline)},
          {"leader-elect-retry-period", time(options.lease_timing.retry_period)},
          {"leader-election-namespace", options.leader_election_namespace},
          {"log-format", options.log_format == runtime::LogFormat::Json ? "json" : "text"},
          {"log-level", std::string(runtime::name(options.log_level))},
          {"max-concurrent-reconciles", std::to_string(options.max_concurrent_reconciles)},
          {"metrics-bind-address", options.metrics_bind_address},
          {"metrics-cert-path", options.metrics_cert_path},
          {"metrics-secure", flag(options.metrics_secure)},
          {"otlp-endpoint", options.otlp_endpoint},
          {"price-table", options.price_table},
          {"report-bind-address", options.report_bind_address},
          {"report-cert-path", options.report_cert_path},
          {"report-service", options.report_service},
          {"report-url", options.report_url},
          {"shutdown-timeout", time(options.shutdown_timeout)},
          {"watch-namespaces", list(options.watch_namespaces)}};
}

std::expected<OperatorOptions, UsageText> parse_operator_options(const std::vector<std::string>& arguments) {
  const po::options_description known = known_flags();
  try {
    const po::variables_map given = flags::parse(known, arguments);
    if (!given.contains("help")) return options_of(given);
    std::ostringstream text;
    text << "Usage: reprise-operator [flags]\n\nRuns the controllers for GpuPool and ResumableJob.\n\n" << known;
    return std::unexpected(UsageText{text.str(), false});
  } catch (const flags::Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise-operator", wrong.text));
  }
}

}  // namespace reprise::apps
