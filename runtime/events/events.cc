#include "runtime/events/events.h"
#include "runtime/base/utf8_cut.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/events/internal/event_json.h"
#include "runtime/events/internal/event_series.h"

namespace reprise::runtime {
namespace {

constexpr std::size_t note_limit = 1024;
constexpr int attempts = 5;
constexpr Duration first_retry{1'000}, longest_retry{60'000};
constexpr Duration sweep_period{60'000};
constexpr Duration request_timeout{10'000};

void shorten(std::string& note) {
  note.resize(utf8_cut(note, note_limit).size());
}

struct Drops {
  explicit Drops(MetricsRegistry& metrics)
      : queue_full(at(metrics, "queue_full")),
        rate_limited(at(metrics, "rate_limited")),
        no_permit(at(metrics, "no_permit")),
        rejected(at(metrics, "refused")),
        unreachable(at(metrics, "unreachable")) {}
  static Counter& at(MetricsRegistry& metrics, const std::string& reason) {
    return metrics.counter(
        "reprise_events_dropped_total",
        "Occurrences of events that were never written: too many waited, one object had too many of one reason, "
        "this process did not lead, the server rejected them or could not be reached.",
        {{"reason", reason}});
  }
  Counter &queue_full, &rate_limited, &no_permit, &rejected, &unreachable;
};

}  // namespace

struct ApiEventRecorder::State : std::enable_shared_from_this<ApiEventRecorder::State> {
  // A series to begin, or whose count is to be written, and how often that failed.
  struct Item {
    std::string key;
    bool create = false;
    int failures = 0;
    std::string name = {};
    bool perhaps_made = false;  // an answer to a create under this name was lost
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
        sent(metrics.counter("reprise_events_sent_total", "Events and counts of series written.")),
        dropped(metrics),
        series({.over_after = options.series_after}) {}

  void record(const EventRecord& event) {
    const std::string key = identity_of(event);
    const std::lock_guard lock(mutex);
    const bool full = waiting.size() + failed.size() + (under_way ? 1 : 0) >= options.queue_limit;
    const EventVerdict verdict = series.note(key, event, clock.steady());
    dropped.queue_full.add(static_cast<double>(series.take_displaced()));
    switch (verdict) {
      case EventVerdict::Create:
        if (full) return dropped.queue_full.add(series.turn_away(key));
        return push({key, true});
      case EventVerdict::Update:
        if (full) return series.put_off(key);
        return push({key, false});
      case EventVerdict::Counted:
        return;
      case EventVerdict::Limited:
        return dropped.rate_limited.add();
    }
  }

  // The lock is held.
  void push(Item item) {
    waiting.push_back(std::move(item));
    wake();
  }

  // The lock is held.
  void wake() {
    if (std::exchange(awake, true)) return;
    executor.post([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->send_next();
    });
  }

  void send_next() {
    std::optional<Item> item;
    std::vector<std::function<void()>> flushed;
    {
      const std::lock_guard lock(mutex);
      item = take_ready();
      under_way = item.has_value();
      if (!item) {
        awake = false;
        if (waiting.empty() && failed.empty()) flushed = std::exchange(flushes, {});
        arm_retry();
        arm_sweep();
      }
    }
    for (const auto& done : flushed) done();
    if (item) send(*std::move(item));
  }

  // The lock is held. Untried items go first: however many fail, the rest does not wait for them.
  std::optional<Item> take_ready() {
    const Instant now = clock.steady();
    if (now < held_until) return std::nullopt;
    if (!waiting.empty()) {
      Item item = std::move(waiting.front());
      waiting.pop_front();
      return item;
    }
    if (failed.empty() || now < failed.begin()->first) return std::nullopt;
    return std::move(failed.extract(failed.begin()).mapped());
  }

  // The lock is held, and nothing is ready.
  void arm_retry() {
    retry.reset();
    if (waiting.empty() && failed.empty()) return;
    const Instant due = waiting.empty() ? std::max(held_until, failed.begin()->first) : held_until;
    retry = executor.after(std::chrono::ceil<Duration>(due - clock.steady()), [weak = weak_from_this()] {
      const auto state = weak.lock();
      if (!state) return;
      const std::lock_guard lock(state->mutex);
      state->wake();
    });
  }

  void send(Item item) {
    auto permit = permits.permit();
    if (!permit) return give_up(item, dropped.no_permit, permit.error());
    Call call{.kind = event_kind(), .timeout = request_timeout, .permit = *permit};
    std::int32_t count = 1;
    std::string ns, name;
    if (item.create) {
      std::optional<EventRecord> event;
      {
        const std::lock_guard lock(mutex);
        event = series.to_create(item.key);
      }
      if (!event) return post_next();
      event->name = item.name.empty() ? unique_name(*event) : item.name;
      item.name = event->name;
      ns = event->namespace_;
      call.method = Method::Post;
      call.content_type = "application/json";
      call.body = encode_event(*event, options.controller, options.instance);
    } else {
      std::optional<EventSeries::Update> update;
      {
        const std::lock_guard lock(mutex);
        update = series.to_update(item.key);
      }
      if (!update) return post_next();
      count = update->count;
      ns = update->namespace_;
      name = item.name = update->name;
      call.method = Method::Patch;
      call.content_type = "application/merge-patch+json";
      call.body = encode_series_patch(update->count, update->last);
    }
    call.namespace_ = ns;
    call.name = name;
    client.call_async(call, [weak = weak_from_this(), item = std::move(item), count](Result<std::string> json) {
      if (const auto state = weak.lock()) state->on_sent(item, count, std::move(json));
    });
  }

  void on_sent(Item item, std::int32_t count, Result<std::string> json) {
    if (json) return succeeded(item, count);
    const Error& error = json.error();
    switch (error.error_class) {
      case ErrorClass::AlreadyExists:
        // Ours, when an earlier answer was lost; else a name taken by chance.
        if (item.perhaps_made) return succeeded(item, count);
        item.name.clear();
        return again(std::move(item), error);
      case ErrorClass::NotFound:
        if (item.create) return give_up(item, dropped.rejected, error);
        if (!begin_anew(item.key)) return give_up(item, dropped.rate_limited, error);
        return send({item.key, true});
      case ErrorClass::Unavailable:
        item.perhaps_made = true;
        return again(std::move(item), error);
      case ErrorClass::Conflict:
      case ErrorClass::Throttled:
      case ErrorClass::Unauthorized:
        return again(std::move(item), error);
      case ErrorClass::NoPermit:
        return give_up(item, dropped.no_permit, error);
      case ErrorClass::Invalid:
      case ErrorClass::Forbidden:
      case ErrorClass::Expired:
      case ErrorClass::Cancelled:
      case ErrorClass::Terminal:
        return give_up(item, dropped.rejected, error);
    }
  }

  [[nodiscard]] bool begin_anew(const std::string& key) {
    const std::lock_guard lock(mutex);
    return series.vanished(key, clock.wall(), clock.steady());
  }

  void succeeded(const Item& item, std::int32_t count) {
    sent.add();
    {
      const std::lock_guard lock(mutex);
      if (series.written(item.key, item.name, count, clock.steady())) waiting.push_back({item.key, false});
    }
    send_next();
  }

  void again(Item item, const Error& error) {
    if (++item.failures >= attempts) return give_up(item, dropped.unreachable, error);
    const Duration doubled = first_retry * (1 << (item.failures - 1));
    const auto jittered =
        Duration{static_cast<Duration::rep>(static_cast<double>(doubled.count()) * (1.0 + random.uniform()))};
    const Duration delay = std::min(std::max(jittered, error.retry_after.value_or(Duration{0})), longest_retry);
    {
      const std::lock_guard lock(mutex);
      const Instant now = clock.steady();
      // The server says that to this process, not to one Event.
      if (error.retry_after) held_until = now + std::min(*error.retry_after, longest_retry);
      failed.emplace(now + delay, std::move(item));
    }
    post_next();
  }

  void give_up(const Item& item, Counter& counter, const Error& error) {
    std::int32_t lost = 0;
    std::string reason;
    {
      const std::lock_guard lock(mutex);
      if (const auto event = series.to_create(item.key)) reason = event->reason;
      lost = series.forget(item.key);
    }
    counter.add(lost);
    logger.warning("Dropped an Event", {{"reason", reason}, {"error", error.message}});
    post_next();
  }

  // Posted: thousands of items that fail at once must not nest.
  void post_next() {
    executor.post([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->send_next();
    });
  }

  // The lock is held. Ticks only while there is a series to end.
  void arm_sweep() {
    if (series.empty() || sweeping) return;
    sweeping = true;
    sweep = executor.after(sweep_period, [weak = weak_from_this()] {
      const auto state = weak.lock();
      if (!state) return;
      const std::lock_guard lock(state->mutex);
      state->sweeping = false;
      state->enqueue(state->series.sweep(state->clock.steady()));
      state->arm_sweep();
    });
  }

  // The lock is held.
  void enqueue(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) push({key, false});
  }

  void flush(std::function<void()> done) {
    const std::lock_guard lock(mutex);
    flushes.push_back(std::move(done));
    enqueue(series.unwritten());
    wake();
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
  Counter& sent;
  Drops dropped;

  std::mutex mutex;
  EventSeries series;
  std::deque<Item> waiting;
  std::multimap<Instant, Item> failed;  // by when they are due again
  Instant held_until{};                 // no item is sent before
  std::vector<std::function<void()>> flushes;
  bool awake = false;      // something is under way on the executor
  bool under_way = false;  // an item is being sent: it is in neither list
  bool sweeping = false;

  // Only on the executor's thread.
  std::unique_ptr<Timer> retry, sweep;
};

ApiEventRecorder::ApiEventRecorder(EventOptions options, Client& client, const PermitSource& permits,
                                   Executor& executor, const Clock& clock, Random& random, MetricsRegistry& metrics,
                                   Logger& logger)
    : state_(std::make_shared<State>(std::move(options), client, permits, executor, clock, random, metrics, logger)) {}

ApiEventRecorder::~ApiEventRecorder() = default;

void ApiEventRecorder::record(const kube::KindInfo& kind, const kube::ObjectMeta& regarding, EventType type,
                              std::string reason, std::string action, std::string note) {
  shorten(note);
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
  state_->flush(std::move(done));
}

}  // namespace reprise::runtime
