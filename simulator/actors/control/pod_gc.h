// The pod garbage collector: deletes pods of nodes that no longer exist.
#pragma once

#include <memory>
#include <string>

#include "simulator/actors/support/pod_writes.h"
#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

class PodGc final : public Actor {
 public:
  explicit PodGc(const World& world);

  // podgc: a look every 20 s; a node must have been missing for 40 s. Seen on the real one: 46 s after `kubectl delete
  // node`.
  static constexpr Duration kPeriod{20'000}, kQuarantine{40'000};

 private:
  void see(const ObjectChange& change);
  void collect(const std::string& node);

  World world_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
