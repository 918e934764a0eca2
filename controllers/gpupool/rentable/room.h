// What a pool can rent within its limits, in whole machines, and whether a gang finds room there. Pure. Of a pool of
// nodes that are there already nothing is claimed; of spec.maxCostPerHour where the cluster's prices are known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/rentable/misfit.h"
#include "controllers/gpupool/rentable/whole_nodes.h"
#include "controllers/prices/price_table.h"

namespace reprise::controllers::rentable {

// Those of the cluster (prices/price_table.h); nothing: nobody here knows them.
using Prices = std::optional<prices::PriceTable>;

// Why a pool never rents anything.
enum class Lack {
  InstanceType,  // no machine is as it says
  Limit,         // no machine is within spec.capacity[].maxGpus
  Cost,          // spec.maxCostPerHour pays for none
};
struct PoolMisfit {
  Lack lack = Lack::InstanceType;
  Misfit misfit;
};
[[nodiscard]] std::optional<PoolMisfit> pool_misfit(const api::GpuPoolSpec& spec, const Prices& known = std::nullopt);

// What one capacity type can rent.
struct Room {
  api::CapacityType type = api::CapacityType::Spot;
  std::size_t index = 0;                    // in spec.capacity
  std::optional<std::int64_t> limit = {};   // maxGpus
  std::optional<std::int64_t> rented = {};  // within it; nothing: without a limit, or nobody knows
  std::string_view label = {};              // "spot": Karpenter's word for the type
  // As NodePools count: so much of this resource do the machines offer that can be rented.
  std::string resource = {};
  std::optional<std::int64_t> rented_quantity = {};
  [[nodiscard]] bool reaches_limit() const { return !limit || !rented || *rented == *limit; }
};
[[nodiscard]] std::vector<Room> rooms_of(const api::GpuPoolSpec& spec);

// Capacity types whose limit is never reached, each with what it means; where the pool rents something at all.
[[nodiscard]] std::vector<Misfit> limits_between_nodes(const api::GpuPoolSpec& spec);

// A job's ranks, which run together or not at all.
struct Gang {
  std::int64_t ranks = 1, units_per_rank = 1;
  std::optional<api::CapacityType> only = {};  // the capacity that it may run on; nothing: any
  std::vector<Demands> demands = {Demands{}};  // of its pods; one of the lists has to be met
  std::vector<std::string> zones = {};         // of which its pods run in one; empty: any
  std::optional<Misfit> not_offered = {};      // what its pods ask for that new machines of the pool do not offer
  // Machines of the pool that are there, by capacity type: a limit that was lowered takes none of them away.
  std::map<api::CapacityType, MachinesBySize> there = {};
};
// Why it never fits, whatever else runs in the pool.
[[nodiscard]] std::optional<Misfit> gang_misfit(const std::string& pool, const api::GpuPoolSpec& spec, const Gang& gang,
                                                const Prices& known = std::nullopt);

}  // namespace reprise::controllers::rentable
