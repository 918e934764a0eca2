// Private to this folder: the outside world of a real process, from cluster configuration to sockets.
#pragma once

#include <memory>

#include "runtime/client/api_transport.h"
#include "runtime/manager/manager.h"

namespace reprise::runtime {

struct RealWorld {
  RealWorld(const ClusterConfig& config, const ApiTransportOptions& options, MetricsRegistry& metrics);
  // The executor ends first: nothing runs while the transports go.
  ~RealWorld();
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;

  SystemClock clock;
  SeededRandom random;
  AsioExecutor executor;
  std::unique_ptr<Transport> transport;
};

}  // namespace reprise::runtime
