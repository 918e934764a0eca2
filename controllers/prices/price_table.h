// Prices that hold for all pools of a cluster, below what a pool says itself (spec.prices) and a node's own price. An
// admin keeps them; the chart brings dated figures (charts/reprise/files/prices.yaml).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/gpu_pool.h"
#include "controllers/prices/money.h"

namespace reprise::controllers::prices {

// The first entry that fits is taken. What an entry without a zone says holds in each.
using PriceTable = std::span<const api::InstancePrice>;

[[nodiscard]] std::optional<MicroUsd> first_stated(PriceTable table, std::string_view instance_type,
                                                   api::CapacityType type, std::string_view zone);
// In the dearest zone, by the entries that first_stated() takes; a table that names single zones alone says nothing of
// the others, which cost as `elsewhere`. 0: what is paid for already. Nothing: nobody knows.
[[nodiscard]] std::optional<MicroUsd> dearest_stated(PriceTable table, std::string_view instance_type,
                                                     api::CapacityType type, std::optional<MicroUsd> elsewhere);

// The same in the cheapest zone.
[[nodiscard]] std::optional<MicroUsd> cheapest_stated(PriceTable table, std::string_view instance_type,
                                                      api::CapacityType type, std::optional<MicroUsd> elsewhere);

// What is paid on demand for what is bought so, where no other price is known: of spot the usual share, if the
// catalogue has the type, since that share is of its provider; else as much as on demand.
[[nodiscard]] std::optional<MicroUsd> usual_price(std::string_view instance_type, api::CapacityType type,
                                                  std::optional<MicroUsd> on_demand);

}  // namespace reprise::controllers::prices
