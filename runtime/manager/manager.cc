#include "runtime/manager/manager.h"

#include <utility>

#include "runtime/manager/internal/parts.h"
#include "runtime/metrics/process_metrics.h"

namespace reprise::runtime {
namespace {

constexpr Duration start_spread{100};  // real processes start together, many of them

}  // namespace

Result<std::unique_ptr<Manager>> Manager::connect(ManagerOptions options, Logger& logger) {
  auto cluster = find_cluster(options.kubeconfig, options.context);
  if (!cluster) return std::unexpected(std::move(cluster.error()));
  cluster->server.user_agent = options.name + "/" + options.version;
  if (options.lease_namespace.empty()) options.lease_namespace = cluster->namespace_;
  if (options.watch_policy.start_spread == Duration{0}) options.watch_policy.start_spread = start_spread;
  auto parts = std::make_unique<Parts>(std::move(options));
  parts->requests.emplace(parts->system_clock, Parts::request_limit);
  parts->real = std::make_unique<RealWorld>(*cluster, parts->options.transport, parts->metrics, *parts->requests);
  RealWorld& real = *parts->real;
  add_process_metrics(parts->metrics);
  parts->furnish({*real.tracked, real.executor, real.clock, real.random, logger});
  return std::unique_ptr<Manager>(new Manager(std::move(parts)));
}

Manager::Manager(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Manager::Manager(ManagerOptions options, ManagerWorld world) : parts_(std::make_unique<Parts>(std::move(options))) {
  parts_->options.metrics_address = parts_->options.health_address = parts_->options.debug_address = "0";
  parts_->furnish(world);
}

Manager::~Manager() {
  stop();
}

Controller& Manager::add_controller(std::string name, std::unique_ptr<Reconciler> reconciler,
                                    ControllerOptions options) {
  const ManagerWorld& world = *parts_->world;
  parts_->controllers.push_back(std::make_unique<Controller>(
      std::move(name), *reconciler,
      ControllerEnvironment{world.transport, permits(), parts_->watermarks, *parts_->events, world.executor,
                            world.clock, world.random, world.logger, parts_->metrics, &parts_->cancellation},
      options));
  parts_->reconcilers.push_back(std::move(reconciler));
  return *parts_->controllers.back();
}

void Manager::adopt(std::unique_ptr<InformerBase> informer) {
  parts_->watermarks.add_store(informer->kind(), informer->view());
  informer->on_progress([parts = parts_.get()] { parts->on_progress(); });
  internal::add_cache_metrics(parts_->metrics, *informer);
  parts_->informers.push_back(std::move(informer));
}

void Manager::require(const kube::KindInfo& kind, std::string remedy) {
  parts_->required_kinds().add({kind, std::move(remedy)});
}

void Manager::on_synced(std::function<void()> hook) {
  parts_->synced_hooks.push_back(std::move(hook));
}

WatchEnvironment Manager::watch_environment() {
  const ManagerWorld& world = *parts_->world;
  return {world.transport,
          world.executor,
          world.clock,
          world.random,
          world.logger,
          parts_->metrics,
          parts_->options.watch_policy,
          &parts_->pool,
          world.decoded};
}

const ManagerOptions& Manager::options() const {
  return parts_->options;
}
Client& Manager::client() {
  return *parts_->client;
}
Transport& Manager::transport() {
  return parts_->world->transport;
}
const PermitSource& Manager::permits() const {
  return parts_->permits();
}
EventRecorder& Manager::events() {
  return *parts_->events;
}
MetricsRegistry& Manager::metrics() {
  return parts_->metrics;
}
HealthChecks& Manager::liveness() {
  return parts_->liveness;
}
HealthChecks& Manager::readiness() {
  return parts_->readiness;
}
Executor& Manager::executor() {
  return parts_->world->executor;
}
const Clock& Manager::clock() const {
  return parts_->world->clock;
}
Random& Manager::random() {
  return parts_->world->random;
}
Logger& Manager::logger() {
  return parts_->world->logger;
}
bool Manager::synced() const {
  return parts_->synced;
}
bool Manager::leading() const {
  return parts_->leading;
}
bool Manager::lost() const {
  return parts_->lost;
}
std::uint16_t Manager::metrics_port() const {
  return parts_->metrics_server ? parts_->metrics_server->port() : 0;
}
std::uint16_t Manager::health_port() const {
  return parts_->health_server ? parts_->health_server->port() : 0;
}
std::uint16_t Manager::debug_port() const {
  return parts_->debug_server ? parts_->debug_server->port() : 0;
}
std::vector<std::string> Manager::dump() const {
  return internal::dump_state(parts_->view());
}

}  // namespace reprise::runtime
