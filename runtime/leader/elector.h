// Leader election over a Lease, with client-go's constants and its rule that followers measure by their own clock:
// a lease is over when this process has seen no change of it for LeaseDuration. Only the rates of two clocks must agree
// (LeaseTiming::margin(): 1 in 30), never their time of day.
//
// Rights needed: get, create and patch on the one Lease. Give nobody `delete` on it: a process that starts after the
// Lease was deleted cannot know that there was a leader. One that had seen the Lease waits the leader's time out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/base/write_permit.h"
#include "runtime/client/client.h"
#include "runtime/leader/lease_deadline.h"
#include "runtime/leader/lease_timing.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct ElectorOptions {
  std::string lease_namespace;
  std::string lease_name;
  std::string identity;  // unique per process, also across restarts: "<host>_<random>"
  // Passes check(). Permits end its margin() before the lease could be taken, or earlier where the last renewal took
  // longer than that.
  LeaseTiming timing = {};
  double jitter = 1.2;  // followers try again after retry_period * (1 .. 1 + jitter)
};

struct ElectorCallbacks {
  std::function<void()> on_started_leading;
  // The process must end: nothing was renewed for renew_deadline, or another process holds the lease.
  std::function<void()> on_lost;
  // The lease is over and the process still runs: abort at once. For clusters on one thread; a real process has a
  // LeaseGuard on deadline() besides, since the executor's thread may be stuck.
  std::function<void()> on_overdue;
};

enum class ElectorPhase {
  Following,  // looks at the lease, takes it when it can
  Leading,
  Lost,      // no permits any more; the process is to end before the lease does
  Overdue,   // the lease ended and the process did not
  Released,  // given back, or never held
};
[[nodiscard]] std::string_view name(ElectorPhase phase);

struct ElectorSnapshot {
  ElectorPhase phase = ElectorPhase::Following;
  std::string holder;  // as last seen; empty when nobody does
  std::int64_t transitions = 0;
  std::optional<Instant> renewed_at, permits_until, lease_until;
};

// State lives on the executor's thread; callbacks run there. The const members from any thread.
class LeaderElector final : public PermitSource {
 public:
  LeaderElector(ElectorOptions options, ElectorCallbacks callbacks, Client& client, Executor& executor,
                const Clock& clock, Random& random, Logger& logger, MetricsRegistry& metrics);
  ~LeaderElector() override;
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Before start(): looks at the lease and takes nothing; `done` runs when that is over, one way or the other, after 2
  // s at the latest.
  void look(std::function<void()> done);
  void start();
  // Leading: nobody held the lease when look() looked, and nobody has since. So every read after that look shows all
  // that earlier leaders wrote. On the executor's thread.
  [[nodiscard]] bool alone_since_look() const;
  // Stops renewing and gives the lease back if held; `done` runs when that is over, one way or the other.
  // Call it when nothing writes any more: permits end at once.
  void release(std::function<void()> done);

  [[nodiscard]] Result<WritePermit> permit() const override;
  [[nodiscard]] bool is_leader() const;
  [[nodiscard]] ElectorSnapshot snapshot() const;
  // When the process must have ended; for a LeaseGuard. Lives as long as the elector.
  [[nodiscard]] const LeaseDeadline& deadline() const;
  // For liveness: an error when this process leads, or did, and has outlived its lease.
  [[nodiscard]] Result<void> healthy() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
