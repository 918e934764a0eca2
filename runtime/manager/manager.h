// Puts a controller process together: transport, caches, leader election, controllers, servers; starts and stops them
// in order. Informers run on every replica, controllers only on the leader and only after all caches have synced.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/cache/informer.h"
#include "runtime/client/api_transport.h"
#include "runtime/client/client.h"
#include "runtime/leader/elector.h"
#include "runtime/manager/controller.h"
#include "runtime/observe/events.h"
#include "runtime/observe/health.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {

enum class WorkerMode {
  Threads,   // a real process
  Executor,  // everything on the executor's thread, under virtual time
};

struct ManagerOptions {
  std::string name = "reprise";  // user agent, event source, metric labels
  std::string version = "0.0.0";
  std::string kubeconfig = {}, context = {};  // empty: find_cluster()
  std::vector<std::string> namespaces = {};   // default scope of informers; empty: all
  bool leader_elect = true;
  std::string lease_name = "reprise-operator";
  std::string lease_namespace = {};       // empty: the pod's or context's, or "default"
  std::string identity = {};              // empty: host name and a random suffix
  std::string metrics_address = ":8080";  // "0": off
  std::string health_address = ":8081";
  Duration shutdown_timeout{30'000};  // after it the process aborts
  WorkerMode workers = WorkerMode::Threads;
  WatchPolicy watch_policy = {};
  ApiTransportOptions transport = {};  // of a real process
};

// The outside world, for tests and the simulator. All outlive the manager.
struct ManagerWorld {
  Transport& transport;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
};

// Build on one thread: add everything, then run().
class Manager {
 public:
  // A real process: reads the configuration of the cluster and connects to it lazily.
  [[nodiscard]] static Result<std::unique_ptr<Manager>> connect(ManagerOptions options, Logger& logger);
  // In a world that is given. No servers are started.
  Manager(ManagerOptions options, ManagerWorld world);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Follows all objects of a kind; scope.namespaces empty: the manager's. The informer lives as long as the manager.
  template <class T>
  Informer<T>& add_informer(InformerScope scope = {}) {
    if (scope.namespaces.empty()) scope.namespaces = options().namespaces;
    auto informer = std::make_unique<Informer<T>>(watch_environment(), std::move(scope));
    Informer<T>& added = *informer;
    adopt(std::move(informer));
    return added;
  }
  Controller& add_controller(std::string name, std::unique_ptr<Reconciler> reconciler, ControllerOptions options = {});

  // For wiring and for what runs outside controllers.
  [[nodiscard]] const ManagerOptions& options() const;
  [[nodiscard]] Client& client();
  [[nodiscard]] const PermitSource& permits() const;
  [[nodiscard]] EventRecorder& events();
  [[nodiscard]] MetricsRegistry& metrics();
  [[nodiscard]] HealthChecks& liveness();
  [[nodiscard]] HealthChecks& readiness();
  [[nodiscard]] Executor& executor();
  [[nodiscard]] const Clock& clock() const;
  [[nodiscard]] Random& random();
  [[nodiscard]] Logger& logger();
  [[nodiscard]] bool synced() const;
  [[nodiscard]] bool leading() const;
  // 0: no such server.
  [[nodiscard]] std::uint16_t metrics_port() const;
  [[nodiscard]] std::uint16_t health_port() const;

  // Starts everything and returns; the rest happens on other threads, or as the executor is driven.
  // Unavailable when an address cannot be bound.
  [[nodiscard]] Result<void> start();
  // Workers, events, lease, informers, servers. Blocks until done; aborts the process after shutdown_timeout.
  // WorkerMode::Executor: on the executor's thread; the lease's release is sent and not waited for.
  void stop();
  // start(), wait for SIGTERM, SIGINT, request_stop() or the loss of the lease, stop(). The process's exit code.
  // Call block_signals() in main() before any thread exists.
  [[nodiscard]] int run();
  // Any thread.
  void request_stop();
  static void block_signals();

 private:
  struct Parts;
  explicit Manager(std::unique_ptr<Parts> parts);
  [[nodiscard]] WatchEnvironment watch_environment();
  void adopt(std::unique_ptr<InformerBase> informer);

  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime
