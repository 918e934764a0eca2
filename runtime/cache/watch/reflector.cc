#include "runtime/cache/watch/reflector.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/cache/internal/watch_metrics.h"
#include "runtime/cache/served.h"
#include "runtime/cache/watch/stream_framer.h"
#include "runtime/client/status.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::runtime {
namespace {

constexpr std::size_t error_body_limit = 64U << 10U;

// A frame begins with the highest byte of its length, which no limit lets reach the first byte of a text.
Encoding encoding_of(std::string_view bytes, Encoding asked) {
  return asked == Encoding::Protobuf && bytes.front() >= '\t' ? Encoding::Json : asked;
}

template <class... Cases>
struct EffectCases : Cases... {
  using Cases::operator()...;
};

}  // namespace

struct Reflector::State final : StreamSink, std::enable_shared_from_this<Reflector::State> {
  State(WatchEnvironment outside, WatchTarget what, WatchRejections& rejections, ReflectorSink& sink)
      : environment(outside),
        target(std::move(what)),
        receiver(sink),
        machine(environment.policy, target.encoding, environment.random, rejections, target.optional),
        metrics(environment.metrics, target, environment.clock),
        framer(environment.policy.event_limit) {}

  void feed(const WatchInput& input, const WatchEvent* event = nullptr) {
    const auto keep = shared_from_this();
    const Instant now = environment.clock.steady();
    // The sink may stop us: then there is a step inside a step.
    auto outputs = std::exchange(spare, {});
    machine.step(now, input, outputs);
    for (const WatchOutput& output : outputs) {
      // Stopped by the sink: later outputs must not begin any more.
      if (machine.state() == WatchState::Stopped && !std::holds_alternative<WatchStop>(input)) break;
      carry_out(output, event);
    }
    outputs.clear();
    spare = std::move(outputs);
    activity.stepped(machine.state(), machine.deadline(), now, std::holds_alternative<WatchBytes>(input));
    arm();
  }

  void carry_out(const WatchOutput& output, const WatchEvent* event) {
    std::visit(EffectCases{
                   [&](const OpenWatch& open) { watch(open); },
                   [&](const CloseWatch&) { stream.reset(); },
                   [&](const FetchPage& page) { fetch(page); },
                   [&](const BeginSnapshot& begin) {
                     list_asked = true;
                     receiver.begin_snapshot(begin.newest);
                   },
                   [&](const AddToSnapshot&) {
                     if (event->type == WatchEventType::Deleted) {
                       receiver.remove_from_snapshot(event->object);
                     } else {
                       receiver.add_to_snapshot(event->object, event->decoded);
                     }
                   },
                   [&](const CommitSnapshot& commit) {
                     if (stream) metrics.watch_continued();  // the same stream goes on
                     receiver.commit_snapshot(commit.resource_version);
                   },
                   [&](const AskWhetherServed&) { ask(); },
                   [&](const CommitAbsence&) { receiver.commit_absence(); },
                   [&](const ApplyEvent&) { receiver.apply(*event); },
                   [&](const AdvanceVersion&) { receiver.advance(event->resource_version); },
                   [&](const Note& note) {
                     if (note.warning) metrics.failed();
                     environment.logger.log(note.warning ? LogLevel::Warning : LogLevel::Info, "Watch was interrupted",
                                            {{"kind", std::string(target.kind.kind)},
                                             {"namespace", target.namespace_},
                                             {"state", std::string(name(machine.state()))},
                                             {"reason", note.what}});
                   },
               },
               output);
  }

  void watch(const OpenWatch& open) {
    if (!open.initial_events) metrics.watch_continued();
    asked = open.encoding;
    reading.reset();
    status = 0;
    rejection.clear();
    stream.reset();
    ++streams_opened;
    stream = environment.transport.open(watch_request(target, open), *this);
  }

  void fetch(const FetchPage& page) {
    asked = page.encoding;
    environment.transport.send_async(page_request(target, page), [weak = weak_from_this()](Result<Response> response) {
      if (const auto state = weak.lock()) state->on_page(std::move(response));
    });
  }

  void ask() {
    ask_whether_served(environment.transport, target.kind, [weak = weak_from_this()](Result<bool> served) {
      if (const auto state = weak.lock()) state->feed(ServedAnswer{std::move(served)});
    });
  }

  void on_page(Result<Response> response) {
    if (machine.state() != WatchState::Listing) return;
    if (!response) return feed(PageFailed{response.error(), 0});
    if (!is_success(response->status)) return feed(PageFailed{error_of(*response), response->status});
    count_list();
    metrics.received(response->body.size(), environment.clock.steady());
    const bool protobuf = kube::protobuf::is_envelope(response->body);
    if (asked == Encoding::Protobuf && !protobuf) feed(AnsweredInJson{});
    const auto add = [&](std::string_view object) {
      receiver.add_to_snapshot({object, protobuf ? Encoding::Protobuf : Encoding::Json}, nullptr);
    };
    const auto page = protobuf ? parse_protobuf_list_page(response->body, add) : parse_list_page(response->body, add);
    if (!page) return feed(PageFailed{page.error(), 0});
    feed(PageArrived{page->resource_version, page->continue_token});
  }

  // Counts a list once the server answers it; a rejected or unanswered request is no list.
  void count_list() {
    if (std::exchange(list_asked, false)) metrics.list_begun();
  }

  void on_status(int code, std::optional<Duration> wait) override {
    status = code;
    retry_after = wait;
    if (!is_success(code)) return;
    count_list();
    feed(WatchOpened{});
  }

  void on_bytes(std::string_view bytes) override {
    const auto keep = shared_from_this();
    if (!is_success(status)) {
      rejection.append(bytes.substr(0, error_body_limit - std::min(error_body_limit, rejection.size())));
      return;
    }
    if (bytes.empty()) return;
    metrics.received(bytes.size(), environment.clock.steady());
    if (!reading) begin_reading(bytes);
    feed(WatchBytes{});
    framer.add(bytes);
    // Counted, since a stream that the sink makes us open may get the address of this one.
    const std::uint64_t here = streams_opened;
    std::string_view event;
    while (stream && streams_opened == here) {
      switch (framer.next(event)) {
        case StreamFramer::Step::NeedMore:
          return;
        case StreamFramer::Step::TooLong:
          return give_up("an event is larger than " + std::to_string(environment.policy.event_limit) + " bytes");
        case StreamFramer::Step::Event:
          if (!on_event(event)) return;
      }
    }
  }

  void begin_reading(std::string_view bytes) {
    reading = encoding_of(bytes, asked);
    framer.reset(*reading);
    if (*reading != asked) feed(AnsweredInJson{});
  }

  // False: the stream is of no more use.
  bool on_event(std::string_view bytes) {
    if (*reading == Encoding::Json && on_object(bytes)) return true;
    const auto event = parse_watch_event(bytes, *reading);
    if (!event) {
      give_up(event.error().message);
      return false;
    }
    take(*event);
    return true;
  }

  // The short way: the object is parsed once, by its decoder.
  bool on_object(std::string_view line) {
    auto event = split_watch_event(line);
    if (!event) return false;
    receiver.decode(*event);
    if (event->resource_version.empty()) return false;
    take(*event);
    return true;
  }

  void take(const WatchEvent& event) {
    metrics.event(event.type);
    feed(&event, &event);
  }

  void give_up(std::string why) {
    stream.reset();
    feed(WatchClosed{Error{ErrorClass::Unavailable, "the watch of " + std::string(target.kind.kind) + ": " + why, {}},
                     0});
  }

  void on_closed(std::optional<Error> error) override {
    const auto keep = shared_from_this();
    const auto ended = std::move(stream);
    if (!error && status != 0 && !is_success(status)) {
      error = decode_status(status, rejection);
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
  internal::WatchMetrics metrics;
  StreamFramer framer;
  WatchMachine::Outputs spare;
  std::unique_ptr<Stream> stream;
  std::uint64_t streams_opened = 0;
  std::unique_ptr<Timer> timer;
  std::optional<Instant> armed_for;
  Encoding asked = Encoding::Json;
  std::optional<Encoding> reading;  // since the first byte of the stream
  bool list_asked = false;
  int status = 0;
  std::optional<Duration> retry_after;
  std::string rejection;
};

Reflector::Reflector(WatchEnvironment environment, WatchTarget target, WatchRejections& rejections, ReflectorSink& sink)
    : state_(std::make_shared<State>(environment, std::move(target), rejections, sink)) {}

Reflector::~Reflector() {
  stop();
}

void Reflector::start() {
  state_->feed(WatchStarted{});
}

WatchStatus Reflector::status() const {
  return state_->activity.status(state_->target.namespace_, state_->environment.clock.steady());
}

void Reflector::look_again(bool list) {
  state_->feed(LookAgain{list});
}

void Reflector::stop() {
  state_->feed(WatchStop{});
  state_->stream.reset();
  state_->timer.reset();
}

}  // namespace reprise::runtime
