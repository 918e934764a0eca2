#include "runtime/cache/reflector.h"

#include <optional>
#include <utility>

#include "runtime/cache/line_framer.h"
#include "runtime/client/query.h"
#include "runtime/client/status.h"

namespace reprise::runtime {
namespace {

constexpr std::string_view page_size = "500";
constexpr std::size_t error_body_limit = 64U << 10U;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

struct Reflector::State final : StreamSink, std::enable_shared_from_this<Reflector::State> {
  State(WatchEnvironment outside, WatchTarget what, ReflectorSink& sink)
      : environment(outside),
        target(std::move(what)),
        receiver(sink),
        machine(environment.policy, environment.random),
        lists(environment.metrics.counter("reprise_watch_lists_total", "Lists begun by caches.", labels())),
        watches(environment.metrics.counter("reprise_watch_opens_total", "Watches opened by caches.", labels())),
        failures(
            environment.metrics.counter("reprise_watch_failures_total", "Watches and lists that failed.", labels())) {}

  [[nodiscard]] Labels labels() const { return {{"kind", std::string(target.kind.kind)}}; }

  void feed(const WatchInput& input, const WatchEvent* event = nullptr) {
    const auto keep = shared_from_this();
    const Instant now = environment.clock.steady();
    for (const WatchOutput& output : machine.step(now, input)) carry_out(output, event);
    activity.stepped(machine.state(), machine.deadline(), now, std::holds_alternative<WatchBytes>(input));
    arm();
  }

  void carry_out(const WatchOutput& output, const WatchEvent* event) {
    std::visit(Overloaded{
                   [&](const OpenWatch& open) { watch(open); },
                   [&](const CloseWatch&) { stream.reset(); },
                   [&](const FetchPage& page) { fetch(page.continue_token); },
                   [&](const BeginSnapshot&) {
                     lists.add();
                     receiver.begin_snapshot();
                   },
                   [&](const AddToSnapshot&) { receiver.add_to_snapshot(event->object); },
                   [&](const CommitSnapshot& commit) { receiver.commit_snapshot(commit.resource_version); },
                   [&](const ApplyEvent&) { receiver.apply(*event); },
                   [&](const AdvanceVersion& advance) { receiver.advance(advance.resource_version); },
                   [&](const Note& note) {
                     if (note.warning) failures.add();
                     environment.logger.log(note.warning ? LogLevel::Warning : LogLevel::Info, "Watch was interrupted",
                                            {{"kind", std::string(target.kind.kind)},
                                             {"namespace", target.namespace_},
                                             {"state", std::string(name(machine.state()))},
                                             {"reason", note.what}});
                   },
               },
               output);
  }

  [[nodiscard]] std::string path(std::string query) const {
    if (!target.label_selector.empty()) add_query(query, "labelSelector", target.label_selector);
    if (!target.field_selector.empty()) add_query(query, "fieldSelector", target.field_selector);
    return target.kind.path(target.namespace_, {}, {}) + "?" + query;
  }

  void watch(const OpenWatch& open) {
    watches.add();
    framer.reset();
    status = 0;
    refusal.clear();
    std::string query;
    add_query(query, "watch", "true");
    add_query(query, "allowWatchBookmarks", "true");
    add_query(query, "timeoutSeconds",
              std::to_string(std::chrono::duration_cast<std::chrono::seconds>(open.server_timeout).count()));
    if (open.initial_events) {
      add_query(query, "sendInitialEvents", "true");
      add_query(query, "resourceVersionMatch", "NotOlderThan");
    }
    if (!open.resource_version.empty()) add_query(query, "resourceVersion", open.resource_version);
    Request request{.path_and_query = path(std::move(query)), .headers = {{"Accept", "application/json"}}};
    request.idle_timeout = environment.policy.idle_timeout;
    stream.reset();
    stream = environment.transport.open(std::move(request), *this);
  }

  void fetch(const std::string& continue_token) {
    std::string query;
    add_query(query, "limit", page_size);
    if (!continue_token.empty()) add_query(query, "continue", continue_token);
    Request request{.path_and_query = path(std::move(query)), .headers = {{"Accept", "application/json"}}};
    environment.transport.send_async(std::move(request), [weak = weak_from_this()](Result<Response> response) {
      if (const auto state = weak.lock()) state->on_page(std::move(response));
    });
  }

  void on_page(Result<Response> response) {
    if (machine.state() != WatchState::Listing) return;
    if (!response) return feed(PageFailed{response.error()});
    if (!is_success(response->status)) return feed(PageFailed{error_of(*response)});
    const auto page =
        parse_list_page(response->body, [this](std::string_view object) { receiver.add_to_snapshot(object); });
    if (!page) return feed(PageFailed{page.error()});
    feed(PageArrived{page->resource_version, page->continue_token});
  }

  void on_status(int code, std::optional<Duration> wait) override {
    status = code;
    retry_after = wait;
    if (is_success(code)) feed(WatchOpened{});
  }

  void on_bytes(std::string_view bytes) override {
    const auto keep = shared_from_this();
    if (!is_success(status)) {
      refusal.append(bytes.substr(0, error_body_limit - std::min(error_body_limit, refusal.size())));
      return;
    }
    feed(WatchBytes{});
    const Stream* reading = stream.get();
    bool broken = false;
    const bool fits = framer.feed(bytes, [&](std::string_view line) {
      const auto event = parse_watch_event(line);
      if (!event) {
        broken = true;
        return false;
      }
      feed(&*event, &*event);
      return stream.get() == reading && reading != nullptr;
    });
    if (broken || !fits) {
      stream.reset();
      feed(WatchClosed{Error{ErrorClass::Unavailable, "the watch sent what is no event", {}}, 0});
    }
  }

  void on_closed(std::optional<Error> error) override {
    const auto keep = shared_from_this();
    const auto ended = std::move(stream);
    if (!error && status != 0 && !is_success(status)) {
      error = decode_status(status, refusal);
      if (retry_after) error->retry_after = retry_after;
    }
    feed(WatchClosed{std::move(error), is_success(status) ? 0 : status});
  }

  void arm() {
    const auto due = machine.deadline();
    if (due == armed_for) return;
    // A deadline that only moved away is left to fire early: one timer per chunk would be too many.
    if (due && armed_for && timer && *due > *armed_for) return;
    armed_for = due;
    timer.reset();
    if (!due) return;
    const auto delay = std::chrono::ceil<Duration>(*due - environment.clock.steady());
    timer = environment.executor.after(std::max(delay, Duration{0}), [weak = weak_from_this()] {
      const auto state = weak.lock();
      if (!state) return;
      state->armed_for.reset();
      state->feed(WatchTick{});
    });
  }

  WatchEnvironment environment;
  WatchTarget target;
  ReflectorSink& receiver;
  WatchMachine machine;
  WatchActivity activity;
  Counter &lists, &watches, &failures;
  LineFramer framer;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Timer> timer;
  std::optional<Instant> armed_for;
  int status = 0;
  std::optional<Duration> retry_after;
  std::string refusal;
};

Reflector::Reflector(WatchEnvironment environment, WatchTarget target, ReflectorSink& sink)
    : state_(std::make_shared<State>(environment, std::move(target), sink)) {}

Reflector::~Reflector() {
  stop();
}

void Reflector::start() {
  state_->feed(WatchStarted{});
}

WatchStatus Reflector::status() const {
  return state_->activity.status(state_->target.namespace_, state_->environment.clock.steady());
}

void Reflector::stop() {
  state_->feed(WatchStop{});
  state_->stream.reset();
  state_->timer.reset();
}

}  // namespace reprise::runtime
