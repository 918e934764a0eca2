// What a node costs, as far as anybody knows: an estimate.
#pragma once

#include "api/gpu_pool.h"
#include "controllers/prices/money.h"
#include "runtime/kube/node.h"

namespace reprise::controllers::prices {

[[nodiscard]] api::CapacityType capacity_type(const kube::Node& node);

struct NodePrice {
  MicroUsd per_hour = 0;            // 0: nobody knows
  MicroUsd on_demand_per_hour = 0;  // of the same machine; per_hour where no other price is known
};
// Preference: the pool's own table, the price that the provider put on the node, the catalogue.
[[nodiscard]] NodePrice price_of(const api::GpuPoolSpec& spec, const kube::Node& node);

}  // namespace reprise::controllers::prices
