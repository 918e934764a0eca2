// Decides how many GPUs of a pool are kept ready though nobody uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// Says what this operator or this pool's way of sharing cannot keep ready: field, found, what to do. Empty: it can keep
// all of it.
[[nodiscard]] std::optional<std::string> unsupported_warm_gpus(const api::GpuPoolSpec& spec, const Settings& settings);
// Says that spec.warm asks for more than the pool may rent, or that a schedule cannot be read. Empty: neither.
[[nodiscard]] std::optional<std::string> warm_gpus_misfit(const api::GpuPoolSpec& spec);

// The GPUs to be kept ready beside what other pods of the pool wait for.
struct WarmGpus {
  std::int32_t wanted = 0;
  bool may_be_made = true;  // nobody else waits for a machine, who would find its room taken
};
// Decides how many of `wanted` GPUs are kept ready. Where the pool's limits leave no room for a pod that has waited for
// a minute, none is: what is held counts against them. A pod that is not served by that within half an hour has to wait
// as long until it is tried again, then twice as long each time. `node_pools`: as they are wanted.
[[nodiscard]] WarmGpus warm_gpus_beside(const Observation& seen, std::int32_t wanted,
                                        const std::vector<api::NodePool>& node_pools, Plan& plan);

}  // namespace reprise::controllers::gpupool
