#include "runtime/leader/elector.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/leader/internal/lease_json.h"
#include "runtime/leader/internal/lease_sight.h"

namespace reprise::runtime {
namespace {

constexpr Duration look_timeout{2'000};

}  // namespace

std::string_view name(ElectorPhase phase) {
  switch (phase) {
    case ElectorPhase::Following:
      return "Following";
    case ElectorPhase::Leading:
      return "Leading";
    case ElectorPhase::Lost:
      return "Lost";
    case ElectorPhase::Overdue:
      return "Overdue";
    case ElectorPhase::Released:
      return "Released";
  }
  return "";
}

struct LeaderElector::State : std::enable_shared_from_this<LeaderElector::State> {
  State(ElectorOptions elector_options, ElectorCallbacks elector_callbacks, Client& lease_client,
        Executor& lease_executor, const Clock& lease_clock, Random& lease_random, Logger& lease_logger,
        MetricsRegistry& metrics)
      : options(std::move(elector_options)),
        callbacks(std::move(elector_callbacks)),
        client(lease_client),
        executor(lease_executor),
        clock(lease_clock),
        random(lease_random),
        logger(lease_logger),
        slow_paths(metrics.counter("leader_election_slowpath_total",
                                   "Total number of slow path exercised in renewing leader leases.",
                                   {{"name", options.lease_name}})),
        sight(options.identity, options.timing.lease_duration) {}

  [[nodiscard]] bool in(ElectorPhase phase) const { return shared.phase == phase; }
  [[nodiscard]] bool active() const { return in(ElectorPhase::Following) || in(ElectorPhase::Leading); }

  [[nodiscard]] Call call(Method method) const {
    const Instant now = clock.steady();
    Call request{.method = method, .kind = lease_kind(), .namespace_ = options.lease_namespace};
    if (method != Method::Post) request.name = options.lease_name;
    request.timeout = std::max(Duration{1'000}, options.timing.renew_deadline / 2);
    if (in(ElectorPhase::Leading)) {
      const auto left = std::chrono::floor<Duration>(renewed_at + options.timing.renew_deadline - now);
      request.timeout = std::clamp(left, Duration{1}, request.timeout);
    }
    // Passes the leader's other writes, however slow the server is with them: a lease that waits behind them would be
    // lost.
    request.urgent = true;
    // The lease is written under the same rule as all else: not by a process that slept since it decided to.
    request.permit = issue(deadline.get().value_or(now + request.timeout));
    return request;
  }

  void send(const Call& request, void (State::*then)(Instant, Result<std::string>)) {
    const Instant sent_at = clock.steady();
    in_flight = true;
    client.call_async(request, [weak = weak_from_this(), sent_at, then](Result<std::string> json) {
      const auto state = weak.lock();
      if (!state) return;
      state->in_flight = false;
      (*state.*then)(sent_at, std::move(json));
    });
  }

  // One attempt. The leader writes without looking first (the fast path): resourceVersion keeps that safe.
  void attempt() {
    if (!active()) return;
    // Timers of a process that slept fire in any order: the end of the lease comes first.
    if (deadline.passed(clock.steady())) return end_overdue();
    if (in(ElectorPhase::Leading) && current) return write();
    send(call(Method::Get), &State::on_lease);
  }

  void look(std::function<void()> done) {
    if (!in(ElectorPhase::Following)) return done();
    looked = std::move(done);
    Call request = call(Method::Get);
    request.timeout = look_timeout;
    send(request, &State::on_looked);
  }

  void on_looked(Instant, Result<std::string> json) {
    const auto lease = json ? read_lease(*json) : Result<LeaseRecord>(std::unexpected(json.error()));
    if (lease) {
      observe(*lease);
      if (sight.judge(false, clock.steady()) == LeaseVerdict::Take) found_free = lease->resource_version;
    } else if (lease.error().error_class == ErrorClass::NotFound) {
      found_free = std::string();
    }
    if (released) finish_release();
    std::exchange(looked, nullptr)();
  }

  void on_lease(Instant, Result<std::string> json) {
    if (released) return read_to_give_back(json ? read_lease(*json) : std::unexpected(json.error()));
    if (!active()) return;
    if (json) {
      const auto lease = read_lease(*json);
      if (!lease) return attempted(lease.error());
      observe(*lease);
    } else if (json.error().error_class == ErrorClass::NotFound) {
      sight.saw_none();
    } else {
      return attempted(json.error());
    }
    switch (sight.judge(in(ElectorPhase::Leading), clock.steady())) {
      case LeaseVerdict::Take:
        return write();
      case LeaseVerdict::Wait:
        return attempted({});
      case LeaseVerdict::Lost:
        logger.error("Lease is held by another process", {{"holder", sight.record()->holder}});
        return lose();
    }
  }

  void observe(const LeaseRecord& lease) {
    sight.saw(lease, clock.steady());
    const std::lock_guard lock(mutex);
    shared.holder = lease.holder;
    shared.transitions = lease.transitions;
  }

  void write() {
    const auto& found = sight.record();
    // The write holds only if the lease is still as it was found.
    if (in(ElectorPhase::Following)) alone = found_free == (found ? found->resource_version : std::string());
    LeaseRecord next = found.value_or(LeaseRecord{});
    if (next.holder != options.identity) {
      next.acquired = clock.wall();
      // The API server rejects what does not fit.
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      if (found) next.transitions = next.transitions < 0 || next.transitions >= most ? 1 : next.transitions + 1;
    }
    next.holder = options.identity;
    next.renewed = clock.wall();
    next.duration = options.timing.lease_duration;
    Call request = call(found ? Method::Patch : Method::Post);
    request.content_type = found ? "application/merge-patch+json" : "application/json";
    request.body =
        found ? encode_lease_patch(next) : encode_new_lease(options.lease_namespace, options.lease_name, next);
    send(request, &State::on_written);
  }

  void on_written(Instant sent_at, Result<std::string> json) {
    const bool fast = std::exchange(current, json.has_value());
    const auto lease = json ? read_lease(*json) : Result<LeaseRecord>(std::unexpected(json.error()));
    if (lease) observe(*lease);
    if (released) return give_back();
    if (!active()) return;
    if (!lease) {
      current = false;
      const bool moved =
          lease.error().error_class == ErrorClass::Conflict || lease.error().error_class == ErrorClass::NotFound;
      if (fast && in(ElectorPhase::Leading)) {
        slow_paths.add();
        if (moved) return attempt();
      }
      return attempted(lease.error());
    }
    renewed(sent_at);
  }

  // The leader's time began before its request left; a follower's begins when it sees the result: ours ends first.
  void renewed(Instant sent_at) {
    const Instant now = clock.steady();
    const Duration took = std::chrono::ceil<Duration>(now - sent_at);
    const Duration early =
        std::clamp(took, options.timing.margin(), options.timing.lease_duration - options.timing.renew_deadline);
    const Instant ends = sent_at + options.timing.lease_duration - options.timing.margin();
    deadline.set(ends);
    renewed_at = sent_at;
    const bool first = in(ElectorPhase::Following);
    {
      const std::lock_guard lock(mutex);
      shared.phase = ElectorPhase::Leading;
      shared.renewed_at = sent_at;
      shared.permits_until = sent_at + options.timing.lease_duration - early;
      shared.lease_until = ends;
    }
    overdue = at(ends, [this] { end_overdue(); });
    give_up = at(sent_at + options.timing.renew_deadline, [this] { too_late(); });
    if (first) {
      logger.info("Became leader",
                  {{"lease", options.lease_namespace + "/" + options.lease_name}, {"identity", options.identity}});
      callbacks.on_started_leading();
    }
    attempted({});
  }

  [[nodiscard]] std::unique_ptr<Timer> at(Instant due, std::function<void()> work) {
    const auto delay = std::max(std::chrono::ceil<Duration>(due - clock.steady()), Duration{0});
    return executor.after(delay, [weak = weak_from_this(), work = std::move(work)] {
      if (const auto state = weak.lock()) work();
    });
  }

  void attempted(const std::optional<Error>& error) {
    if (!active()) return;
    if (error) logger.warning("Failed to acquire or renew lease", {{"error", error->message}});
    if (in(ElectorPhase::Leading) && clock.steady() - renewed_at >= options.timing.renew_deadline) return too_late();
    // Followers spread out; the leader keeps its pace.
    const double factor = in(ElectorPhase::Leading) ? 1.0 : 1.0 + random.uniform() * options.jitter;
    const auto delay =
        Duration{static_cast<Duration::rep>(static_cast<double>(options.timing.retry_period.count()) * factor)};
    retry = at(clock.steady() + delay, [this] { attempt(); });
  }

  void too_late() {
    if (!in(ElectorPhase::Leading)) return;
    if (deadline.passed(clock.steady())) return end_overdue();
    logger.error("Failed to renew lease before the deadline", {{"lease", options.lease_name}});
    lose();
  }

  // Keeps the deadline: all that is under way must have ended by then.
  void lose() {
    become(ElectorPhase::Lost);
    callbacks.on_lost();
  }

  void end_overdue() {
    if (released || in(ElectorPhase::Overdue)) return;
    become(ElectorPhase::Overdue);
    callbacks.on_overdue();
  }

  void become(ElectorPhase phase) {
    const std::lock_guard lock(mutex);
    shared.phase = phase;
    shared.permits_until.reset();
  }

  void release(std::function<void()> done) {
    const Instant now = clock.steady();
    const auto ends = deadline.get();
    const bool held = ends && now < *ends;
    released = Release{std::move(done), ends.value_or(now + options.timing.renew_deadline)};
    become(ElectorPhase::Released);
    deadline.clear();
    retry.reset();
    overdue.reset();
    give_up.reset();
    // A request under way changes the lease: its answer goes on from here.
    if (in_flight) return;
    if (held) return give_back();
    finish_release();
  }

  // Gives the lease back only if nobody else has written it since.
  void give_back() {
    if (!current) return send(release_call(Method::Get), &State::on_lease);
    if (!sight.record() || sight.record()->holder != options.identity) return finish_release();
    LeaseRecord next = *sight.record();
    next.holder.clear();
    next.duration = Duration{1'000};
    next.acquired = next.renewed = clock.wall();
    Call request = release_call(Method::Patch);
    request.content_type = "application/merge-patch+json";
    request.body = encode_lease_patch(next);
    send(request, &State::gave_back);
  }

  void read_to_give_back(const Result<LeaseRecord>& lease) {
    if (!lease) return gave_back({}, std::unexpected(lease.error()));
    observe(*lease);
    current = true;
    give_back();
  }

  [[nodiscard]] Call release_call(Method method) const {
    Call request = call(method);
    request.timeout = Duration{2'000};
    request.permit = issue(released->until);
    return request;
  }

  void gave_back(Instant, Result<std::string> json) {
    if (json) {
      logger.info("Released lease", {{"lease", options.lease_namespace + "/" + options.lease_name}});
    } else {
      logger.warning("Failed to release lease", {{"error", json.error().message}});
    }
    finish_release();
  }

  void finish_release() {
    if (const auto done = std::exchange(released->done, nullptr)) done();
  }

  struct Release {
    std::function<void()> done;
    Instant until;
  };

  ElectorOptions options;
  ElectorCallbacks callbacks;
  Client& client;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  Counter& slow_paths;

  // Only on the executor's thread.
  LeaseSight sight;
  std::unique_ptr<Timer> retry, give_up, overdue;
  Instant renewed_at{};
  bool current = false;  // the lease is as we wrote it last
  bool in_flight = false;
  std::function<void()> looked;
  std::optional<std::string> found_free;  // the version of the lease that nobody held; empty: there was none
  bool alone = false;
  std::optional<Release> released;

  LeaseDeadline deadline;
  mutable std::mutex mutex;
  ElectorSnapshot shared;  // written on the executor's thread only, so read there without the lock
};

LeaderElector::LeaderElector(ElectorOptions options, ElectorCallbacks callbacks, Client& client, Executor& executor,
                             const Clock& clock, Random& random, Logger& logger, MetricsRegistry& metrics)
    : state_(std::make_shared<State>(std::move(options), std::move(callbacks), client, executor, clock, random, logger,
                                     metrics)) {}

LeaderElector::~LeaderElector() = default;

void LeaderElector::start() {
  state_->executor.post([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->attempt();
  });
}

void LeaderElector::look(std::function<void()> done) {
  state_->executor.post([weak = std::weak_ptr(state_), done = std::move(done)]() mutable {
    if (const auto state = weak.lock()) state->look(std::move(done));
  });
}

bool LeaderElector::alone_since_look() const {
  return state_->alone;
}

void LeaderElector::release(std::function<void()> done) {
  state_->executor.post([weak = std::weak_ptr(state_), done = std::move(done)]() mutable {
    if (const auto state = weak.lock()) state->release(std::move(done));
  });
}

Result<WritePermit> LeaderElector::permit() const {
  const std::lock_guard lock(state_->mutex);
  const auto& until = state_->shared.permits_until;
  if (!until || state_->clock.steady() >= *until) {
    return fail(ErrorClass::NoPermit, "not the leader");
  }
  return issue(*until);
}

bool LeaderElector::is_leader() const {
  const std::lock_guard lock(state_->mutex);
  return state_->shared.phase == ElectorPhase::Leading;
}

ElectorSnapshot LeaderElector::snapshot() const {
  const std::lock_guard lock(state_->mutex);
  return state_->shared;
}

const LeaseDeadline& LeaderElector::deadline() const {
  return state_->deadline;
}

Result<void> LeaderElector::healthy() const {
  const Instant now = state_->clock.steady();
  const auto deadline = state_->deadline.get();
  if (!deadline || now < *deadline) return {};
  const auto late = std::chrono::duration_cast<std::chrono::seconds>(now - *deadline);
  return fail(ErrorClass::NoPermit, "the lease ended " + std::to_string(late.count()) +
                                        " s ago without having been renewed, and this process still runs");
}

}  // namespace reprise::runtime
