// spec.maxCostPerHour, kept by the limits of the NodePools: Karpenter counts GPUs and knows no money. Pure.
//
// A NodePool may have the GPUs that are there and as many more as the money left pays for, in whole machines, at the
// dearest price that the pool may come to pay for one. Most machines are cheaper; as they come, money is left over and
// the limits rise, until not even one GPU at that price fits. No money is promised to two types of capacity, or
// Karpenter would spend it once for each: pods that wait are given what they ask for in the order in which they came,
// of the type that they name or else of the first in the pool's order, and while no machine comes of that, of the next
// one in turn. The rest is the first type's.
//
// Machines that are being given back do not count, as they do not count against Karpenter's limits: what replaces them
// may come while they are still paid for. Nothing is ended for money.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// Says why the limit cannot be kept: nobody knows what a machine of the pool costs. Empty: it can, or there is none.
[[nodiscard]] std::optional<std::string> cost_limit_misfit(const api::GpuPoolSpec& spec, prices::PriceTable table = {});

struct CostLimit {
  // For people: no further GPU can be paid for. Empty: one can.
  std::string reached = {};
  // The time when another type's turn begins for a pod.
  std::optional<kube::Time> wake_at = {};
};

// Lowers the limits of `node_pools`, which are the pool's by its spec.capacity. Does nothing where the pool has no
// limit.
[[nodiscard]] CostLimit limit_cost(const Observation& seen, std::vector<api::NodePool>& node_pools);

// True when `wanted` allows less of something than `current`.
[[nodiscard]] bool lowers_limit(const kube::StringMap& current, const kube::StringMap& wanted);

// The turn of a pod after so long without an answer: a number that counts turns, and how much of it is left. The first
// lasts a minute, each further one twice as long as the one before, and half an hour at the most.
struct Turn {
  std::size_t number = 0;
  std::chrono::seconds left{};
};
[[nodiscard]] Turn turn_after(std::chrono::seconds unanswered);

}  // namespace reprise::controllers::gpupool
