// What spec.maxCostPerHour leaves room for. Pure; by the prices that cost_limit.h spends by, so an estimate.
//
// A further machine is rented where the money left pays for its GPUs at the dearest price that the pool may come to
// pay; it then costs its own, which may be less.
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

// Not even the first machine is rented. Nothing: one is, there is no limit, or a price is not known.
[[nodiscard]] std::optional<Misfit> money_for_no_machine(const api::GpuPoolSpec& spec, prices::PriceTable table);

// A gang of which no machine is there yet.
struct GangCost {
  RankSize rank;
  std::int64_t ranks = 1;
  std::vector<api::CapacityType> types = {};   // of which its machines may be
  std::vector<Demands> demands = {Demands{}};  // one of the lists has to be met
};
// Its machines never run at once, however cheap they are. Nothing: they may, there is no limit, or the pool may rent
// a machine whose price is not known.
[[nodiscard]] std::optional<Misfit> money_for_too_few_ranks(const std::string& pool, const api::GpuPoolSpec& spec,
                                                            const GangCost& gang, prices::PriceTable table);

}  // namespace reprise::controllers::rentable
