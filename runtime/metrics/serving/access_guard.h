// Opens metrics to those that the API server allows. The guard remembers answers (answer_cache.h), makes one review at
// a time for one token and a bounded number in all, and neither keeps nor logs a token.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/metrics/serving/authorize.h"

namespace reprise::runtime {

// Asks whose a token is, and whether that one may get /metrics.
class AccessReviewer {
 public:
  virtual ~AccessReviewer() = default;
  // Any thread; does not block. `done` is called once, on any thread, perhaps before this returns, and within bounded
  // time. An error: no review could be made; its message holds no token.
  virtual void review(std::string token, std::function<void(Result<ReviewAnswer>)> done) = 0;
};

// Callable from any thread. Reviews under way when it is destroyed are never answered.
class AccessGuard {
 public:
  // Reviews under way at once; a request that would need one more fails. Our own: readers of metrics are few.
  static constexpr std::size_t most_reviews = 16;

  // All outlive it, and the reviewer's calls of `done`.
  AccessGuard(AccessReviewer& reviewer, const Clock& clock, Logger& logger);
  ~AccessGuard();
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  // `authorization` is the header of that name. `done` is called once with anything but Access::Review, now or later,
  // on any thread.
  void ask(std::string_view authorization, std::function<void(Access)> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
