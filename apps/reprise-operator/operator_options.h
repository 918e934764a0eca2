// The flags of `reprise-operator`: controller-runtime's names where it has them.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/usage_text.h"
#include "apps/reprise-operator/feature_gates.h"
#include "runtime/base/log.h"
#include "runtime/leader/lease_timing.h"

namespace reprise::apps {

struct OperatorOptions {
  std::string kubeconfig;
  std::string context;
  bool leader_elect = true;
  std::string leader_election_namespace;  // empty: POD_NAMESPACE, else the kubeconfig's, else "default"
  runtime::LeaseTiming lease_timing;
  std::string metrics_bind_address = ":8080";
  bool metrics_secure = false;
  std::string metrics_cert_path;  // empty: the operator makes a certificate of its own
  int job_metrics_limit = 500;    // 0: no job has metrics of its own
  std::string health_probe_bind_address = ":8081";
  std::string debug_bind_address = "0";  // loopback only
  int max_concurrent_reconciles = 4;
  runtime::LogLevel log_level = runtime::LogLevel::Info;
  runtime::LogFormat log_format = runtime::LogFormat::Json;
  std::string otlp_endpoint;  // receiver of traces; empty: OpenTelemetry's variables decide, without them none
  std::vector<std::string> watch_namespaces;  // empty: all
  std::string device_plugin_namespace;        // empty: the operator's own
  runtime::Duration shutdown_timeout{25'000};
  std::string agent_image;
  std::string agent_image_pull_policy;  // empty: Kubernetes' own choice by the tag
  std::vector<std::string> agent_image_pull_secrets;
  std::string price_table;  // a file; empty: none
  std::string report_bind_address = "0";
  std::string report_service;
  std::string report_url;        // empty: the Service's
  std::string report_cert_path;  // empty: the operator makes a certificate of its own
  FeatureGates feature_gates;
  bool print_permissions = false;
};

// Each flag with its effective value, given or not; none is a secret.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> flag_values(const OperatorOptions& options);

// Reads the arguments behind `reprise-operator`. An unknown flag, a bad value or an extra argument is an error that
// names it and what is allowed; --help is a UsageText that is no error.
[[nodiscard]] std::expected<OperatorOptions, UsageText> parse_operator_options(
    const std::vector<std::string>& arguments);

}  // namespace reprise::apps
