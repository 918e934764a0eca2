#include "apps/reprise-operator/traces.h"

#include <cstdlib>

namespace reprise::apps {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

}  // namespace

runtime::Result<std::unique_ptr<runtime::OtlpConnection>> open_traces(const OperatorOptions& options,
                                                                      const std::string& version,
                                                                      runtime::MetricsRegistry& metrics,
                                                                      runtime::Logger& logger) {
  const auto endpoint = runtime::find_otlp_endpoint(options.otlp_endpoint, variable);
  if (!endpoint) return std::unexpected(endpoint.error());
  if (!*endpoint) return nullptr;
  // Leaves Kubernetes' attributes to the spans, which say where the job is.
  runtime::TraceSource source{.resource = {{"service.name", "reprise-operator"}, {"service.version", version}},
                              .scope = "reprise.dev/resumablejob",
                              .scope_version = version};
  if (std::string pod = variable("POD_NAME"); !pod.empty())
    source.resource.emplace_back("service.instance.id", std::move(pod));
  logger.info("Traces are exported", {{"server", (*endpoint)->server}, {"path", (*endpoint)->path}});
  return runtime::OtlpConnection::open(**endpoint, std::move(source), metrics, logger);
}

}  // namespace reprise::apps
