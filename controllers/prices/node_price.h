// What a machine costs, as far as anybody knows: an estimate.
#pragma once

#include "api/gpu_pool.h"
#include "controllers/prices/money.h"
#include "controllers/prices/price_table.h"
#include "runtime/kube/meta.h"

namespace reprise::controllers::prices {

// As the labels of Karpenter or of the cloud's node group say, of a Node or a NodeClaim; on demand where none does.
[[nodiscard]] api::CapacityType capacity_type(const kube::ObjectMeta& machine);

struct NodePrice {
  MicroUsd per_hour = 0;            // 0: nobody knows, or it is paid for already
  MicroUsd on_demand_per_hour = 0;  // of the same machine; per_hour where no other price is known
  bool is_known = false;
};
// By the labels of a Node or a NodeClaim. Preference: the pool's own prices, the price that the provider put on the
// node, the cluster's table, the catalogue.
[[nodiscard]] NodePrice price_of(const api::GpuPoolSpec& spec, const kube::ObjectMeta& machine, PriceTable table);

}  // namespace reprise::controllers::prices
