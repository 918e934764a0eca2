// Whose machine is it? Only a machine of the job's own pool may be asked to go for the job's sake: whoever may make a
// job can have its pods run beside anybody's, and leave them there without proof of their end.
// (docs/decisions/0024-only-machines-of-the-own-pool-are-ended.md)
#pragma once

#include <string_view>

#include "controllers/resumablejob/observation.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kNodePoolLabel = "karpenter.sh/nodepool";

// `claim` came out of `node_pool`, and `node_pool` is the work of the GpuPool with that name and uid.
[[nodiscard]] bool is_of_pool(const api::NodeClaim& claim, const api::NodePool& node_pool, std::string_view pool_name,
                              std::string_view pool_uid);

// As far as the caches know; whoever deletes asks the API server once more.
[[nodiscard]] bool is_own_machine(const Observation& seen, const api::NodeClaim& claim);

}  // namespace reprise::controllers::resumablejob
