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
  if (running_ < at_once_) return start(std::move(request), std::move(done));
  if (waiting_.size() >= waiting_limit_) {
    return done(unsent("more than " + std::to_string(waiting_limit_) + " requests wait to be sent"));
  }
  const Instant until = std::chrono::steady_clock::now() + request.timeout;
  waiting_.push_back({std::move(request), std::move(done), until});
  if (waiting_.size() == 1 || until < timer_.expiry()) arm();
}

void RequestQueue::start(Request request, Done done) {
  ++running_;
  start_(std::move(request), [weak = weak_from_this(), done = std::move(done)](Result<Response> response) {
    if (const auto queue = weak.lock()) queue->leave();
    done(std::move(response));
  });
}

void RequestQueue::leave() {
  --running_;
  if (std::exchange(filling_, true)) return;
  while (running_ < at_once_ && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(next.request), std::move(next.done));
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
  std::vector<Done> late;
  std::erase_if(waiting_, [&](Waiting& request) {
    if (request.until > now) return false;
    late.push_back(std::move(request.done));
    return true;
  });
  arm();
  for (const auto& done : late) {
    done(unsent("no slot was free in time: " + std::to_string(at_once_) + " requests are under way"));
  }
}

}  // namespace reprise::runtime
