#include "runtime/manager/internal/parts.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <future>
#include <string>
#include <utility>

#include "runtime/base/fatal_exit.h"

namespace reprise::runtime {
namespace {

constexpr std::string_view outlived = "The lease is over and this process still runs: ending it";

std::string default_identity(Random& random) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::array<char, 16> digits{};
  const auto value = static_cast<std::uint64_t>(random.uniform() * 9007199254740992.0);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return std::string(host.data()) + "_" + std::string(digits.data(), end.ptr);
}

}  // namespace

Manager::Parts::~Parts() {
  lease_guard.reset();
  metrics_server.reset();
  health_server.reset();
  debug_server.reset();
  controllers.clear();
  if (real) real->executor.stop();
}

const PermitSource& Manager::Parts::permits() const {
  return elector ? static_cast<const PermitSource&>(*elector) : always;
}

void Manager::Parts::furnish(ManagerWorld outside) {
  world.emplace(outside);
  if (!requests) requests.emplace(world->clock, request_limit);
  if (!options.abort) options.abort = [](std::string_view why) { end_process(why); };
  if (options.identity.empty()) options.identity = default_identity(world->random);
  if (options.lease_namespace.empty()) options.lease_namespace = "default";
  client = make_client(world->transport, world->clock);
  heartbeat = std::make_unique<internal::Heartbeat>(world->executor, world->clock);
  if (options.leader_elect) add_elector();
  events = std::make_unique<ApiEventRecorder>(EventOptions{.controller = options.name, .instance = options.identity},
                                              *client, permits(), world->executor, world->clock, world->random, metrics,
                                              world->logger);
  add_metrics();
  add_health();
}

void Manager::Parts::add_elector() {
  ElectorOptions election{.lease_namespace = options.lease_namespace,
                          .lease_name = options.lease_name,
                          .identity = options.identity,
                          .timing = options.lease_timing};
  ElectorCallbacks callbacks{.on_started_leading = [this] { became_leader(); },
                             .on_lost = [this] { give_up("the lease was lost"); },
                             .on_overdue = [this] { options.abort(outlived); }};
  elector = std::make_unique<LeaderElector>(std::move(election), std::move(callbacks), *client, world->executor,
                                            world->clock, world->random, world->logger, metrics);
  catch_up = std::make_shared<internal::CatchUp>(informers, *client, world->executor, world->clock, world->logger);
  if (threaded()) lease_guard.emplace(elector->deadline(), world->clock, [this] { options.abort(outlived); });
}

void Manager::Parts::add_metrics() {
  metrics.gauge_of("leader_election_master_status", "1: this process leads, 0: it stands by.",
                   {{"name", options.lease_name}}, [this] { return leading ? 1.0 : 0.0; });
  metrics
      .gauge("reprise_build_info", "1, labelled with the version.",
             {{"name", options.name}, {"version", options.version}})
      .set(1);
  metrics.gauge_of("reprise_cache_shared_bytes", "Memory of what objects of all caches share, estimated.", {},
                   [this] { return static_cast<double>(pool.bytes()); });
  metrics.gauge_of("reprise_owners_waiting_for_cache", "Owners whose own writes the caches do not show yet.", {},
                   [this] { return static_cast<double>(watermarks.waiting()); });
  metrics.gauge_of("reprise_caches_behind", "Caches that a new leader waits for before it works.", {},
                   [this] { return catch_up ? static_cast<double>(catch_up->behind()) : 0.0; });
}

void Manager::Parts::add_health() {
  readiness.add("caches", [this]() -> Result<void> {
    if (synced) return {};
    std::string missing;
    for (const auto& informer : informers) {
      if (!informer->synced()) missing += (missing.empty() ? "" : ", ") + std::string(informer->kind().kind);
    }
    return fail(ErrorClass::Unavailable, "not synced: " + missing);
  });
  liveness.add("loop", [this] { return heartbeat->check(); });
  internal::add_liveness_checks(liveness, view());
}

void Manager::Parts::log_state() const {
  for (const std::string& line : internal::dump_state(view())) world->logger.info("State", {{"line", line}});
}

internal::RequiredKinds& Manager::Parts::required_kinds() {
  if (!required) {
    required =
        std::make_shared<internal::RequiredKinds>(world->transport, world->executor, world->clock, world->logger);
    readiness.add("kinds", [kinds = required.get()] { return kinds->check(); });
  }
  return *required;
}

void Manager::Parts::begin_work() {
  started = true;
  heartbeat->start();
  if (!required) return follow();
  required->start([this](const Result<void>& served) {
    if (served) return follow();
    lost = true;
    world->logger.error("Failed to start",
                        {{"class", std::string(name(served.error().error_class))}, {"error", served.error().message}});
    stop_signal.request();
  });
}

void Manager::Parts::follow() {
  const auto begin = [this] {
    if (stopping) return;
    for (const auto& informer : informers) informer->start();
    on_progress();
  };
  if (elector)
    elector->look(begin);
  else
    begin();
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
  watermarks.advanced();
  if (catch_up) catch_up->advanced();
  if (synced || !started || stopping) return;
  if (!std::all_of(informers.begin(), informers.end(), [](const auto& informer) { return informer->synced(); })) return;
  synced = true;
  world->logger.info("Caches synced");
  for (const auto& hook : synced_hooks) hook();
  if (elector)
    elector->start();
  else
    lead();
}

void Manager::Parts::became_leader() {
  if (stopping) return;
  leading = true;
  if (elector->alone_since_look()) return lead();
  catch_up->start([this](const Result<void>& caught_up) {
    if (stopping || lost) return;
    if (caught_up) return lead();
    // A process that starts anew lists everything; another one may have better watches.
    give_up(caught_up.error().message);
  });
}

void Manager::Parts::give_up(std::string_view why) {
  leading = false;
  lost = true;
  world->logger.error("Lost leadership; shutting down", {{"reason", std::string(why)}});
  stop_signal.request();
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

}  // namespace reprise::runtime
