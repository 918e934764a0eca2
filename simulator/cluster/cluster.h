// Shared by every actor of the embedded cluster. All of it outlives them. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/random.h"
#include "runtime/http/transport.h"
#include "simulator/api_server/api_server.h"
#include "simulator/cluster/event_log.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

struct ReportingPod {
  std::string namespace_, name, uid;
};

struct Cluster {
  EventLoop& loop;
  runtime::Random& random;
  ApiServer& api;
  EventLog& log;
  // Called with each request when it leaves an operator process.
  std::function<void(std::string_view who, const runtime::Request& request)> on_request = {};
  // Carries what an agent reports to the operator, or loses it. Without: nobody is told.
  std::function<void(const ReportingPod& who, std::string json)> on_report = {};
};

// An actor in the cluster: wakes on changes or by time, looks at the API server's state as it is then, acts. An actor's
// own delays (such as the time until a scheduler sees a pod) are constants in its file, with their source.
class Actor {
 public:
  virtual ~Actor() = default;
};

// `base` give or take a share of it: jittered(random, 1000ms, 0.2) is between 800 and 1200 ms.
[[nodiscard]] Duration jittered(runtime::Random& random, Duration base, double share);

}  // namespace reprise::simulator
