#include "simulator/cluster/wire.h"

#include <optional>
#include <utility>
#include <vector>

#include "simulator/api_server/wire/rejection.h"
#include "simulator/cluster/wire_stream.h"

namespace reprise::simulator {

using runtime::ErrorClass;
using runtime::fail;
using runtime::Request;
using runtime::Response;
using runtime::Result;

namespace {

using Done = std::function<void(Result<Response>)>;

runtime::Error broken(bool not_sent) {
  return {.error_class = ErrorClass::Unavailable,
          .message = not_sent ? "connection refused" : "the connection broke",
          .retry_after = {},
          .not_sent = not_sent};
}

std::string_view reason_of(int status) {
  switch (status) {
    case 409:
      return "Conflict";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "InternalError";
  }
}

Response rejection(const ExchangeFault& fault) {
  return {
      .status = fault.status,
      .body = to_status({.code = fault.status, .reason = std::string(reason_of(fault.status)), .message = "rejected"}),
      .retry_after = fault.retry_after,
      .content_type = "application/json"};
}

}  // namespace

struct Wire::State : std::enable_shared_from_this<Wire::State> {
  State(Cluster& the_cluster, WireFaults& the_wire_faults, std::string name, std::function<void()> crash)
      : cluster(the_cluster), wire_faults(the_wire_faults), who(std::move(name)), on_crash(std::move(crash)) {}

  // Everything on the way ends up here; a dead process hears nothing.
  void answer(const std::shared_ptr<Done>& done, Result<Response> result) {
    if (dead || !*done) return;
    if (const Duration left = asleep_for(); left > Duration{0}) {
      cluster.loop.after(left, [self = shared_from_this(), done, result = std::move(result)]() mutable {
        self->answer(done, std::move(result));
      });
      return;
    }
    std::exchange(*done, nullptr)(std::move(result));
  }

  void crash(const Request& request, const char* when) {
    cluster.log.add("fault", who + " is killed " + when + " " + std::string(runtime::name(request.method)) + " " +
                                 request.path_and_query);
    die();
    on_crash();
  }

  void die() {
    dead = true;
    for (const auto& each : open_streams()) each->forget_sink();
  }

  [[nodiscard]] Duration asleep_for() const { return awake_at - cluster.loop.now(); }

  void stand_still(Duration for_so_long) {
    awake_at = cluster.loop.now() + for_so_long;
    for (const auto& each : open_streams()) each->hold_until(awake_at);
    cluster.log.add("fault", who + " stands still for " + std::to_string(for_so_long.count()) + " ms");
    std::exchange(on_standing_still, nullptr)();
  }

  void depart(Request request, const std::shared_ptr<Done>& done) {
    if (dead) return;
    const bool of_lease = request.path_and_query.find("/leases/") != std::string::npos;
    if (request.method != runtime::Method::Get && !of_lease && next_write_waits > Duration{0})
      stand_still(std::exchange(next_write_waits, Duration{0}));
    if (const Duration left = asleep_for(); left > Duration{0}) {
      cluster.loop.after(
          left, [self = shared_from_this(), request = std::move(request), done] { self->depart(request, done); });
      return;
    }
    if (partitioned) return answer(done, std::unexpected(broken(true)));
    if (request.before_send) {
      if (auto may = request.before_send(); !may) return answer(done, std::unexpected(std::move(may.error())));
    }
    ++traffic.requests;
    if (request.method != runtime::Method::Get) ++traffic.writes;
    if (cluster.on_request) cluster.on_request(who, request);
    const ExchangeFault fault = wire_faults.exchange(request, traffic.writes);
    if (fault.kind == ExchangeFault::Kind::CrashBefore) return crash(request, "before");
    if (fault.there + fault.back > request.timeout) {
      cluster.loop.after(request.timeout, [self = shared_from_this(), done] {
        self->answer(done, fail(ErrorClass::Unavailable, "no answer in time"));
      });
    }
    cluster.loop.after(fault.there, [self = shared_from_this(), request = std::move(request), done, fault] {
      self->arrive(request, done, fault);
    });
  }

  void arrive(const Request& request, const std::shared_ptr<Done>& done, const ExchangeFault& fault) {
    using enum ExchangeFault::Kind;
    Result<Response> result = std::unexpected(broken(false));
    switch (fault.kind) {
      case LostRequest:
      case CrashBefore:
        break;
      case Rejected:
        result = rejection(fault);
        break;
      case Answered:
        result = cluster.api.handle(request);
        break;
      case LostAnswer:
        (void)cluster.api.handle(request);
        break;
      case CrashAfter:
        (void)cluster.api.handle(request);
        if (!dead) crash(request, "after");
        return;
    }
    cluster.loop.after(fault.back, [self = shared_from_this(), done, result = std::move(result)]() mutable {
      self->answer(done, std::move(result));
    });
  }

  [[nodiscard]] std::vector<std::shared_ptr<WireStream>> open_streams() {
    std::vector<std::shared_ptr<WireStream>> open;
    std::erase_if(streams, [&](const auto& weak) {
      auto stream = weak.lock();
      if (!stream) return true;
      open.push_back(std::move(stream));
      return false;
    });
    return open;
  }

  Cluster& cluster;
  WireFaults& wire_faults;
  std::string who;
  std::function<void()> on_crash;
  bool dead = false, partitioned = false;
  Duration next_write_waits{0}, awake_at{0};
  std::string held_path;
  Duration held_until{0};
  std::function<void()> on_standing_still;
  Traffic traffic;
  std::vector<std::weak_ptr<WireStream>> streams;
};

Wire::Wire(Cluster& cluster, WireFaults& wire_faults, std::string who, std::function<void()> on_crash)
    : state_(std::make_shared<State>(cluster, wire_faults, std::move(who), std::move(on_crash))) {}

Wire::~Wire() {
  die();
}

void Wire::die() {
  state_->die();
}

void Wire::partition(bool partitioned) {
  state_->partitioned = partitioned;
  if (!partitioned) return;
  for (const auto& stream : state_->open_streams()) stream->break_off(broken(false));
}

void Wire::hold_watches(std::string path, Duration for_so_long) {
  state_->held_path = std::move(path);
  state_->held_until = state_->cluster.loop.now() + for_so_long;
  for (const auto& stream : state_->open_streams())
    if (stream->is_of(state_->held_path)) stream->hold_until(state_->held_until);
}

void Wire::stand_still_at_next_write(Duration for_so_long, std::function<void()> then) {
  state_->next_write_waits = for_so_long;
  state_->on_standing_still = std::move(then);
}

Result<Response> Wire::send(const Request& request) {
  std::optional<Result<Response>> result;
  send_async(request, [&result](Result<Response> answer) { result = std::move(answer); });
  State& state = *state_;
  const bool came = state.cluster.loop.run_until_true([&] { return result.has_value() || state.dead; });
  if (!came || !result) return fail(ErrorClass::Cancelled, "the process was killed");
  return *std::move(result);
}

void Wire::send_async(Request request, Done done) {
  state_->cluster.loop.after(Duration{0}, [state = state_, request = std::move(request),
                                           done = std::make_shared<Done>(std::move(done))]() mutable {
    state->depart(std::move(request), done);
  });
}

std::unique_ptr<runtime::Stream> Wire::open(Request request, runtime::StreamSink& sink) {
  State& state = *state_;
  ++state.traffic.requests;
  ++state.traffic.watches;
  if (!state.partitioned && state.cluster.on_request) state.cluster.on_request(state.who, request);
  const WatchFault fault = state.wire_faults.watch(request);
  auto stream = std::make_shared<WireStream>(state.cluster, std::move(request), fault, sink);
  state.streams.push_back(stream);
  if (!state.held_path.empty() && stream->is_of(state.held_path)) stream->hold_until(state.held_until);
  if (state.dead) stream->forget_sink();
  if (state.partitioned)
    stream->break_off(broken(true));
  else
    stream->begin();
  return std::make_unique<WireStreamHandle>(std::move(stream));
}

const Wire::Traffic& Wire::traffic() const {
  return state_->traffic;
}

}  // namespace reprise::simulator
