// Karpenter's provisioner: collects unschedulable pods into a batch, plans, creates NodeClaims.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "simulator/actors/karpenter/plan_node_claims.h"
#include "simulator/actors/karpenter/unavailable.h"

namespace reprise::simulator {

class Provisioner final : public Actor {
 public:
  Provisioner(const World& world, Cloud& cloud, UnavailableOfferings& unavailable);

  // BATCH_IDLE_DURATION and BATCH_MAX_DURATION.
  static constexpr Duration kIdle{1'000}, kMax{10'000};

  // Looks again: pods may fit now that did not before.
  void trigger();
  // The next claim of that NodePool gets this name of an earlier one, when nothing bears it any more: providers give
  // the address of a machine that is gone to the next. Empty: never mind.
  void reuse_name(std::string name) { name_to_reuse_ = std::move(name); }

 private:
  void see(const ObjectChange& change);
  void provision();
  [[nodiscard]] std::vector<const PodFacts*> waiting_pods() const;
  [[nodiscard]] std::vector<Room> rooms(const std::vector<ObjectPtr>& claims) const;
  void create(const PlannedClaim& planned);
  [[nodiscard]] std::string name_for(const PlannedClaim& planned);

  World world_;
  Cloud& cloud_;
  UnavailableOfferings& unavailable_;
  std::optional<Duration> batch_began_;
  std::string name_to_reuse_;
  std::map<std::string, Resources> planned_;  // capacity of claims that are not launched yet, by name
  Wake wake_, retry_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
