#include "simulator/cluster/wire_stream.h"

#include <algorithm>
#include <utility>

namespace reprise::simulator {
namespace {

// kube-apiserver sends a bookmark about once a minute.
constexpr Duration bookmark_period{60'000};

runtime::Error broken() {
  return {.error_class = runtime::ErrorClass::Unavailable,
          .message = "the connection broke",
          .retry_after = {},
          .not_sent = false};
}

// "/api/v1/pods?..." and "/apis/karpenter.sh/v1/nodepools?...", with "namespaces/NAME/" in between or not.
std::optional<ResourceId> watched(const ApiServer& api, std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = path.find('/');
    steps.push_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end);
  }
  const bool core = !steps.empty() && steps[0] == "api";
  const std::size_t first = core ? 2 : 3;
  if (steps.size() <= first) return std::nullopt;
  const bool scoped = steps[first] == "namespaces" && steps.size() > first + 2;
  return api.resource(core ? "" : steps[1], steps[scoped ? first + 2 : first]);
}

}  // namespace

WireStream::WireStream(Cluster& cluster, runtime::Request request, WatchFault fault, runtime::StreamSink& sink)
    : cluster_(cluster), request_(std::move(request)), fault_(fault), sink_(&sink), opened_(cluster.loop.now()) {}

void WireStream::begin() {
  cluster_.loop.after(fault_.delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->answer();
  });
  if (fault_.cut_after) {
    cluster_.loop.after(*fault_.cut_after, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->close(broken());
    });
  }
}

void WireStream::answer() {
  if (sink_ == nullptr) return;
  if (const Duration left = held_until_ - cluster_.loop.now(); left > Duration{0}) {
    cluster_.loop.after(left, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->answer();
    });
    return;
  }
  WatchAnswer answer = cluster_.api.watch(request_);
  sink_->on_status(answer.status, {});
  if (sink_ == nullptr) return;
  if (!answer.cursor) {
    sink_->on_bytes(answer.rejection);
    return close({});
  }
  cursor_ = std::move(answer.cursor);
  const auto kind = watched(cluster_.api, request_.path_and_query);
  const auto changed = [this](const ObjectChange&) { wake(fault_.delay); };
  subscription_ = kind ? cluster_.api.subscribe(*kind, changed) : cluster_.api.subscribe(changed);
  deliver();
  keep_alive();
}

void WireStream::wake(Duration delay) {
  if (std::exchange(planned_, true)) return;
  cluster_.loop.after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->planned_ = false;
    self->deliver();
  });
}

void WireStream::deliver() {
  // The sink may let go of the handle and with it of this.
  const auto self = shared_from_this();
  if (sink_ == nullptr || !cursor_) return;
  if (const Duration left = held_for(); left > Duration{0}) return wake(left);
  std::string lines;
  while (auto line = cursor_->next()) lines.append(*line).append("\n");
  if (!lines.empty()) sink_->on_bytes(lines);
  if (cursor_ && cursor_->ended()) close({});
}

void WireStream::keep_alive() {
  if (sink_ == nullptr) return;
  cluster_.loop.after(bookmark_period, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->sink_ == nullptr || !self->cursor_) return;
    self->deliver();
    if (self->sink_ == nullptr || !self->cursor_) return;
    if (self->held_for() <= Duration{0}) {
      if (const auto line = self->cursor_->bookmark()) self->sink_->on_bytes(*line + "\n");
    }
    self->keep_alive();
  });
}

Duration WireStream::held_for() const {
  const Duration now = cluster_.loop.now();
  Duration until = held_until_;
  if (fault_.held_from && fault_.held_for && now - opened_ >= *fault_.held_from)
    until = std::max(until, opened_ + *fault_.held_from + *fault_.held_for);
  return std::max(until - now, Duration{0});
}

void WireStream::break_off(runtime::Error error) {
  cluster_.loop.after(Duration{1}, [weak = weak_from_this(), error = std::move(error)] {
    if (const auto self = weak.lock()) self->close(error);
  });
}

void WireStream::close(std::optional<runtime::Error> error) {
  if (const Duration left = held_until_ - cluster_.loop.now(); left > Duration{0} && sink_ != nullptr) {
    cluster_.loop.after(left, [weak = weak_from_this(), error = std::move(error)] {
      if (const auto self = weak.lock()) self->close(error);
    });
    return;
  }
  subscription_.reset();
  cursor_.reset();
  if (runtime::StreamSink* sink = std::exchange(sink_, nullptr)) sink->on_closed(std::move(error));
}

void WireStream::forget_sink() {
  sink_ = nullptr;
  subscription_.reset();
  cursor_.reset();
}

}  // namespace reprise::simulator
