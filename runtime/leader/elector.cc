#include "runtime/leader/elector.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/leader/lease_json.h"

namespace reprise::runtime {

struct LeaderElector::State : std::enable_shared_from_this<LeaderElector::State> {
  State(ElectorOptions elector_options, ElectorCallbacks elector_callbacks, Client& lease_client,
        Executor& lease_executor, const Clock& lease_clock, Random& lease_random, Logger& lease_logger)
      : options(std::move(elector_options)),
        callbacks(std::move(elector_callbacks)),
        client(lease_client),
        executor(lease_executor),
        clock(lease_clock),
        random(lease_random),
        logger(lease_logger) {}

  [[nodiscard]] Call call(Method method) const {
    Call request{.method = method, .kind = lease_kind(), .namespace_ = options.lease_namespace};
    if (method != Method::Post) request.name = options.lease_name;
    request.timeout = std::max(Duration{1'000}, options.renew_deadline / 2);
    if (leading()) {
      const auto left = std::chrono::floor<Duration>(renewed_at + options.renew_deadline - clock.steady());
      request.timeout = std::clamp(left, Duration{1}, request.timeout);
    }
    return request;
  }

  // One attempt: look at the lease, take or renew it if that is ours to do.
  void attempt() {
    if (ended) return;
    // Timers of a process that slept fire in any order: the end of the lease comes first.
    if (leading() && clock.steady() >= *valid_until) return end_overdue();
    if (leading() && current) return write(observed);
    client.call_async(call(Method::Get), [weak = weak_from_this()](Result<std::string> json) {
      if (const auto state = weak.lock()) state->on_lease(std::move(json));
    });
  }

  void on_lease(Result<std::string> json) {
    if (ended) return;
    if (!json) {
      if (json.error().error_class == ErrorClass::NotFound) return write(std::nullopt);
      return attempted(json.error());
    }
    const auto lease = read_lease(*json);
    if (!lease) return attempted(lease.error());
    observe(*lease);
    const bool ours = lease->holder == options.identity;
    if (!ours && !lease->holder.empty() && clock.steady() < observed_at + Duration{lease->duration}) {
      if (leading()) {
        logger.error("Another process holds the lease", {{"holder", lease->holder}});
        return lose();
      }
      return attempted({});
    }
    write(*lease);
  }

  void observe(const LeaseRecord& lease) {
    if (observed && *observed == lease) return;
    observed = lease;
    observed_at = clock.steady();
    const std::lock_guard lock(mutex);
    holder = lease.holder;
  }

  void write(const std::optional<LeaseRecord>& found) {
    const Instant sent_at = clock.steady();
    LeaseRecord next = found.value_or(LeaseRecord{});
    const bool taken_over = next.holder != options.identity;
    if (taken_over) next.acquired = clock.wall();
    if (found && taken_over) ++next.transitions;
    next.holder = options.identity;
    next.renewed = clock.wall();
    next.duration = options.lease_duration;
    Call request = call(found ? Method::Patch : Method::Post);
    request.content_type = found ? "application/merge-patch+json" : "application/json";
    request.body =
        found ? encode_lease_patch(next) : encode_new_lease(options.lease_namespace, options.lease_name, next);
    client.call_async(request, [weak = weak_from_this(), sent_at](Result<std::string> json) {
      if (const auto state = weak.lock()) state->on_written(sent_at, std::move(json));
    });
  }

  void on_written(Instant sent_at, Result<std::string> json) {
    if (ended) return;
    current = json.has_value();
    if (!json) return attempted(json.error());
    if (const auto lease = read_lease(*json)) observe(*lease);
    const bool first = !leading();
    {
      const std::lock_guard lock(mutex);
      valid_until = sent_at + options.lease_duration - options.margin;
      lead = true;
    }
    renewed_at = sent_at;
    overdue = executor.after(std::chrono::ceil<Duration>(*valid_until - clock.steady()), [weak = weak_from_this()] {
      const auto state = weak.lock();
      if (state && !state->released) state->end_overdue();
    });
    if (first) {
      logger.info("Became leader",
                  {{"lease", options.lease_namespace + "/" + options.lease_name}, {"identity", options.identity}});
      callbacks.on_started_leading();
    }
    attempted({});
  }

  void attempted(const std::optional<Error>& error) {
    if (ended) return;
    if (error) {
      logger.warning("Could not read or write the lease", {{"error", error->message}});
    }
    if (leading() && clock.steady() - renewed_at >= options.renew_deadline) {
      logger.error("Did not renew the lease in time", {{"lease", options.lease_name}});
      return lose();
    }
    // Followers spread out; the leader keeps its pace.
    const double factor = leading() ? 1.0 : 1.0 + random.uniform() * options.jitter;
    const auto delay = Duration{static_cast<Duration::rep>(static_cast<double>(options.retry_period.count()) * factor)};
    retry = executor.after(delay, [weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->attempt();
    });
  }

  void lose() {
    ended = true;
    {
      const std::lock_guard lock(mutex);
      lead = false;
      valid_until.reset();
    }
    callbacks.on_lost();
  }

  void end_overdue() {
    ended = released = true;
    {
      const std::lock_guard lock(mutex);
      lead = false;
      valid_until.reset();
    }
    callbacks.on_overdue();
  }

  [[nodiscard]] bool leading() const {
    const std::lock_guard lock(mutex);
    return lead;
  }

  // Gives the lease back only if nobody else has written it since.
  void release(const std::function<void()>& done) {
    const bool held = leading() && !ended && observed;
    ended = true;
    released = true;
    {
      const std::lock_guard lock(mutex);
      lead = false;
      valid_until.reset();
    }
    retry.reset();
    overdue.reset();
    if (!held) return done();
    LeaseRecord next = *observed;
    next.holder.clear();
    next.duration = Duration{1'000};
    next.acquired = next.renewed = clock.wall();
    Call request = call(Method::Patch);
    request.timeout = Duration{5'000};
    request.content_type = "application/merge-patch+json";
    request.body = encode_lease_patch(next);
    client.call_async(request, [done, keep = shared_from_this()](const Result<std::string>& json) {
      if (!json) keep->logger.warning("Could not give the lease back", {{"error", json.error().message}});
      done();
    });
  }

  ElectorOptions options;
  ElectorCallbacks callbacks;
  Client& client;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  std::unique_ptr<Timer> retry, overdue;
  std::optional<LeaseRecord> observed;
  Instant observed_at{}, renewed_at{};
  bool ended = false, released = false;
  bool current = false;  // `observed` is what we wrote last: renew without looking

  mutable std::mutex mutex;
  bool lead = false;
  std::optional<Instant> valid_until;
  std::string holder;
};

LeaderElector::LeaderElector(ElectorOptions options, ElectorCallbacks callbacks, Client& client, Executor& executor,
                             const Clock& clock, Random& random, Logger& logger)
    : state_(
          std::make_shared<State>(std::move(options), std::move(callbacks), client, executor, clock, random, logger)) {}

LeaderElector::~LeaderElector() {
  state_->ended = state_->released = true;
}

void LeaderElector::start() {
  state_->executor.post([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->attempt();
  });
}

void LeaderElector::release(std::function<void()> done) {
  state_->executor.post([state = state_, done = std::move(done)] { state->release(done); });
}

Result<WritePermit> LeaderElector::permit() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->valid_until || state_->clock.steady() >= *state_->valid_until) {
    return fail(ErrorClass::NoPermit, "this process does not lead");
  }
  return issue(*state_->valid_until);
}

bool LeaderElector::is_leader() const {
  return state_->leading();
}

std::string LeaderElector::holder() const {
  const std::lock_guard lock(state_->mutex);
  return state_->holder;
}

}  // namespace reprise::runtime
