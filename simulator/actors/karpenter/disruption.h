// Karpenter's voluntary disruption: empty nodes and drifted ones, within budgets. No consolidation of used nodes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "simulator/actors/karpenter/node_pool.h"

namespace reprise::simulator {

class Disruption final : public Actor {
 public:
  explicit Disruption(const World& world);

  // The loop comes round every 10 s; a candidate is looked at once more after 15 s.
  static constexpr Duration kLoop{10'000}, kValidation{15'000};
  // The wait when a budget allows none now.
  static constexpr Duration kBlocked{60'000};

 private:
  void see(const ObjectChange& change);
  void touched(const std::string& node);
  void consider(const std::string& node);
  void validate(const std::string& node);
  void look_for_drift();
  void disrupt(const Value& claim, std::string_view reason);
  [[nodiscard]] bool empty(const std::string& node) const;
  [[nodiscard]] bool budget_allows(const NodePoolFacts& pool, std::string_view reason) const;
  [[nodiscard]] std::optional<NodePoolFacts> pool_of(const Value& claim) const;
  [[nodiscard]] ObjectPtr usable_claim(const std::string& node) const;

  World world_;
  std::map<std::string, Duration> last_pod_event_;           // by node
  std::map<std::string, std::unique_ptr<Wake>> considered_;  // by node
  Wake drift_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
