#include "controllers/reports/pod_authenticator.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "protocol/agent_protocol.h"
#include "runtime/client/credentials/token_review.h"
#include "runtime/client/rate_limit.h"
#include "runtime/metrics/serving/answer_cache.h"
#include "runtime/metrics/serving/authorize.h"

namespace reprise::controllers::reports {

struct PodAuthenticator::State {
  using Done = std::function<void(const Answer&)>;
  struct Known {
    std::optional<PodIdentity> pod;
    runtime::Instant until;
  };

  State(runtime::Transport& to, const runtime::Clock& given)
      : transport(to), clock(given), turns({.per_second = most_a_second, .burst = most_at_once}, given.steady()) {}

  // The answer that is known; empty: `done` waits, and `first` says whether a review has to be made for it.
  std::optional<Answer> know(const std::string& hash, Done& done, bool& first) {
    const std::lock_guard lock(mutex);
    const auto found = known.find(hash);
    if (found != known.end() && clock.steady() < found->second.until) return found->second.pod;
    const auto under_way = waiting.find(hash);
    first = under_way == waiting.end();
    if (first && (waiting.size() >= most_reviews || !turns.take(clock.steady(), {})))
      return runtime::fail(runtime::ErrorClass::Unavailable, "too many tokens are being reviewed");
    waiting[hash].push_back(std::move(done));
    return std::nullopt;
  }

  void reviewed(const std::string& hash, const Answer& answer) {
    std::vector<Done> told;
    {
      const std::lock_guard lock(mutex);
      if (answer) remember(hash, *answer);
      told = std::move(waiting[hash]);
      waiting.erase(hash);
    }
    for (const Done& done : told) done(answer);
  }

  // Forgets made-up tokens first where it is full; a token that finds no room is reviewed each time.
  void remember(const std::string& hash, const std::optional<PodIdentity>& pod) {
    const runtime::Instant now = clock.steady();
    if (known.size() >= most_remembered) {
      std::erase_if(known, [now](const auto& each) { return each.second.until <= now || !each.second.pod; });
    }
    if (known.size() >= most_remembered) return;
    known[hash] = {pod, now + (pod ? keep_pod : keep_nobody)};
  }

  runtime::Transport& transport;
  const runtime::Clock& clock;
  std::mutex mutex;            // all below
  runtime::TokenBucket turns;  // for reviews
  std::map<std::string, Known> known;
  std::map<std::string, std::vector<Done>> waiting;
};

PodAuthenticator::PodAuthenticator(runtime::Transport& transport, const runtime::Clock& clock)
    : state_(std::make_shared<State>(transport, clock)) {}

PodAuthenticator::~PodAuthenticator() = default;

void PodAuthenticator::ask(std::string_view authorization, std::function<void(const Answer&)> done) {
  const auto token = runtime::bearer_token(authorization);
  if (!token) return done(std::optional<PodIdentity>());
  const std::string hash = runtime::AnswerCache::hash(*token);
  bool first = false;
  if (const auto known = state_->know(hash, done, first)) return done(*known);
  if (!first) return;
  runtime::review_token(state_->transport, *token, {std::string(protocol::kReportAudience)},
                        [weak = std::weak_ptr(state_), hash](runtime::Result<std::optional<runtime::TokenUser>> user) {
                          const auto state = weak.lock();
                          if (!state) return;
                          if (!user) return state->reviewed(hash, std::unexpected(std::move(user.error())));
                          state->reviewed(hash, *user ? pod_of(**user) : std::nullopt);
                        });
}

}  // namespace reprise::controllers::reports
