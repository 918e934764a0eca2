#include "runtime/manager/internal/interruption.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace reprise::runtime::internal {
namespace {

std::unexpected<Error> cancelled() {
  return fail(ErrorClass::Cancelled, "the process is shutting down");
}

}  // namespace

struct Interruption::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool interrupted = false, cut_a_write = false;
};

// Shared by the thread that waits and the request that may outlive its wait.
struct Interruption::Answer {
  explicit Answer(std::shared_ptr<State> shared) : state(std::move(shared)) {}
  void give(Result<Response> given) {
    {
      const std::lock_guard lock(state->mutex);
      if (!result) result = std::move(given);
    }
    state->changed.notify_all();
  }
  std::shared_ptr<State> state;
  std::optional<Result<Response>> result;
};

Interruption::Interruption() : state_(std::make_shared<State>()) {}

void Interruption::interrupt() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->interrupted = true;
  }
  state_->changed.notify_all();
}

bool Interruption::interrupted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->interrupted;
}

bool Interruption::cut_a_write() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cut_a_write;
}

Result<Response> Interruption::send(Transport& inner, const Request& request) {
  if (interrupted()) return cancelled();
  const auto answer = std::make_shared<Answer>(state_);
  // When the transport drops the callback uncalled, the wait must end too.
  struct Giver {
    explicit Giver(std::shared_ptr<Answer> whose) : answer(std::move(whose)) {}
    ~Giver() { answer->give(fail(ErrorClass::Cancelled, "the transport has stopped")); }
    Giver(const Giver&) = delete;
    Giver& operator=(const Giver&) = delete;
    std::shared_ptr<Answer> answer;
  };
  inner.send_async(request, [giver = std::make_shared<Giver>(answer)](Result<Response> result) {
    giver->answer->give(std::move(result));
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return answer->result || state_->interrupted; });
  if (answer->result) return *std::move(answer->result);
  if (request.method != Method::Get) state_->cut_a_write = true;
  answer->result = cancelled();  // what comes later finds it answered
  return cancelled();
}

Result<Response> BoundedTransport::send(const Request& request) {
  const auto left = std::chrono::floor<Duration>(deadline_ - clock_.steady());
  if (left <= Duration{0}) return fail(ErrorClass::Unavailable, "the time for this reconcile is up");
  Request bounded = request;
  bounded.timeout = std::min(bounded.timeout, left);
  return interruption_ == nullptr ? inner_.send(bounded) : interruption_->send(inner_, bounded);
}

}  // namespace reprise::runtime::internal
