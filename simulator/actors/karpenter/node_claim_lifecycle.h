// Karpenter's NodeClaim lifecycle up to a usable node: launch, registration, initialisation, and their deadlines.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "simulator/actors/karpenter/node_pool.h"
#include "simulator/actors/karpenter/unavailable.h"

namespace reprise::simulator {

class NodeClaimLifecycle final : public Actor {
 public:
  NodeClaimLifecycle(const World& world, Cloud& cloud, UnavailableOfferings& unavailable);

  // CreateFleet answers in 2-3 s.
  static constexpr Duration kLaunch{2'500};
  // Launch and registration deadlines; there is none for initialisation.
  static constexpr Duration kLaunchDeadline{300'000}, kRegistrationDeadline{900'000};
  static constexpr Duration kLatency{300};

 private:
  void see(const ObjectChange& change);
  void launch(const std::string& claim);
  void launched(const Value& claim, const NodePoolFacts& pool, const Instance& instance);
  void insufficient_capacity(const Value& claim);
  void look(const std::string& claim);
  void register_node(const Value& claim, const NodeFacts& node);
  void initialize(const Value& claim, const NodeFacts& node);
  void give_up(const std::string& claim, const char* condition);

  World world_;
  Cloud& cloud_;
  UnavailableOfferings& unavailable_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
