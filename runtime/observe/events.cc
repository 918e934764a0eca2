#include "runtime/observe/events.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/observe/event_json.h"

namespace reprise::runtime {
namespace {

constexpr std::size_t note_limit = 1024;
constexpr int attempts = 3;
constexpr std::size_t series_limit = 4096;

}  // namespace

struct ApiEventRecorder::State : std::enable_shared_from_this<ApiEventRecorder::State> {
  struct Series {
    std::string name, namespace_;
    std::int32_t count = 1;
    WallTime last{};
  };

  State(EventOptions event_options, Client& event_client, const PermitSource& event_permits, Executor& event_executor,
        const Clock& event_clock, Random& event_random, MetricsRegistry& metrics, Logger& event_logger)
      : options(std::move(event_options)),
        client(event_client),
        permits(event_permits),
        executor(event_executor),
        clock(event_clock),
        random(event_random),
        logger(event_logger),
        sent(metrics.counter("reprise_events_sent_total", "Events and repeats of events written.")),
        dropped(metrics.counter("reprise_events_dropped_total",
                                "Events given up: too many waited, or they could not be written.")) {}

  void record(EventRecord event) {
    {
      const std::lock_guard lock(mutex);
      if (waiting.size() >= options.queue_limit) return dropped.add();
      waiting.push_back(std::move(event));
      if (std::exchange(awake, true)) return;
    }
    executor.post([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->send_next();
    });
  }

  void send_next() {
    std::optional<EventRecord> event;
    std::vector<std::function<void()>> flushed;
    {
      const std::lock_guard lock(mutex);
      if (waiting.empty()) {
        awake = false;
        flushed = std::exchange(flushes, {});
      } else {
        event = std::move(waiting.front());
        waiting.pop_front();
      }
    }
    for (const auto& done : flushed) done();
    if (event) send(*std::move(event), attempts);
  }

  void send(EventRecord event, int tries) {
    const auto permit = permits.permit();
    if (!permit) {
      dropped.add();
      return executor.post([weak = weak_from_this()] {
        if (const auto state = weak.lock()) state->send_next();
      });
    }
    forget_old();
    const std::string key = identity_of(event);
    const auto known = series.find(key);
    Call call{.kind = event_kind(), .permit = *permit};
    call.timeout = Duration{10'000};
    if (known != series.end()) {
      call.method = Method::Patch;
      call.namespace_ = known->second.namespace_;
      call.name = known->second.name;
      call.content_type = "application/merge-patch+json";
      call.body = encode_series_patch(known->second.count + 1, event.time);
    } else {
      event.name = unique_name(event);
      call.method = Method::Post;
      call.namespace_ = event.namespace_;
      call.content_type = "application/json";
      call.body = encode_event(event, options.controller, options.instance);
    }
    client.call_async(call, [weak = weak_from_this(), event, key, tries](Result<std::string> json) {
      if (const auto state = weak.lock()) state->on_sent(event, key, tries, std::move(json));
    });
  }

  void on_sent(const EventRecord& event, const std::string& key, int tries, Result<std::string> json) {
    const auto known = series.find(key);
    if (json) {
      sent.add();
      if (known == series.end()) {
        series[key] = {event.name, event.namespace_, 1, event.time};
      } else {
        ++known->second.count;
        known->second.last = event.time;
      }
      return send_next();
    }
    // A series whose Event has expired on the server begins anew.
    if (json.error().error_class == ErrorClass::NotFound && known != series.end()) {
      series.erase(known);
      return send(event, tries);
    }
    const bool may_pass =
        json.error().error_class == ErrorClass::Unavailable || json.error().error_class == ErrorClass::Throttled;
    if (may_pass && tries > 1) {
      const Duration delay =
          json.error().retry_after.value_or(Duration{static_cast<Duration::rep>(1'000.0 + random.uniform() * 2'000.0)});
      retry = executor.after(delay, [weak = weak_from_this(), event, tries] {
        if (const auto state = weak.lock()) state->send(event, tries - 1);
      });
      return;
    }
    dropped.add();
    logger.warning("Dropped an Event", {{"reason", event.reason}, {"error", json.error().message}});
    send_next();
  }

  void forget_old() {
    const WallTime now = clock.wall();
    std::erase_if(series, [&](const auto& entry) { return now - entry.second.last > options.series_after; });
    if (series.size() >= series_limit) series.clear();
  }

  [[nodiscard]] std::string unique_name(const EventRecord& event) {
    const auto suffix = static_cast<std::uint64_t>(random.uniform() * 4294967296.0);
    return event_name(event, suffix);
  }

  EventOptions options;
  Client& client;
  const PermitSource& permits;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Logger& logger;
  Counter &sent, &dropped;

  std::mutex mutex;
  std::deque<EventRecord> waiting;
  std::vector<std::function<void()>> flushes;
  bool awake = false;

  // Only on the executor's thread.
  std::map<std::string, Series> series;
  std::unique_ptr<Timer> retry;
};

ApiEventRecorder::ApiEventRecorder(EventOptions options, Client& client, const PermitSource& permits,
                                   Executor& executor, const Clock& clock, Random& random, MetricsRegistry& metrics,
                                   Logger& logger)
    : state_(std::make_shared<State>(std::move(options), client, permits, executor, clock, random, metrics, logger)) {}

ApiEventRecorder::~ApiEventRecorder() = default;

void ApiEventRecorder::record(const api::KindInfo& kind, const api::ObjectMeta& regarding, EventType type,
                              std::string reason, std::string action, std::string note) {
  if (note.size() > note_limit) note.resize(note_limit);
  state_->record({.name = {},
                  .namespace_ = regarding.namespace_.empty() ? "default" : regarding.namespace_,
                  .regarding_api_version = kind.api_version(),
                  .regarding_kind = std::string(kind.kind),
                  .regarding_namespace = regarding.namespace_,
                  .regarding_name = regarding.name,
                  .regarding_uid = regarding.uid,
                  .type = type,
                  .reason = std::move(reason),
                  .action = std::move(action),
                  .note = std::move(note),
                  .time = state_->clock.wall()});
}

void ApiEventRecorder::flush(std::function<void()> done) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->flushes.push_back(std::move(done));
    if (std::exchange(state_->awake, true)) return;
  }
  state_->executor.post([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->send_next();
  });
}

}  // namespace reprise::runtime
