// What spec.maxCostPerHour leaves room for. Pure; by the prices that cost_limit.h spends by, so an estimate.
//
// With a limit a pool rents what has a price, and nothing else. A further machine is rented where the money left pays
// for its GPUs at the dearest price that the pool may come to pay; it then costs its own, which may be less.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/gpupool/rentable/demand.h"
#include "controllers/gpupool/rentable/misfit.h"
#include "controllers/gpupool/rentable/whole_nodes.h"
#include "controllers/prices/price_table.h"

namespace reprise::controllers::rentable {

// Not even the first machine of one of these capacity types is rented. Nothing: one is, there is no limit, or a price
// is not known.
[[nodiscard]] std::optional<Misfit> money_for_no_machine(const api::GpuPoolSpec& spec,
                                                         const std::vector<api::CapacityType>& types,
                                                         prices::PriceTable table);

// What a gang may come to cost.
struct GangCost {
  RankSize rank;
  std::int64_t ranks = 1;
  // Its machines may be of these capacity types, each with so many ranks at the most.
  struct Part {
    api::CapacityType type = api::CapacityType::Spot;
    std::int64_t most_ranks = 0;
  };
  std::vector<Part> parts = {};
  std::vector<Demands> demands = {Demands{}};  // one of the lists has to be met
  // So many find room on machines that are there. These may cost less than any that would be rented today, or nothing.
  std::int64_t there = 0;
};
// Its machines never run at once, however cheap they are. Nothing: they may, there is no limit, or nobody knows one of
// the machines that the pool rents. It rents none without a price.
[[nodiscard]] std::optional<Misfit> money_for_too_few_ranks(const std::string& pool, const api::GpuPoolSpec& spec,
                                                            const GangCost& gang, prices::PriceTable table);

}  // namespace reprise::controllers::rentable
