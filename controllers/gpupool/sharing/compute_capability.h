// The compute capabilities of NVIDIA's old GPUs, by the names that providers give them; private to this folder.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

struct ComputeCapability {
  std::int32_t major = 0, minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
  [[nodiscard]] std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

// The capability of a model as spec.gpu.models has it: "v100", "V100", "nvidia-tesla-v100". Models below 7.5 are known,
// the GPUs before Turing; empty: newer, or unknown.
[[nodiscard]] std::optional<ComputeCapability> old_capability(std::string_view model);

// A GPU that a pool names: "v100" in "spec.gpu.models", "p3.2xlarge" in "spec.instanceTypes".
struct NamedGpu {
  std::string field, name;
  ComputeCapability capability;
};

// The first that the pool names and that can do less than `least`. Empty for a pool that names none: nothing is known
// of it.
[[nodiscard]] std::optional<NamedGpu> first_below(ComputeCapability least, const api::GpuPoolSpec& spec);

}  // namespace reprise::controllers::gpupool
