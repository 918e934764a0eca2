#include "runtime/manager/manager.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/cache/floors.h"
#include "runtime/manager/world.h"
#include "runtime/observe/http_server.h"

namespace reprise::runtime {
namespace {

constexpr Duration heartbeat_period{5'000};
constexpr Duration heartbeat_limit{30'000};
constexpr Duration flush_limit{5'000};

std::string default_identity(Random& random) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::array<char, 16> digits{};
  const auto value = static_cast<std::uint64_t>(random.uniform() * 9007199254740992.0);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return std::string(host.data()) + "_" + std::string(digits.data(), end.ptr);
}

// Ends the process when it is not destroyed in time.
class Watchdog {
 public:
  Watchdog(Duration limit, Logger& logger)
      : thread_([this, limit, &logger](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          if (wake_.wait_for(lock, stop, limit, [] { return false; }) || stop.stop_requested()) return;
          logger.error("Shutdown took too long: aborting");
          std::_Exit(EXIT_FAILURE);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace

struct Manager::Parts {
  explicit Parts(ManagerOptions manager_options) : options(std::move(manager_options)) {}
  // In this order whatever happens: threads before what they use.
  ~Parts() {
    metrics_server.reset();
    health_server.reset();
    controllers.clear();
    if (real) real->executor.stop();
    if (stop_event >= 0) close(stop_event);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void furnish(ManagerWorld outside);
  void on_progress();
  void check_progress();
  void lead();
  void beat();
  void on_executor(const std::function<void()>& work);
  // Starts something on the executor and waits until it says done, or `limit`.
  bool await(Duration limit, const std::function<void(std::function<void()>)>& begin);
  [[nodiscard]] bool threaded() const { return options.workers == WorkerMode::Threads; }

  ManagerOptions options;
  MetricsRegistry metrics;
  std::unique_ptr<RealWorld> real;
  std::optional<ManagerWorld> world;
  HealthChecks liveness, readiness;
  Floors floors;
  std::unique_ptr<Client> client;
  std::unique_ptr<LeaderElector> elector;
  AlwaysPermitted always;
  std::unique_ptr<ApiEventRecorder> events;
  std::vector<std::unique_ptr<InformerBase>> informers;
  std::vector<std::unique_ptr<Reconciler>> reconcilers;
  std::vector<std::unique_ptr<Controller>> controllers;
  std::unique_ptr<HttpServer> metrics_server, health_server;

  std::unique_ptr<Timer> heartbeat;
  std::atomic<std::int64_t> last_beat{0};
  std::atomic<bool> synced{false}, leading{false}, lost{false};
  bool started = false, stopping = false, progress_posted = false;  // on the executor's thread
  bool stopped = false;
  int stop_event = -1;
};

void Manager::Parts::furnish(ManagerWorld outside) {
  world.emplace(outside);
  stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (options.identity.empty()) options.identity = default_identity(world->random);
  if (options.lease_namespace.empty()) options.lease_namespace = "default";
  client = make_client(world->transport, world->clock);
  if (options.leader_elect) {
    ElectorOptions election{
        .lease_namespace = options.lease_namespace, .lease_name = options.lease_name, .identity = options.identity};
    ElectorCallbacks callbacks{.on_started_leading = [this] { lead(); },
                               .on_lost =
                                   [this] {
                                     leading = false;
                                     lost = true;
                                     world->logger.error("Lost the lease: stopping");
                                     if (stop_event >= 0) (void)eventfd_write(stop_event, 1);
                                   },
                               .on_overdue =
                                   [this] {
                                     world->logger.error("The lease is over: aborting");
                                     std::_Exit(EXIT_FAILURE);
                                   }};
    elector = std::make_unique<LeaderElector>(std::move(election), std::move(callbacks), *client, world->executor,
                                              world->clock, world->random, world->logger);
  }
  const PermitSource& permits = elector ? static_cast<const PermitSource&>(*elector) : always;
  events = std::make_unique<ApiEventRecorder>(EventOptions{.controller = options.name, .instance = options.identity},
                                              *client, permits, world->executor, world->clock, world->random, metrics,
                                              world->logger);
  metrics.gauge_of("leader_election_master_status", "1: this process leads, 0: it stands by.",
                   {{"name", options.lease_name}}, [this] { return leading ? 1.0 : 0.0; });
  metrics
      .gauge("reprise_build_info", "1, labelled with the version.",
             {{"name", options.name}, {"version", options.version}})
      .set(1);
  metrics.gauge_of("reprise_owners_waiting_for_cache", "Owners whose own writes the caches do not show yet.", {},
                   [this] { return static_cast<double>(floors.waiting()); });
  readiness.add("caches", [this]() -> Result<void> {
    if (synced) return {};
    std::string missing;
    for (const auto& informer : informers) {
      if (!informer->synced()) missing += (missing.empty() ? "" : ", ") + std::string(informer->kind().kind);
    }
    return fail(ErrorClass::Unavailable, "not synced: " + missing);
  });
  liveness.add("loop", [this]() -> Result<void> {
    const auto now = world->clock.steady().time_since_epoch();
    const auto age = std::chrono::duration_cast<Duration>(now) - Duration{last_beat.load()};
    if (last_beat == 0 || age < heartbeat_limit) return {};
    return fail(ErrorClass::Unavailable, "the I/O loop has not run for " + std::to_string(age.count()) + " ms");
  });
}

void Manager::Parts::beat() {
  last_beat = std::chrono::duration_cast<Duration>(world->clock.steady().time_since_epoch()).count();
  if (stopping) return;
  heartbeat = world->executor.after(heartbeat_period, [this] { beat(); });
}

// A chunk of a watch carries many events: one look after them is enough.
void Manager::Parts::on_progress() {
  if (std::exchange(progress_posted, true)) return;
  world->executor.post([this] {
    progress_posted = false;
    check_progress();
  });
}

void Manager::Parts::check_progress() {
  floors.advanced();
  if (synced || !started || stopping) return;
  if (!std::all_of(informers.begin(), informers.end(), [](const auto& informer) { return informer->synced(); })) return;
  synced = true;
  world->logger.info("Caches have synced");
  if (elector)
    elector->start();
  else
    lead();
}

void Manager::Parts::lead() {
  if (stopping) return;
  leading = true;
  for (const auto& controller : controllers) {
    if (threaded())
      controller->start_threads();
    else
      controller->start_on_executor();
  }
}

bool Manager::Parts::await(Duration limit, const std::function<void(std::function<void()>)>& begin) {
  const auto done = std::make_shared<std::promise<void>>();
  auto finished = done->get_future();
  begin([done] { done->set_value(); });
  return finished.wait_for(limit) == std::future_status::ready;
}

void Manager::Parts::on_executor(const std::function<void()>& work) {
  if (!threaded()) return work();
  (void)await(options.shutdown_timeout, [this, work](const std::function<void()>& done) {
    world->executor.post([work, done] {
      work();
      done();
    });
  });
}

Result<std::unique_ptr<Manager>> Manager::connect(ManagerOptions options, Logger& logger) {
  auto cluster = find_cluster(options.kubeconfig, options.context);
  if (!cluster) return std::unexpected(std::move(cluster.error()));
  cluster->server.user_agent = options.name + "/" + options.version;
  if (options.lease_namespace.empty()) options.lease_namespace = cluster->namespace_;
  auto parts = std::make_unique<Parts>(std::move(options));
  parts->real = std::make_unique<RealWorld>(*cluster, parts->options.transport, parts->metrics);
  RealWorld& real = *parts->real;
  parts->furnish({*real.transport, real.executor, real.clock, real.random, logger});
  return std::unique_ptr<Manager>(new Manager(std::move(parts)));
}

Manager::Manager(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Manager::Manager(ManagerOptions options, ManagerWorld world) : parts_(std::make_unique<Parts>(std::move(options))) {
  parts_->options.metrics_address = parts_->options.health_address = "0";
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
      ControllerEnvironment{*parts_->client, permits(), parts_->floors, *parts_->events, world.executor, world.clock,
                            world.random, world.logger, parts_->metrics},
      options));
  parts_->reconcilers.push_back(std::move(reconciler));
  return *parts_->controllers.back();
}

void Manager::adopt(std::unique_ptr<InformerBase> informer) {
  parts_->floors.add_store(informer->kind(), informer->view());
  informer->on_progress([parts = parts_.get()] { parts->on_progress(); });
  parts_->informers.push_back(std::move(informer));
}

WatchEnvironment Manager::watch_environment() {
  const ManagerWorld& world = *parts_->world;
  return {world.transport,
          world.executor,
          world.clock,
          world.random,
          world.logger,
          parts_->metrics,
          parts_->options.watch_policy};
}

Result<void> Manager::start() {
  auto metrics_server = serve_http(parts_->options.metrics_address, metrics_routes(parts_->metrics));
  if (!metrics_server) return std::unexpected(std::move(metrics_server.error()));
  auto health_server = serve_http(parts_->options.health_address, health_routes(parts_->liveness, parts_->readiness));
  if (!health_server) return std::unexpected(std::move(health_server.error()));
  parts_->metrics_server = *std::move(metrics_server);
  parts_->health_server = *std::move(health_server);
  parts_->world->executor.post([parts = parts_.get()] {
    parts->started = true;
    parts->beat();
    for (const auto& informer : parts->informers) informer->start();
    parts->on_progress();
  });
  return {};
}

void Manager::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  std::optional<Watchdog> watchdog;
  if (parts_->threaded()) watchdog.emplace(parts_->options.shutdown_timeout, parts_->world->logger);
  bool started = false;
  parts_->on_executor([this, &started] {
    started = parts_->started;
    parts_->stopping = true;
    parts_->heartbeat.reset();
  });
  for (const auto& controller : parts_->controllers) controller->stop();
  if (started && parts_->threaded()) {
    (void)parts_->await(flush_limit, [this](std::function<void()> done) { parts_->events->flush(std::move(done)); });
  }
  if (started && parts_->elector) {
    const auto release = [this](std::function<void()> done) { parts_->elector->release(std::move(done)); };
    if (parts_->threaded())
      (void)parts_->await(flush_limit, release);
    else
      release([] {});
  }
  parts_->leading = false;
  parts_->on_executor([this] {
    for (const auto& informer : parts_->informers) informer->stop();
  });
  parts_->metrics_server.reset();
  parts_->health_server.reset();
  if (parts_->real) parts_->real->executor.stop();
  if (started) parts_->world->logger.info("Stopped");
}

void Manager::block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int Manager::run() {
  if (auto begun = start(); !begun) {
    parts_->world->logger.error("Could not start", {{"error", begun.error().message}});
    return EXIT_FAILURE;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const int signal_event = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  std::array<pollfd, 2> sources{pollfd{signal_event, POLLIN, 0}, pollfd{parts_->stop_event, POLLIN, 0}};
  while (poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
  }
  close(signal_event);
  parts_->world->logger.info("Stopping");
  stop();
  return parts_->lost ? EXIT_FAILURE : EXIT_SUCCESS;
}

void Manager::request_stop() {
  (void)eventfd_write(parts_->stop_event, 1);
}

const ManagerOptions& Manager::options() const {
  return parts_->options;
}
Client& Manager::client() {
  return *parts_->client;
}
const PermitSource& Manager::permits() const {
  return parts_->elector ? static_cast<const PermitSource&>(*parts_->elector) : parts_->always;
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
std::uint16_t Manager::metrics_port() const {
  return parts_->metrics_server ? parts_->metrics_server->port() : 0;
}
std::uint16_t Manager::health_port() const {
  return parts_->health_server ? parts_->health_server->port() : 0;
}

}  // namespace reprise::runtime
