// Which machines a pool may rent, by the table of EC2's (providers/machine_types.h), and why none. Pure.
//
// Where the table cannot tell (another cloud, a type or a model that it lacks) nothing is claimed: a newer machine may
// be one. spec.instanceTypes with a type that the table lacks is the way out for who knows better.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/rentable/demand.h"
#include "controllers/gpupool/rentable/misfit.h"

namespace reprise::controllers::rentable {

struct Machines {
  std::vector<const gpupool::MachineType*> types;
  bool complete = false;  // the pool rents no others
  // GPUs of each, ascending; nothing: nobody knows.
  std::optional<std::vector<std::int64_t>> sizes = {};
  std::optional<Misfit> misfit = {};  // none can be rented, and why
};

// Those that meet `also` beside all that the pool says.
[[nodiscard]] Machines machines_of(const api::GpuPoolSpec& spec, const Demands& also = {});

// Types that the pool names and that what else it says leaves out, one misfit for each; where others are left.
[[nodiscard]] std::vector<Misfit> types_left_out(const api::GpuPoolSpec& spec);

// Models and types that are written otherwise than Karpenter's labels have them.
struct Misspelt {
  std::string field;  // "spec.gpu.models[0]", "spec.requirements[1].values[0]"
  std::string written, meant;
};
[[nodiscard]] std::vector<Misspelt> misspelt_names(const api::GpuPoolSpec& spec);

}  // namespace reprise::controllers::rentable
