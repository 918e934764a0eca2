// Whether a machine of the table (machine_types.h) meets what is required of its labels. Pure.
#pragma once

#include <string_view>

#include "api/gpu_pool.h"
#include "controllers/gpupool/providers/machine_types.h"

namespace reprise::controllers::gpupool {

// Whether a machine whose label has this value is one. Anything meets an operator that is not known.
[[nodiscard]] bool meets(std::string_view value, const api::NodeRequirement& requirement);
// A label of which the table says nothing is met.
[[nodiscard]] bool meets(const MachineType& type, const api::NodeRequirement& requirement);

// The table tells what the machines of the pool's provider have under this label.
[[nodiscard]] bool is_told(const api::GpuPoolSpec& spec, std::string_view key);
// All of spec.requirements that the table tells of.
[[nodiscard]] bool meets_requirements(const MachineType& type, const api::GpuPoolSpec& spec);

}  // namespace reprise::controllers::gpupool
