#include "runtime/cache/watch/watch_machine.h"

#include <algorithm>
#include <utility>

#include "runtime/http/retry_after.h"

namespace reprise::runtime {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

Duration scaled(Duration bound, double part) {
  return Duration{static_cast<Duration::rep>(static_cast<double>(bound.count()) * part)};
}

bool rejects_streaming_list(int status) {
  return status == 400 || status == 405 || status == 422;
}

bool rejects_encoding(int status) {
  return status == 406 || status == 415;
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
    case WatchState::Asking:
      return "Asking";
    case WatchState::Waiting:
      return "Waiting";
    case WatchState::Stopped:
      return "Stopped";
  }
  return "Unknown";
}

void WatchMachine::step(Instant now, const WatchInput& input, Outputs& out) {
  if (state_ == WatchState::Stopped) return;
  const bool watching = state_ == WatchState::Opening || state_ == WatchState::Streaming || state_ == WatchState::Live;
  std::visit(Overloaded{
                 [&](const WatchStarted&) {
                   if (state_ != WatchState::Idle) return;
                   if (policy_.start_spread <= Duration{0}) return begin(now, out);
                   state_ = WatchState::Waiting;
                   until_ = now + scaled(policy_.start_spread, random_.uniform());
                 },
                 [&](const WatchTick&) { on_tick(now, out); },
                 [&](const WatchOpened&) {
                   if (state_ == WatchState::Opening) on_opened(now);
                 },
                 [&](const WatchBytes&) { last_byte_ = now; },
                 [&](const AnsweredInJson&) { on_json(out); },
                 [&](const WatchEvent* event) {
                   if (watching) on_event(now, *event, out);
                 },
                 [&](const WatchClosed& closed) {
                   if (watching) on_closed(now, closed, out);
                 },
                 [&](const PageArrived& page) {
                   if (state_ == WatchState::Listing) on_page(now, page, out);
                 },
                 [&](const PageFailed& failed) {
                   if (state_ == WatchState::Listing) on_page_failed(now, failed, out);
                 },
                 [&](const ServedAnswer& answer) {
                   if (state_ == WatchState::Asking) on_served_answer(now, answer.served, out);
                 },
                 [&](const LookAgain& look) { on_look_again(now, look.list, out); },
                 [&](const WatchStop&) {
                   if (watching) out.emplace_back(CloseWatch{});
                   state_ = WatchState::Stopped;
                 },
             },
             input);
}

std::optional<Instant> WatchMachine::deadline() const {
  switch (state_) {
    case WatchState::Waiting:
    case WatchState::Opening:
    case WatchState::Streaming:
      return until_;
    case WatchState::Live:
      return last_byte_ + idle_;
    case WatchState::Idle:
    case WatchState::Listing:
    case WatchState::Asking:
    case WatchState::Stopped:
      return std::nullopt;
  }
  return std::nullopt;
}

// A version to resume from: watch from there. None: the whole state first.
void WatchMachine::begin(Instant now, Outputs& out) {
  if (!resource_version_.empty()) return open(now, false, out);
  if (!uses_paged_lists() && !std::exchange(pages_once_, false)) return open(now, true, out);
  state_ = WatchState::Listing;
  out.emplace_back(BeginSnapshot{});
  fetch({}, out);
}

void WatchMachine::ask() {
  asked_ = rejections_.protobuf ? Encoding::Json : wanted_;
}

void WatchMachine::open(Instant now, bool initial_events, Outputs& out) {
  const Duration spread = policy_.server_timeout_max - policy_.server_timeout_min;
  open_for(now, initial_events, policy_.server_timeout_min + scaled(spread, random_.uniform()), out);
}

void WatchMachine::open_for(Instant now, bool initial_events, Duration server_timeout, Outputs& out) {
  ask();
  state_ = WatchState::Opening;
  initial_events_ = initial_events;
  moved_ = plain_bookmark_ = false;
  until_ = now + policy_.open_timeout;
  idle_ = std::min(learned_idle_timeout_, std::max(policy_.idle_timeout, server_timeout + policy_.idle_grace));
  if (initial_events) out.emplace_back(BeginSnapshot{.newest = relist_from_.empty()});
  out.emplace_back(
      OpenWatch{initial_events ? relist_from_ : resource_version_, initial_events, server_timeout, idle_, asked_});
}

// Pages always show the newest state: a version would make the server ignore the page size.
void WatchMachine::fetch(const std::string& continue_token, Outputs& out) {
  ask();
  out.emplace_back(FetchPage{continue_token, asked_});
}

void WatchMachine::on_opened(Instant now) {
  state_ = initial_events_ ? WatchState::Streaming : WatchState::Live;
  opened_at_ = last_byte_ = now;
  until_ = now + policy_.initial_events_timeout;
}

void WatchMachine::on_event(Instant now, const WatchEvent& event, Outputs& out) {
  last_byte_ = now;
  switch (event.type) {
    case WatchEventType::Error:
      out.emplace_back(CloseWatch{});
      return fail(now, event.error, out);
    case WatchEventType::Bookmark:
      if (state_ == WatchState::Streaming) {
        // Versions of the initial events are not in order: only the end of them can be resumed from.
        plain_bookmark_ = !event.initial_events_end;
        if (plain_bookmark_) return;
        state_ = WatchState::Live;
        moved_ = true;
        absent_ = false;
        relist_from_.clear();
        resource_version_ = event.resource_version;
        out.emplace_back(CommitSnapshot{resource_version_});
        return;
      }
      learned_idle_timeout_ = policy_.idle_timeout;
      idle_ = std::min(idle_, learned_idle_timeout_);
      moved_ = moved_ || resource_version_ != event.resource_version;
      resource_version_ = event.resource_version;
      out.emplace_back(AdvanceVersion{});
      return;
    case WatchEventType::Added:
    case WatchEventType::Modified:
    case WatchEventType::Deleted:
      if (state_ == WatchState::Streaming) {
        out.emplace_back(AddToSnapshot{});
        return;
      }
      moved_ = true;
      resource_version_ = event.resource_version;
      out.emplace_back(ApplyEvent{});
      return;
  }
}

void WatchMachine::on_closed(Instant now, const WatchClosed& closed, Outputs& out) {
  if (use_json(closed.status, out)) return open(now, initial_events_, out);
  if (initial_events_ && rejects_streaming_list(closed.status)) {
    return use_pages(now, "the server rejected a streaming list", out);
  }
  if (optional_ && closed.status == 404) return on_not_found(now, out);
  if (closed.error) return fail(now, *closed.error, out);
  if (state_ == WatchState::Live && (moved_ || now - opened_at_ >= policy_.short_watch)) {
    // The server's own timeout, or an orderly shutdown of one of several servers.
    forgive();
    if (now - opened_at_ >= policy_.short_watch) return open(now, false, out);
    // A server that ends the watch after each event would be asked as often as something happens.
    state_ = WatchState::Waiting;
    until_ = opened_at_ + policy_.short_watch;
    return;
  }
  fail(now, {ErrorClass::Unavailable, "the watch ended at once", {}}, out);
}

void WatchMachine::on_page(Instant now, const PageArrived& page, Outputs& out) {
  if (!page.continue_token.empty()) return fetch(page.continue_token, out);
  absent_ = false;
  relist_from_.clear();
  resource_version_ = page.resource_version;
  out.emplace_back(CommitSnapshot{resource_version_});
  open(now, false, out);
}

void WatchMachine::on_page_failed(Instant now, const PageFailed& failed, Outputs& out) {
  if (use_json(failed.status, out)) return begin(now, out);
  if (optional_ && failed.status == 404) return on_not_found(now, out);
  fail(now, failed.error, out);
}

// Asks only after a list of the newest state: its answer stands for the whole kind.
void WatchMachine::on_not_found(Instant now, Outputs& out) {
  if (!initial_events_ && state_ != WatchState::Listing) {
    resource_version_.clear();
    relist_from_.clear();
    out.emplace_back(Note{"listing again: the server does not find the kind any more", false});
    return back_off(now, {});
  }
  state_ = WatchState::Asking;
  out.emplace_back(AskWhetherServed{});
}

void WatchMachine::on_served_answer(Instant now, const Result<bool>& served, Outputs& out) {
  if (!served) return fail(now, served.error(), out);
  if (*served)
    return fail(now, {ErrorClass::Unavailable, "HTTP 404, though the server says that it serves the kind", {}}, out);
  if (!std::exchange(absent_, true)) {
    out.emplace_back(Note{"the server does not serve the kind: going on without, and looking for it again", true});
  }
  relist_from_.clear();
  list_backoff_ = watch_backoff_ = Duration{0};
  state_ = WatchState::Waiting;
  until_ = now + scaled(policy_.absent_retry, 0.5 + random_.uniform() / 2);
  out.emplace_back(CommitAbsence{});
}

void WatchMachine::on_look_again(Instant now, bool list, Outputs& out) {
  if (absent_ && list && state_ == WatchState::Waiting) return begin(now, out);
  const bool live = state_ == WatchState::Live;
  if (resource_version_.empty() || (!live && state_ != WatchState::Waiting)) return;
  if (list) {
    resource_version_.clear();
    relist_from_.clear();
  }
  if (!live) return;  // backing off stays backing off
  out.emplace_back(CloseWatch{});
  if (list) return begin(now, out);
  open_for(now, false, policy_.catch_up_timeout, out);
}

void WatchMachine::on_json(Outputs& out) {
  if (!std::exchange(rejections_.protobuf, true)) {
    out.emplace_back(Note{"using JSON from now on: the server answered in JSON", false});
  }
}

bool WatchMachine::use_json(int status, Outputs& out) {
  if (asked_ == Encoding::Json || !rejects_encoding(status)) return false;
  rejections_.protobuf = true;
  out.emplace_back(Note{"using JSON from now on: the server rejected protobuf", true});
  return true;
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
      return on_unfinished_list(now, out);
    case WatchState::Live:
      return on_silence(now, out);
    case WatchState::Idle:
    case WatchState::Listing:
    case WatchState::Asking:
    case WatchState::Stopped:
      return;
  }
}

// A server that does not know streaming lists sends its objects and goes on as with any watch. Only its bookmarks tell
// it from a stream that froze.
void WatchMachine::on_unfinished_list(Instant now, Outputs& out) {
  out.emplace_back(CloseWatch{});
  if (plain_bookmark_) return use_pages(now, "the server sends bookmarks before the end of the initial state", out);
  pages_once_ = true;
  out.emplace_back(Note{"listing in pages this once: the initial state had no end in time", true});
  begin(now, out);
}

// Dead or only quiet: that cannot be told, so it is no failure and nothing is waited for.
void WatchMachine::on_silence(Instant now, Outputs& out) {
  learned_idle_timeout_ = std::min(learned_idle_timeout_ * 2,
                                   std::max(policy_.idle_timeout, policy_.server_timeout_max + policy_.idle_grace));
  out.emplace_back(CloseWatch{});
  out.emplace_back(Note{"watching again: nothing came for too long", false});
  open(now, false, out);
}

void WatchMachine::fail(Instant now, const Error& error, Outputs& out) {
  forgive();
  if (error.error_class == ErrorClass::Expired) {
    // Asks first for a state no older than the last one seen, which any up-to-date server answers from its cache. When
    // that version is gone too, or not known yet, or unknown to a cluster restored from a backup: the newest.
    const bool resuming = !resource_version_.empty();
    relist_from_ = resuming ? std::exchange(resource_version_, {}) : std::string();
    out.emplace_back(Note{"listing again: " + error.message, false});
  } else {
    out.emplace_back(Note{error.message, true});
  }
  back_off(now, error.retry_after);
}

void WatchMachine::use_pages(Instant now, std::string why, Outputs& out) {
  rejections_.streaming_lists = true;
  out.emplace_back(Note{"using paged lists from now on: " + std::move(why), true});
  begin(now, out);
}

// A stream that carried something two minutes after it began. That it was open for so long is no proof.
void WatchMachine::forgive() {
  const bool streamed = state_ == WatchState::Live || state_ == WatchState::Streaming;
  if (streamed && last_byte_ - opened_at_ >= policy_.healthy_after) list_backoff_ = watch_backoff_ = Duration{0};
}

// Full jitter: anything up to the doubled bound, so that many watches do not come back in step. Lists and watches are
// counted apart: lists cost the server much more, and watches must come back soon after the first list.
void WatchMachine::back_off(Instant now, std::optional<Duration> at_least) {
  Duration& bound = resource_version_.empty() ? list_backoff_ : watch_backoff_;
  bound = bound == Duration{0} ? policy_.backoff_first : std::min(bound * 2, policy_.backoff_cap);
  state_ = WatchState::Waiting;
  const Duration requested = std::min(at_least.value_or(Duration{0}), longest_retry_after);
  until_ = now + std::max({scaled(bound, random_.uniform()), requested, Duration{10}});
}

}  // namespace reprise::runtime
