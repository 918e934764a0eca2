// Asks the API server whose a token is, remembers the answer for a while by the token's hash, and makes one review at a
// time for one token, and a bounded number in all and in a second. It neither keeps nor logs a token.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "controllers/reports/pod_identity.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/http/transport.h"

namespace reprise::controllers::reports {

// Any thread.
class PodAuthenticator {
 public:
  // A token that was good counts for so long, though it, or its pod, may have ended meanwhile: who reports is looked up
  // among the pods that are there each time.
  static constexpr runtime::Duration keep_pod{600'000};
  // As controller-runtime's DenyCacheTTL.
  static constexpr runtime::Duration keep_nobody{30'000};
  static constexpr std::size_t most_remembered = 50'000, most_reviews = 16;
  // Reviews, where many pods come at once, as after a change of leader, and in the long run.
  static constexpr int most_at_once = 1'000, most_a_second = 100;

  using Answer = runtime::Result<std::optional<PodIdentity>>;

  // Both outlive it and what it still asks.
  PodAuthenticator(runtime::Transport& transport, const runtime::Clock& clock);
  ~PodAuthenticator();
  PodAuthenticator(const PodAuthenticator&) = delete;
  PodAuthenticator& operator=(const PodAuthenticator&) = delete;

  // `authorization` is the header of that name. `done` is called once, now or later, on any thread: with nothing where
  // the token is no pod's, or is not for protocol::kReportAudience; with an error where it could not be asked for.
  void ask(std::string_view authorization, std::function<void(const Answer&)> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::controllers::reports
