#include "controllers/gpupool/sharing/compute_capability.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/sharing/gpu_model_name.h"

namespace reprise::controllers::gpupool {
namespace {

// Below 7.5: Kepler, Maxwell, Pascal, Volta, as clouds have rented them.
constexpr std::array kOld{
    std::pair{std::string_view("k80"), ComputeCapability{3, 7}},
    std::pair{std::string_view("m60"), ComputeCapability{5, 2}},
    std::pair{std::string_view("m40"), ComputeCapability{5, 2}},
    std::pair{std::string_view("p100"), ComputeCapability{6, 0}},
    std::pair{std::string_view("p4"), ComputeCapability{6, 1}},
    std::pair{std::string_view("p40"), ComputeCapability{6, 1}},
    std::pair{std::string_view("v100"), ComputeCapability{7, 0}},
    std::pair{std::string_view("v100s"), ComputeCapability{7, 0}},
};

}  // namespace

std::optional<ComputeCapability> old_capability(std::string_view model) {
  const auto found = std::ranges::find_if(kOld, [&](const auto& each) { return names_model(model, each.first); });
  return found == kOld.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NamedGpu> first_below(ComputeCapability least, const api::GpuPoolSpec& spec) {
  for (const std::string& model : spec.gpu.models) {
    const auto capability = old_capability(model);
    if (capability && *capability < least) return NamedGpu{"spec.gpu.models", model, *capability};
  }
  for (const std::string& name : spec.instance_types) {
    const InstanceType* type = find_instance_type(name);
    if (type == nullptr || !admits(spec, *type)) continue;
    const auto capability = old_capability(type->gpu_model);
    if (capability && *capability < least) return NamedGpu{"spec.instanceTypes", name, *capability};
  }
  return std::nullopt;
}

}  // namespace reprise::controllers::gpupool
