// Puts a controller process together: transport, caches, leader election, controllers, servers; starts and stops them
// in order. Informers run on every replica, controllers only on the leader and only after all caches have synced. A
// replica that takes over from another waits until its caches show what that one wrote; when they do not within a
// minute it gives the lease back and stops.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/cache/informer.h"
#include "runtime/client/api_transport.h"
#include "runtime/client/client.h"
#include "runtime/events/events.h"
#include "runtime/kube/permission.h"
#include "runtime/leader/elector.h"
#include "runtime/manager/controller.h"
#include "runtime/metrics/metrics.h"
#include "runtime/metrics/serving/health.h"

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
  LeaseTiming lease_timing = {};          // passes check()
  std::string identity = {};              // empty: host name and a random suffix
  std::string metrics_address = ":8080";  // "0": off
  // Serves metrics over TLS, only to users that the API server lets get /metrics; see serve_https() and access_guard.h.
  bool metrics_secure = false;
  std::string metrics_certificate = {};  // folder with tls.crt and tls.key; empty: one that the process makes itself
  std::string health_address = ":8081";
  // Loopback only: GET /debug/state, GET and PUT /debug/log-level, GET /statusz and /flagz. "0": off.
  std::string debug_address = "0";
  std::vector<std::pair<std::string, std::string>> flags = {};  // shown by /flagz, see ProcessDescription
  // See stop(). When shutdown_timeout is shorter than 30 s, drain_timeout is two thirds of it at most.
  Duration drain_timeout{20'000}, shutdown_timeout{30'000};
  // How the process ends when it outlived its lease or shutdown_timeout; from any thread, must not block. Empty:
  // end_process().
  std::function<void(std::string_view why)> abort = {};
  WorkerMode workers = WorkerMode::Threads;
  WatchPolicy watch_policy = {};
  ApiTransportOptions transport = {};  // for a real process
};

// The permissions of a manager itself, whatever its controllers need: its lease, Events, and which kinds are served.
// For kube::narrowed().
[[nodiscard]] std::vector<kube::Permission> manager_permissions();

// The permissions it needs beside these with `metrics_secure`.
[[nodiscard]] std::vector<kube::Permission> secure_metrics_permissions();

// The outside world, for tests and the simulator. All outlive the manager.
struct ManagerWorld {
  Transport& transport;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  DecodedObjects* decoded = nullptr;  // see WatchEnvironment
};

// Build on one thread: add everything, then run().
class Manager {
 public:
  // A real process: reads the configuration of the cluster and connects to it lazily.
  [[nodiscard]] static Result<std::unique_ptr<Manager>> connect(ManagerOptions options, Logger& logger);
  // Manages in the given world. No servers are started.
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

  // Before start: this process is of no use without the kind. Before all else it waits, alive and not ready, until the
  // cluster serves every such kind, and ends after 30 s without; see lost(). `remedy` tells a person what to do:
  // "install the chart's CRDs".
  void require(const kube::KindInfo& kind, std::string remedy);
  template <class T>
  void require(std::string remedy) {
    require(kube::KindOf<T>::info(), std::move(remedy));
  }

  // Before start: `hook` runs once on the executor's thread when all caches have synced, before any reconcile.
  void on_synced(std::function<void()> hook);

  // For wiring and for code that runs outside controllers.
  [[nodiscard]] const ManagerOptions& options() const;
  [[nodiscard]] Client& client();
  [[nodiscard]] Transport& transport();
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
  // Holds the lease; after a takeover controllers start a moment later.
  [[nodiscard]] bool leading() const;
  // Can lead no longer: it lost the lease, its caches did not catch up, or the cluster does not serve a required kind.
  // run() stops for it; the driver of the executor must end the process.
  [[nodiscard]] bool lost() const;
  // 0: no such server.
  [[nodiscard]] std::uint16_t metrics_port() const;
  [[nodiscard]] std::uint16_t health_port() const;
  [[nodiscard]] std::uint16_t debug_port() const;
  // The current work of every part, one line each; any thread, also while the I/O loop is stuck.
  [[nodiscard]] std::vector<std::string> dump() const;

  // Starts everything and returns; the rest happens on other threads, or as the executor is driven.
  // Unavailable when an address cannot be bound.
  [[nodiscard]] Result<void> start();
  // In this order: no new keys; keys in work end; statuses that reconcilers keep back are written, in the rest of
  // drain_timeout; Events are sent; informers; servers; the lease is given back last, when nothing writes any more.
  // After drain_timeout blocking calls of keys still in work end with Cancelled; when a write was among them the lease
  // is not given back but runs out, since the write may still arrive. At shutdown_timeout, or at a second SIGTERM or
  // SIGINT, the process aborts. Blocks until done. WorkerMode::Executor: on the executor's thread; the lease's release
  // is sent and not waited for.
  void stop();
  // start(), wait for SIGTERM, SIGINT, request_stop() or lost(), stop(). The process's exit code.
  // SIGUSR1 writes dump() to the log.
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
  void drain_controllers();
  void write_back(Instant drain_end);
  void release_lease();

  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime
