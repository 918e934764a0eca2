#include "runtime/cache/watch_machine.h"

#include <algorithm>
#include <utility>

namespace reprise::runtime {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

bool refuses_streaming_list(int status) {
  return status == 400 || status == 405 || status == 422;
}

}  // namespace

std::string_view name(WatchState state) {
  switch (state) {
    case WatchState::Idle:
      return "Idle";
    case WatchState::Opening:
      return "Opening";
    case WatchState::Streaming:
      return "Streaming";
    case WatchState::Live:
      return "Live";
    case WatchState::Listing:
      return "Listing";
    case WatchState::Waiting:
      return "Waiting";
    case WatchState::Stopped:
      return "Stopped";
  }
  return "Unknown";
}

std::vector<WatchOutput> WatchMachine::step(Instant now, const WatchInput& input) {
  Outputs out;
  if (state_ == WatchState::Stopped) return out;
  const bool watching = state_ == WatchState::Opening || state_ == WatchState::Streaming || state_ == WatchState::Live;
  std::visit(Overloaded{
                 [&](const WatchStarted&) {
                   if (state_ == WatchState::Idle) begin(now, out);
                 },
                 [&](const WatchTick&) { on_tick(now, out); },
                 [&](const WatchOpened&) {
                   if (state_ != WatchState::Opening) return;
                   state_ = initial_events_ ? WatchState::Streaming : WatchState::Live;
                   opened_at_ = last_byte_ = now;
                   until_ = now + policy_.initial_events_timeout;
                   if (initial_events_) out.emplace_back(BeginSnapshot{});
                 },
                 [&](const WatchBytes&) { last_byte_ = now; },
                 [&](const WatchEvent* event) {
                   if (watching) on_event(now, *event, out);
                 },
                 [&](const WatchClosed& closed) {
                   if (watching) on_closed(now, closed, out);
                 },
                 [&](const PageArrived& page) {
                   if (state_ != WatchState::Listing) return;
                   if (!page.continue_token.empty()) {
                     out.emplace_back(FetchPage{page.continue_token});
                     return;
                   }
                   resource_version_ = page.resource_version;
                   out.emplace_back(CommitSnapshot{resource_version_});
                   open(now, false, out);
                 },
                 [&](const PageFailed& failed) {
                   if (state_ == WatchState::Listing) fail(now, failed.error, out);
                 },
                 [&](const WatchStop&) {
                   if (watching) out.emplace_back(CloseWatch{});
                   state_ = WatchState::Stopped;
                 },
             },
             input);
  return out;
}

std::optional<Instant> WatchMachine::deadline() const {
  switch (state_) {
    case WatchState::Waiting:
    case WatchState::Opening:
      return until_;
    case WatchState::Streaming:
      return std::min(until_, last_byte_ + policy_.idle_timeout);
    case WatchState::Live:
      return last_byte_ + policy_.idle_timeout;
    case WatchState::Idle:
    case WatchState::Listing:
    case WatchState::Stopped:
      return std::nullopt;
  }
  return std::nullopt;
}

// A version to resume from: watch from there. None: the whole state first.
void WatchMachine::begin(Instant now, Outputs& out) {
  if (!resource_version_.empty()) return open(now, false, out);
  if (!uses_paged_lists()) return open(now, true, out);
  state_ = WatchState::Listing;
  out.emplace_back(BeginSnapshot{});
  out.emplace_back(FetchPage{});
}

void WatchMachine::open(Instant now, bool initial_events, Outputs& out) {
  state_ = WatchState::Opening;
  initial_events_ = initial_events;
  saw_event_ = false;
  until_ = now + policy_.open_timeout;
  const auto spread = static_cast<double>((policy_.server_timeout_max - policy_.server_timeout_min).count());
  const auto extra = static_cast<Duration::rep>(spread * random_.uniform());
  out.emplace_back(OpenWatch{resource_version_, initial_events, policy_.server_timeout_min + Duration{extra}});
}

void WatchMachine::on_event(Instant now, const WatchEvent& event, Outputs& out) {
  last_byte_ = now;
  switch (event.type) {
    case WatchEventType::Error:
      out.emplace_back(CloseWatch{});
      return fail(now, event.error, out);
    case WatchEventType::Bookmark:
      saw_event_ = true;
      if (state_ == WatchState::Streaming) {
        // Versions of the initial events are not in order: only the end of them can be resumed from.
        if (!event.initial_events_end) return;
        state_ = WatchState::Live;
        resource_version_ = event.resource_version;
        out.emplace_back(CommitSnapshot{resource_version_});
        return;
      }
      resource_version_ = event.resource_version;
      out.emplace_back(AdvanceVersion{resource_version_});
      return;
    case WatchEventType::Added:
    case WatchEventType::Modified:
    case WatchEventType::Deleted:
      saw_event_ = true;
      if (state_ == WatchState::Streaming) {
        out.emplace_back(AddToSnapshot{});
        return;
      }
      resource_version_ = event.resource_version;
      out.emplace_back(ApplyEvent{});
      return;
  }
}

void WatchMachine::on_closed(Instant now, const WatchClosed& closed, Outputs& out) {
  if (initial_events_ && refuses_streaming_list(closed.status)) {
    return fall_back(now, "the server refused a streaming list", out);
  }
  if (closed.error) return fail(now, *closed.error, out);
  if (state_ == WatchState::Live && (saw_event_ || now - opened_at_ >= policy_.short_watch)) {
    // The server's own timeout, or an orderly shutdown of one of several servers.
    if (now - opened_at_ >= policy_.healthy_after) backoff_ = Duration{0};
    return open(now, false, out);
  }
  fail(now, {ErrorClass::Unavailable, "the watch ended at once", {}}, out);
}

void WatchMachine::on_tick(Instant now, Outputs& out) {
  const auto due = deadline();
  if (!due || now < *due) return;
  switch (state_) {
    case WatchState::Waiting:
      return begin(now, out);
    case WatchState::Opening:
      out.emplace_back(CloseWatch{});
      return fail(now, {ErrorClass::Unavailable, "the server did not answer in time", {}}, out);
    case WatchState::Streaming:
      if (now >= until_) {
        out.emplace_back(CloseWatch{});
        return fall_back(now, "the initial state had no end in time", out);
      }
      [[fallthrough]];
    case WatchState::Live:
      out.emplace_back(CloseWatch{});
      return fail(now, {ErrorClass::Unavailable, "nothing came for too long", {}}, out);
    case WatchState::Idle:
    case WatchState::Listing:
    case WatchState::Stopped:
      return;
  }
}

void WatchMachine::fail(Instant now, const Error& error, Outputs& out) {
  const bool was_healthy =
      (state_ == WatchState::Live || state_ == WatchState::Streaming) && now - opened_at_ >= policy_.healthy_after;
  if (was_healthy) backoff_ = Duration{0};
  if (error.error_class == ErrorClass::Expired) {
    resource_version_.clear();
    out.emplace_back(Note{"listing again: " + error.message, false});
  } else {
    out.emplace_back(Note{error.message, true});
  }
  back_off(now, error.retry_after);
}

void WatchMachine::fall_back(Instant now, std::string why, Outputs& out) {
  paged_fallback_ = true;
  resource_version_.clear();
  out.emplace_back(Note{"using paged lists from now on: " + std::move(why), true});
  begin(now, out);
}

// Full jitter: anything up to the doubled bound, so that many watches do not come back in step.
void WatchMachine::back_off(Instant now, std::optional<Duration> at_least) {
  backoff_ = backoff_ == Duration{0} ? policy_.backoff_first : std::min(backoff_ * 2, policy_.backoff_cap);
  const auto delay = Duration{static_cast<Duration::rep>(static_cast<double>(backoff_.count()) * random_.uniform())};
  state_ = WatchState::Waiting;
  until_ = now + std::max({delay, at_least.value_or(Duration{0}), Duration{10}});
}

}  // namespace reprise::runtime
