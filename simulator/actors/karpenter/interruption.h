// Karpenter's interruption controller: its reaction when the cloud calls a machine back, and the status of pools.
#pragma once

#include <memory>

#include "simulator/actors/karpenter/node_pool.h"
#include "simulator/actors/karpenter/unavailable.h"

namespace reprise::simulator {

class Interruption {
 public:
  Interruption(const World& world, UnavailableOfferings& unavailable)
      : world_(world), unavailable_(unavailable), timers_(world.cluster.loop) {}

  // From the cloud's notice through the queue to the controller.
  static constexpr Duration kQueue{2'000};

  // Events SpotInterrupted and TerminatingOnInterruption on NodeClaim and Node, the NodeClaim deleted, the offering not
  // asked for again for three minutes.
  void notice(const Instance& instance);
  // Events SpotRebalanceRecommendation alone.
  void rebalance(const std::string& node);

 private:
  void act(const std::string& node, const Offering& offering);
  void tell(const std::string& node, std::string_view reason, std::string_view message, std::string_view type);

  World world_;
  UnavailableOfferings& unavailable_;
  Timers timers_;
};

// Conditions of NodePools and NodeOverlays: all that are well-formed are ready.
class PoolStatus final : public Actor {
 public:
  explicit PoolStatus(const World& world);

 private:
  void see(const ObjectChange& change);

  World world_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
