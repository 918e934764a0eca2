#include "runtime/http/internal/request_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace reprise::runtime {
namespace {

std::unexpected<Error> unsent(std::string why) {
  auto failure = fail(ErrorClass::Unavailable, std::move(why));
  failure.error().not_sent = true;
  return failure;
}

}  // namespace

RequestQueue::RequestQueue(boost::asio::io_context& context, std::size_t at_once, std::size_t waiting_limit,
                           Start start)
    : timer_(context), at_once_(at_once), waiting_limit_(waiting_limit), start_(std::move(start)) {}

void RequestQueue::stop() {
  at_once_ = 0;
  timer_.cancel();
  for (const auto& request : std::exchange(waiting_, {})) {
    request.done(fail(ErrorClass::Cancelled, "the transport is shutting down"));
  }
}

void RequestQueue::add(Request request, Done done) {
  if (has_slot(request)) {
    const Duration left = request.timeout;
    return start(std::move(request), left, std::move(done));
  }
  if (waiting_.size() >= waiting_limit_ && !request.urgent) {
    return done(unsent("more than " + std::to_string(waiting_limit_) + " requests wait to be sent"));
  }
  const Instant until = std::chrono::steady_clock::now() + request.timeout;
  const auto at = request.urgent
                      ? std::ranges::find(waiting_, false, [](const Waiting& each) { return each.request.urgent; })
                      : waiting_.end();
  waiting_.insert(at, {std::move(request), std::move(done), until});
  if (waiting_.size() == 1 || until < timer_.expiry()) arm();
}

bool RequestQueue::has_slot(const Request& request) const {
  return running_ < at_once_ || (request.urgent && running_ == at_once_ && at_once_ > 0);
}

void RequestQueue::start(Request request, Duration left, Done done) {
  ++running_;
  start_(std::move(request), left, [weak = weak_from_this(), done = std::move(done)](Result<Response> response) {
    if (const auto queue = weak.lock()) queue->leave();
    done(std::move(response));
  });
}

void RequestQueue::leave() {
  --running_;
  if (std::exchange(filling_, true)) return;
  while (!waiting_.empty() && has_slot(waiting_.front().request)) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const auto left = std::chrono::floor<Duration>(next.until - std::chrono::steady_clock::now());
    if (left > Duration{0})
      start(std::move(next.request), left, std::move(next.done));
    else
      next.done(late());
  }
  filling_ = false;
}

void RequestQueue::arm() {
  if (waiting_.empty()) return;
  timer_.expires_at(std::ranges::min(waiting_, {}, &Waiting::until).until);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto queue = weak.lock();
    if (!error && queue) queue->expire();
  });
}

void RequestQueue::expire() {
  const Instant now = std::chrono::steady_clock::now();
  std::vector<Done> expired;
  std::erase_if(waiting_, [&](Waiting& request) {
    if (request.until > now) return false;
    expired.push_back(std::move(request.done));
    return true;
  });
  arm();
  for (const auto& done : expired) done(late());
}

std::unexpected<Error> RequestQueue::late() const {
  return unsent("no slot was free in time: " + std::to_string(at_once_) + " requests are under way");
}

}  // namespace reprise::runtime
