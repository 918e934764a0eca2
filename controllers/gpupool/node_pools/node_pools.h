// The Karpenter NodePools and NodeOverlays that stand for a GpuPool: one NodePool per capacity type, named
// <pool>-<type>; one NodeOverlay per GPU count or instance type when slices go under another resource name.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "controllers/common/indexes.h"
#include "controllers/prices/price_table.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] std::string node_pool_name(std::string_view pool, api::CapacityType type);

// The text of a number as Kubernetes writes a resource.Quantity: whoever stores the object anew stores the same text.
[[nodiscard]] std::string quantity_text(std::int64_t value);

// An error names the field of the pool that cannot be translated.
[[nodiscard]] std::expected<std::vector<api::NodePool>, std::string> desired_node_pools(const api::GpuPool& pool,
                                                                                        prices::PriceTable table = {});
[[nodiscard]] std::vector<api::NodeOverlay> desired_overlays(const api::GpuPool& pool);

}  // namespace reprise::controllers::gpupool
