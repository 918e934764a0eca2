// The parts of a manager, and how it comes to lead.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/cache/watch/watermarks.h"
#include "runtime/leader/lease_guard.h"
#include "runtime/manager/internal/cancellation.h"
#include "runtime/manager/internal/catch_up.h"
#include "runtime/manager/internal/liveness/heartbeat.h"
#include "runtime/manager/internal/metrics/metrics_access.h"
#include "runtime/manager/internal/parts_view.h"
#include "runtime/manager/internal/required_kinds.h"
#include "runtime/manager/internal/stop_signal.h"
#include "runtime/manager/internal/world.h"
#include "runtime/manager/manager.h"
#include "runtime/metrics/running_work.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::runtime {

struct Manager::Parts {
  // A request under way for longer is looked at as stuck.
  static constexpr Duration request_limit{60'000};

  explicit Parts(ManagerOptions manager_options) : options(std::move(manager_options)) {}
  // Threads end before the members they use.
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // Builds everything that does not depend on what the program adds.
  void furnish(ManagerWorld outside);
  // The kinds added by require().
  [[nodiscard]] internal::RequiredKinds& required_kinds();
  // On the executor's thread: follow(), once the required kinds are served.
  void begin_work();
  // Starts the informers. With leader election the lease is looked at first, see LeaderElector::alone_since_look().
  void follow();
  // Plain, or with metrics_secure over TLS.
  [[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_metrics();
  // A cache has taken something in.
  void on_progress();
  [[nodiscard]] bool threaded() const { return options.workers == WorkerMode::Threads; }
  [[nodiscard]] const PermitSource& permits() const;
  [[nodiscard]] internal::PartsView view() const {
    return {world->clock, informers, controllers, watermarks, elector.get(), catch_up.get(), *requests};
  }
  void log_state() const;

  // Runs `work` on the executor's thread and waits for it.
  void on_executor(const std::function<void()>& work);
  // Starts something on the executor and waits until it says done, or `limit`.
  bool await(Duration limit, const std::function<void(std::function<void()>)>& begin);

  ManagerOptions options;
  kube::InterningPool pool;
  SystemClock system_clock;
  MetricsRegistry metrics;
  std::optional<RunningWork> requests;
  std::unique_ptr<RealWorld> real;
  std::optional<ManagerWorld> world;
  HealthChecks liveness, readiness;
  Watermarks watermarks;
  internal::Cancellation cancellation{threaded()};
  internal::StopSignal stop_signal;
  std::unique_ptr<Client> client;
  std::unique_ptr<LeaderElector> elector;
  std::optional<LeaseGuard> lease_guard;
  std::shared_ptr<internal::CatchUp> catch_up;        // with leader election
  std::shared_ptr<internal::RequiredKinds> required;  // once a kind is
  AlwaysPermitted always;
  std::unique_ptr<ApiEventRecorder> events;
  std::vector<std::unique_ptr<InformerBase>> informers;
  std::vector<std::function<void()>> synced_hooks;
  std::vector<std::unique_ptr<Reconciler>> reconcilers;
  std::vector<std::unique_ptr<Controller>> controllers;
  std::unique_ptr<internal::MetricsAccess> metrics_access;  // with metrics_secure
  std::unique_ptr<HttpServer> metrics_server, health_server, debug_server;
  std::unique_ptr<internal::Heartbeat> heartbeat;

  std::atomic<bool> synced{false}, leading{false}, lost{false};
  bool started = false, stopping = false, progress_posted = false;  // on the executor's thread
  bool stopped = false, signalled = false;

 private:
  void add_elector();
  void add_metrics();
  void add_health();
  void check_progress();
  void became_leader();
  void give_up(std::string_view why);
  void lead();
};

}  // namespace reprise::runtime
