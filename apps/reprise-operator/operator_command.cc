#include "apps/reprise-operator/operator_command.h"

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "apps/reprise-operator/price_file.h"
#include "apps/reprise-operator/traces.h"
#include "controllers/setup/setup.h"
#include "runtime/base/log_sampler.h"
#include "runtime/manager/manager.h"
#include "runtime/metrics/log_metrics.h"
#include "version.h"

namespace reprise::apps {
namespace {

std::string own_namespace(const OperatorOptions& options) {
  if (!options.leader_election_namespace.empty()) return options.leader_election_namespace;
  // Set by the chart from the downward API.
  if (const char* pod_namespace = std::getenv("POD_NAMESPACE"); pod_namespace != nullptr) return pod_namespace;
  return {};
}

// Set by the chart from the downward API.
std::string own_address() {
  const char* address = std::getenv("POD_IP");
  return address == nullptr ? std::string() : std::string(address);
}

controllers::SetupOptions setup_options(const OperatorOptions& options, const std::string& own,
                                        std::vector<api::InstancePrice> prices, runtime::SpanSink* spans) {
  return {.agent_image = options.agent_image,
          .agent_image_pull_policy = options.agent_image_pull_policy,
          .agent_image_pull_secrets = options.agent_image_pull_secrets,
          .device_plugin_namespace = options.device_plugin_namespace.empty() ? own : options.device_plugin_namespace,
          .own_namespace = own,
          .prices = std::move(prices),
          .max_concurrent_reconciles = options.max_concurrent_reconciles,
          .kueue = options.feature_gates.kueue,
          .kueue_priority_boost = options.feature_gates.kueue_priority_boost,
          .spans = spans,
          .job_metrics_limit = static_cast<std::size_t>(options.job_metrics_limit),
          .reports = {.bind_address = options.report_bind_address,
                      .namespace_ = own,
                      .service = options.report_service,
                      .certificate_folder = options.report_cert_path,
                      .own_address = own_address(),
                      .url = options.report_url}};
}

}  // namespace

std::string permissions_table(const OperatorOptions& options) {
  return kube::as_table(controllers::permissions({.watch_namespaces = options.watch_namespaces,
                                                  .device_plugin_namespace = options.device_plugin_namespace,
                                                  .kueue = options.feature_gates.kueue,
                                                  .kueue_priority_boost = options.feature_gates.kueue_priority_boost,
                                                  .secure_metrics = options.metrics_secure,
                                                  .reports = options.report_bind_address != "0"}));
}

int run_operator(const OperatorOptions& options) {
  runtime::Manager::block_signals();
  const runtime::SystemClock clock;
  const auto logger = std::make_unique<runtime::SamplingLogger>(
      runtime::make_stderr_logger(options.log_level, options.log_format), clock);
  runtime::ManagerOptions settings;
  settings.name = "reprise";
  settings.version = kVersion;
  settings.kubeconfig = options.kubeconfig;
  settings.context = options.context;
  settings.leader_elect = options.leader_elect;
  settings.lease_name = "reprise-operator";
  settings.lease_namespace = own_namespace(options);
  settings.lease_timing = options.lease_timing;
  settings.metrics_address = options.metrics_bind_address;
  settings.metrics_secure = options.metrics_secure;
  settings.metrics_certificate = options.metrics_cert_path;
  settings.health_address = options.health_probe_bind_address;
  settings.debug_address = options.debug_bind_address;
  settings.flags = flag_values(options);
  settings.namespaces = options.watch_namespaces;
  settings.shutdown_timeout = options.shutdown_timeout;
  settings.drain_timeout = options.shutdown_timeout * 2 / 3;

  const auto give_up = [&](const runtime::Error& error) {
    logger->error("Failed to start",
                  {{"class", std::string(runtime::name(error.error_class))}, {"error", error.message}});
    return 1;
  };
  auto prices = options.price_table.empty() ? std::vector<api::InstancePrice>{} : read_prices(options.price_table);
  if (!prices) return give_up(prices.error());
  auto manager = runtime::Manager::connect(settings, *logger);
  if (!manager) return give_up(manager.error());
  runtime::add_log_metrics((*manager)->metrics(), *logger);
  // A kind that the cluster lacks would keep its cache from ever being complete. Karpenter's may come and go.
  const std::string remedy = "install the chart's CRDs";
  (*manager)->require<api::GpuPool>(remedy);
  (*manager)->require<api::ResumableJob>(remedy);

  auto traces = open_traces(options, settings.version, (*manager)->metrics(), *logger);
  if (!traces) return give_up(traces.error());
  const controllers::Controllers controllers(
      **manager, setup_options(options, (*manager)->options().lease_namespace, *std::move(prices), traces->get()));
  const int code = (*manager)->run();
  // The process writes nothing and holds no lease any more. Between shutdown-timeout and the kubelet's patience lie 5
  // s.
  if (*traces) (void)(*traces)->flush(runtime::Duration(3'000));
  return code;
}

}  // namespace reprise::apps
