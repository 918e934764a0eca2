// The outside world of a real process, from cluster configuration to sockets.
#pragma once

#include <memory>

#include "runtime/client/config.h"
#include "runtime/client/credentials.h"
#include "runtime/client/metered_transport.h"
#include "runtime/manager/manager.h"

namespace reprise::runtime {

struct RealWorld {
  RealWorld(ClusterConfig config, MetricsRegistry& metrics);
  // The executor ends first: nothing runs while the transports go.
  ~RealWorld();
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;

  SystemClock clock;
  SeededRandom random;
  AsioExecutor executor;
  std::unique_ptr<Transport> curl, metered, credentialed;
};

}  // namespace reprise::runtime
