// How a manager starts, runs and stops.
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/manager/internal/liveness/watchdog.h"
#include "runtime/manager/internal/parts.h"
#include "runtime/metrics/serving/status_pages.h"

namespace reprise::runtime {
namespace {

// Time for the rest of a stop after the workers: sending the Events that wait, giving the lease back.
constexpr Duration farewell_limit{5'000};

Duration drain_limit(const ManagerOptions& options) {
  return std::min(options.drain_timeout, options.shutdown_timeout * 2 / 3);
}

}  // namespace

Result<void> Manager::start() {
  auto metrics_server = parts_->serve_metrics();
  if (!metrics_server) return std::unexpected(std::move(metrics_server.error()));
  auto health_server = serve_http(parts_->options.health_address, health_routes(parts_->liveness, parts_->readiness));
  if (!health_server) return std::unexpected(std::move(health_server.error()));
  const auto state = [parts = parts_.get()] {
    std::string text;
    for (const std::string& line : internal::dump_state(parts->view())) text += line + "\n";
    return text;
  };
  const Clock& clock = parts_->world->clock;
  HttpRoutes debug = debug_routes(state, parts_->world->logger);
  debug.merge(status_routes({.name = parts_->options.name,
                             .version = parts_->options.version,
                             .started = clock.wall(),
                             .flags = parts_->options.flags},
                            debug, clock));
  auto debug_server = serve_loopback(parts_->options.debug_address, std::move(debug));
  if (!debug_server) return std::unexpected(std::move(debug_server.error()));
  parts_->debug_server = *std::move(debug_server);
  parts_->metrics_server = *std::move(metrics_server);
  parts_->health_server = *std::move(health_server);
  parts_->world->executor.post([parts = parts_.get()] { parts->begin_work(); });
  return {};
}

void Manager::drain_controllers() {
  const Clock& clock = parts_->world->clock;
  for (const auto& controller : parts_->controllers) controller->drain();
  const Instant end = clock.steady() + drain_limit(parts_->options);
  const bool drained = std::all_of(parts_->controllers.begin(), parts_->controllers.end(), [&](const auto& each) {
    return each->drained(std::chrono::ceil<Duration>(end - clock.steady()));
  });
  if (!drained) {
    parts_->world->logger.warning("Reconciles still running; canceling their requests");
    parts_->cancellation.cancel();
  }
  for (const auto& controller : parts_->controllers) controller->stop();
  write_back(end);
}

// Writes statuses that were kept back for a later write, since none will come: the lease is still held and renewed, so
// this process may. Writes that do not fit into the time are found again by the next process, as after a crash.
void Manager::write_back(Instant drain_end) {
  constexpr Duration longest{10'000};
  const Clock& clock = parts_->world->clock;
  const Instant begun = clock.steady(), end = std::min(drain_end, begun + longest);
  // Cuts off calls that do not end by themselves.
  std::condition_variable_any over;
  std::mutex mutex;
  std::optional<std::jthread> guard;
  if (parts_->threaded()) {
    guard.emplace([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      (void)over.wait_for(lock, stop, end - begun, [] { return false; });
      if (!stop.stop_requested()) parts_->cancellation.cancel();
    });
  }
  WrittenBack all;
  for (const auto& controller : parts_->controllers) {
    const WrittenBack one = controller->write_back(std::chrono::floor<Duration>(end - clock.steady()));
    all.written += one.written;
    all.dropped += one.dropped;
  }
  if (all.written + all.dropped == 0) return;
  parts_->world->logger.log(all.dropped > 0 ? LogLevel::Warning : LogLevel::Info, "Wrote held status before shutdown",
                            {{"written", std::to_string(all.written)}, {"dropped", std::to_string(all.dropped)}});
}

void Manager::release_lease() {
  if (!parts_->elector) return;
  // The next leader must not begin while a write may still arrive: let the lease run out. A write that ended a lease's
  // duration ago has had as much time as a lease that runs out leaves it.
  const Instant since = parts_->world->clock.steady() - parts_->options.lease_timing.lease_duration;
  if (parts_->cancellation.cut_a_write() || parts_->cancellation.unanswered_since(since)) {
    parts_->world->logger.warning("Lease not released: the outcome of a write is unknown");
    return;
  }
  const auto release = [this](std::function<void()> done) { parts_->elector->release(std::move(done)); };
  if (parts_->threaded())
    (void)parts_->await(farewell_limit, release);
  else
    release([] {});
}

void Manager::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  std::optional<internal::Watchdog> watchdog;
  if (parts_->threaded()) {
    // Only a second signal aborts: the first may come while a lost lease already ends the process.
    watchdog.emplace(parts_->options.shutdown_timeout, parts_->signalled ? parts_->stop_signal.signals() : -1,
                     parts_->options.abort);
  }
  bool started = false;
  parts_->on_executor([this, &started] {
    started = parts_->started;
    parts_->stopping = true;
    if (parts_->required) parts_->required->stop();
    if (parts_->catch_up) parts_->catch_up->stop();
  });
  drain_controllers();
  if (started && parts_->threaded()) {
    (void)parts_->await(farewell_limit, [this](std::function<void()> done) { parts_->events->flush(std::move(done)); });
  }
  parts_->on_executor([this] {
    for (const auto& informer : parts_->informers) informer->stop();
  });
  parts_->metrics_server.reset();
  parts_->health_server.reset();
  parts_->debug_server.reset();
  // Last: nothing of this process writes any more.
  if (started) release_lease();
  parts_->leading = false;
  parts_->on_executor([this] { parts_->heartbeat->stop(); });
  if (parts_->real) parts_->real->executor.stop();
  if (started) parts_->world->logger.info("Stopped");
}

void Manager::block_signals() {
  internal::StopSignal::block();
}

int Manager::run() {
  if (auto begun = start(); !begun) {
    parts_->world->logger.error("Failed to start", {{"error", begun.error().message}});
    return EXIT_FAILURE;
  }
  parts_->signalled = parts_->stop_signal.wait([this] { parts_->log_state(); });
  parts_->world->logger.info("Stopping");
  stop();
  return parts_->lost ? EXIT_FAILURE : EXIT_SUCCESS;
}

void Manager::request_stop() {
  parts_->stop_signal.request();
}

}  // namespace reprise::runtime
