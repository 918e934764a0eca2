// Leader election over a Lease, with client-go's constants and its rule that followers measure by their own clock:
// a lease is over when this process has seen no change of it for LeaseDuration.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/base/random.h"
#include "runtime/client/client.h"
#include "runtime/leader/permit.h"

namespace reprise::runtime {

struct ElectorOptions {
  std::string lease_namespace;
  std::string lease_name;
  std::string identity;  // unique per process: "<host>_<random>"
  Duration lease_duration{15'000};
  Duration renew_deadline{10'000};
  Duration retry_period{2'000};
  double jitter = 1.2;
  Duration margin{500};  // permits end so long before the lease could be taken
};

struct ElectorCallbacks {
  std::function<void()> on_started_leading;
  // The process must end: nothing was renewed for renew_deadline, or another process holds the lease.
  std::function<void()> on_lost;
  // The lease is over and the process still runs: abort, whatever it does.
  std::function<void()> on_overdue;
};

// State lives on the executor's thread; callbacks run there. permit() and is_leader() from any thread.
// While leading, a permit ends `margin` before (time before sending the last successful renewal) + lease_duration.
class LeaderElector final : public PermitSource {
 public:
  LeaderElector(ElectorOptions options, ElectorCallbacks callbacks, Client& client, Executor& executor,
                const Clock& clock, Random& random, Logger& logger);
  ~LeaderElector() override;
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void start();
  // Stops renewing and gives the lease back if held; `done` runs when that is over, one way or the other.
  // Call it when nothing writes any more: permits end at once.
  void release(std::function<void()> done);

  [[nodiscard]] Result<WritePermit> permit() const override;
  [[nodiscard]] bool is_leader() const;
  // The identity that holds the lease as last seen; empty when nobody does.
  [[nodiscard]] std::string holder() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
