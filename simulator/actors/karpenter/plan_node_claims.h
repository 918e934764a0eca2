// Plans the NodeClaims that a set of pods needs: pure but for its look-ups (volumes, overlays).
#pragma once

#include <string>
#include <vector>

#include "simulator/actors/karpenter/node_pool.h"

namespace reprise::simulator {

// A node that exists or is on its way.
struct Room {
  Labels labels;
  Taints taints;
  Resources free;
};

struct PlannedClaim {
  NodePoolFacts pool;
  std::vector<Offering> options;  // cheapest first; each has room for all its pods
  Resources requests;
  std::vector<std::string> pods;  // keys
};

struct PlanQuestion {
  std::vector<const PodFacts*> pods;
  std::vector<Room> rooms;
  std::vector<NodePoolFacts> pools;   // in the order of preference
  std::vector<Resources> pool_usage;  // per pool: usage that counts against its limits
  std::vector<Offering> offerings;    // offerings that may be asked for
};

struct NodeClaimPlan {
  std::vector<PlannedClaim> claims;
  std::vector<std::string> unplaced;  // keys of pods
};

[[nodiscard]] NodeClaimPlan plan_node_claims(const World& world, PlanQuestion question);
// The offerings that are cheaper come first; equal ones by type, zone and capacity type.
void sort_by_price(std::vector<Offering>& offerings);

}  // namespace reprise::simulator
