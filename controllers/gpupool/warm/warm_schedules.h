// The number of GPUs that a pool is to keep ready at a time: spec.warm.gpus, or more while one of spec.warm.schedules
// applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] bool keeps_gpus_ready(const api::GpuPoolSpec& spec);
// A schedule that cannot be read: field, found, allowed.
[[nodiscard]] std::optional<std::string> warm_schedules_misfit(const api::GpuPoolSpec& spec);

struct WarmSpell {
  std::int32_t gpus = 0;
  std::optional<kube::Time> until;  // another number then; empty: it stays so
  bool operator==(const WarmSpell&) const = default;
};
// `spec`: one without a misfit.
[[nodiscard]] WarmSpell warm_spell(const api::GpuPoolSpec& spec, kube::Time now);

}  // namespace reprise::controllers::gpupool
