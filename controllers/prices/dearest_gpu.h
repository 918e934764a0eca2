// What a GPU of a pool may come to cost at the most: the price of an instance type by its GPUs, of the dearest type
// that the pool may rent, by its own prices, the table of the cluster and the catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/prices/money.h"
#include "controllers/prices/price_table.h"

namespace reprise::controllers::prices {

struct DearestGpu {
  MicroUsd per_hour = 0;
  std::string instance_type = {};
};

// An instance type that the catalogue lacks counts where the pool names it (spec.instanceTypes, or spec.prices without
// those). Of one that the table of machines lacks, too, nobody knows the GPUs: the fewest of spec.gpu.countsPerNode
// count, or one. Nothing: no price is known.
[[nodiscard]] std::optional<DearestGpu> dearest_gpu(const api::GpuPoolSpec& spec, api::CapacityType type,
                                                    PriceTable table = {});

// What a machine of that instance type costs at the least, in the cheapest zone; nothing: no price is known.
[[nodiscard]] std::optional<MicroUsd> cheapest_machine(const api::GpuPoolSpec& spec, std::string_view instance_type,
                                                       api::CapacityType type, PriceTable table = {});

// The instance types that the pool may rent and whose price is known, in order, each once.
[[nodiscard]] std::vector<std::string> types_with_price(const api::GpuPoolSpec& spec, api::CapacityType type,
                                                        PriceTable table = {});

// How many GPUs a machine of the pool may have, ascending, by the same sources; 1 where nobody says.
[[nodiscard]] std::vector<std::int64_t> gpus_of_machines(const api::GpuPoolSpec& spec);
// Of those: how many the smallest has on which so many fit; where none is large enough, so many. Karpenter rents no
// part of a machine.
[[nodiscard]] std::int64_t gpus_of_machine_for(std::int64_t gpus, const std::vector<std::int64_t>& gpus_of_machines);

}  // namespace reprise::controllers::prices
