#include "runtime/manager/internal/cancellation.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace reprise::runtime::internal {
namespace {

std::unexpected<Error> shutting_down() {
  return fail(ErrorClass::Cancelled, "the process is shutting down");
}

// Sent, without an answer of the API server: a box in between may have lost the answer only, and a server that gave up
// waiting for its store may see it carried out yet. 503 with Retry-After is a rejection.
bool may_still_arrive(const Result<Response>& result) {
  if (!result) return result.error().error_class == ErrorClass::Unavailable && !result.error().not_sent;
  return result->status >= 500 && !(result->status == 503 && result->retry_after);
}

}  // namespace

// One blocking call, shared by the thread that waits and the request that may outlive its wait. Each has a condition of
// its own: with one for all, every answer would wake every waiting worker.
class Cancellation::Call {
 public:
  void give(Result<Response> given) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = true;
      result_ = std::move(given);
    }
    changed_.notify_one();
  }
  void cut() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
  }
  // Waits for the result; empty when the call was cut.
  std::optional<Result<Response>> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
    return std::exchange(result_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::optional<Result<Response>> result_;
};

// A holder of this mutex may take a call's; never the other way round.
struct Cancellation::State {
  mutable std::mutex mutex;
  bool cancelled = false, cut_a_write = false;
  Instant unanswered = Instant::min();  // when the last write ended without an answer
  std::vector<Call*> calls;             // the calls that wait
};

// Among those that cancel() cuts, also when sending throws.
class Cancellation::Entry {
 public:
  Entry(State& state, Call& call) : state_(state), call_(call) {
    const std::lock_guard lock(state_.mutex);
    state_.calls.push_back(&call_);
  }
  ~Entry() {
    const std::lock_guard lock(state_.mutex);
    std::erase(state_.calls, &call_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  State& state_;
  Call& call_;
};

Cancellation::Cancellation(bool cuts) : cuts_(cuts), state_(std::make_unique<State>()) {}

Cancellation::~Cancellation() = default;

void Cancellation::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->cancelled = true;
  for (Call* call : state_->calls) call->cut();
}

bool Cancellation::cancelled() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cancelled;
}

bool Cancellation::cut_a_write() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cut_a_write;
}

void Cancellation::note_unanswered(Instant ended) {
  const std::lock_guard lock(state_->mutex);
  state_->unanswered = std::max(state_->unanswered, ended);
}

bool Cancellation::unanswered_since(Instant time) const {
  const std::lock_guard lock(state_->mutex);
  return state_->unanswered >= time;
}

Result<Response> Cancellation::send(Transport& inner, Request request) {
  if (!cuts_) return inner.send(request);
  const auto call = std::make_shared<Call>();
  const Entry entry(*state_, *call);
  if (cancelled()) return shutting_down();  // from here on it is cut
  // When the transport drops the callback uncalled, the wait must end too.
  struct Giver {
    explicit Giver(std::shared_ptr<Call> whose) : call(std::move(whose)) {}
    ~Giver() { call->give(fail(ErrorClass::Cancelled, "the transport has stopped")); }
    Giver(const Giver&) = delete;
    Giver& operator=(const Giver&) = delete;
    std::shared_ptr<Call> call;
  };
  const bool writes = request.method != Method::Get;
  inner.send_async(std::move(request), [giver = std::make_shared<Giver>(call)](Result<Response> result) {
    giver->call->give(std::move(result));
  });
  if (auto result = call->wait()) return *std::move(result);
  if (writes) {
    const std::lock_guard lock(state_->mutex);
    state_->cut_a_write = true;
  }
  return shutting_down();
}

Result<Response> BoundedTransport::send(const Request& request) {
  const auto left = std::chrono::floor<Duration>(deadline_ - clock_.steady());
  if (left <= Duration{0}) return fail(ErrorClass::Unavailable, "timed out: the deadline of this reconcile has passed");
  Request bounded = request;
  bounded.timeout = std::min(bounded.timeout, left);
  if (cancellation_ == nullptr) return inner_.send(bounded);
  auto result = cancellation_->send(inner_, std::move(bounded));
  if (request.method != Method::Get && may_still_arrive(result)) cancellation_->note_unanswered(clock_.steady());
  return result;
}

}  // namespace reprise::runtime::internal
