#include "runtime/metrics/serving/access_guard.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/metrics/serving/answer_cache.h"

namespace reprise::runtime {

struct AccessGuard::State {
  using Done = std::function<void(Access)>;

  State(AccessReviewer& access_reviewer, const Clock& guard_clock, Logger& guard_logger)
      : reviewer(access_reviewer), clock(guard_clock), logger(guard_logger) {}

  // The answer that is known at once; Review: `done` waits, and `first` says whether a review has to be made for it.
  Access know(const std::optional<std::string>& token, const std::string& hash, Done& done, bool& first) {
    const std::lock_guard lock(mutex);
    const Access known = authorize(token, cache.find(hash, clock.steady()), std::nullopt);
    if (known != Access::Review) return known;
    const auto under_way = waiting.find(hash);
    first = under_way == waiting.end();
    if (first && waiting.size() >= most_reviews) return Access::Failed;
    waiting[hash].push_back(std::move(done));
    return Access::Review;
  }

  void reviewed(const std::string& hash, const Result<ReviewAnswer>& answer) {
    std::vector<Done> told;
    {
      const std::lock_guard lock(mutex);
      if (answer) cache.put(hash, *answer, clock.steady());
      told = std::move(waiting[hash]);
      waiting.erase(hash);
    }
    if (!answer) logger.warning("Could not review who reads metrics", {{"error", answer.error().message}});
    const Access access = authorize(std::string(), std::nullopt, answer);
    for (const Done& done : told) done(access);
  }

  AccessReviewer& reviewer;
  const Clock& clock;
  Logger& logger;
  std::mutex mutex;  // all below
  AnswerCache cache;
  std::map<std::string, std::vector<Done>> waiting;  // by hash, one review each
};

AccessGuard::AccessGuard(AccessReviewer& reviewer, const Clock& clock, Logger& logger)
    : state_(std::make_shared<State>(reviewer, clock, logger)) {}

AccessGuard::~AccessGuard() = default;

void AccessGuard::ask(std::string_view authorization, std::function<void(Access)> done) {
  const auto token = bearer_token(authorization);
  const std::string hash = token ? AnswerCache::hash(*token) : std::string();
  bool first = false;
  const Access known = state_->know(token, hash, done, first);
  if (known != Access::Review) return done(known);
  if (!first) return;
  state_->reviewer.review(*token, [weak = std::weak_ptr(state_), hash](Result<ReviewAnswer> answer) {
    if (const auto state = weak.lock()) state->reviewed(hash, answer);
  });
}

}  // namespace reprise::runtime
