#include "controllers/gpupool/providers/catalog.h"

#include <algorithm>
#include <array>
#include <vector>

#include "controllers/gpupool/providers/machine_types.h"

namespace reprise::controllers::gpupool {
namespace {

struct Price {
  std::string_view type;
  std::int64_t on_demand_micro_usd_per_hour;
};

constexpr std::array kPrices{
    Price{"g4dn.xlarge", 526000},     Price{"g4dn.2xlarge", 752000},        Price{"g4dn.4xlarge", 1204000},
    Price{"g4dn.12xlarge", 3912000},  Price{"g5.xlarge", 1006000},          Price{"g5.2xlarge", 1212000},
    Price{"g5.4xlarge", 1624000},     Price{"g5.8xlarge", 2448000},         Price{"g5.12xlarge", 5672000},
    Price{"g5.48xlarge", 16288000},   Price{"g6.xlarge", 804800},           Price{"g6.4xlarge", 1323200},
    Price{"g6.8xlarge", 2014400},     Price{"g6.16xlarge", 3396800},        Price{"g6.12xlarge", 4601600},
    Price{"g6.48xlarge", 13350400},   Price{"g6e.xlarge", 1861000},         Price{"g6e.2xlarge", 2242000},
    Price{"g6e.4xlarge", 3004000},    Price{"g6e.12xlarge", 10493000},      Price{"g6e.48xlarge", 30131000},
    Price{"g7e.2xlarge", 3363000},    Price{"p3.2xlarge", 3060000},         Price{"p4d.24xlarge", 21958000},
    Price{"p4de.24xlarge", 27447000}, Price{"p5.4xlarge", 6880000},         Price{"p5.48xlarge", 55040000},
    Price{"p5en.48xlarge", 63296000}, Price{"p6-b200.48xlarge", 113933000},
};

template <class Range, class Value>
bool empty_or_contains(const Range& range, const Value& value) {
  return range.empty() || std::ranges::find(range, value) != range.end();
}

}  // namespace

std::span<const InstanceType> catalog() {
  static const std::vector<InstanceType> types = [] {
    std::vector<InstanceType> priced;
    for (const Price& price : kPrices)
      if (const MachineType* machine = find_machine_type(price.type))
        priced.push_back({machine->name, machine->gpu_model, machine->gpus, machine->gpu_memory_mib,
                          price.on_demand_micro_usd_per_hour});
    return priced;
  }();
  return types;
}

const InstanceType* find_instance_type(std::string_view name) {
  const auto types = catalog();
  const auto found = std::ranges::find(types, name, &InstanceType::name);
  return found == types.end() ? nullptr : &*found;
}

std::optional<std::int64_t> on_demand_micro_usd_per_hour(std::string_view name) {
  const InstanceType* known = find_instance_type(name);
  return known == nullptr ? std::nullopt : std::optional(known->on_demand_micro_usd_per_hour);
}

bool admits(const api::GpuPoolSpec& spec, const InstanceType& type) {
  return empty_or_contains(spec.gpu.models, type.gpu_model) && empty_or_contains(spec.gpu.counts_per_node, type.gpus) &&
         empty_or_contains(spec.instance_types, type.name) &&
         type.gpu_memory_mib >= spec.gpu.min_memory_mib.value_or(0);
}

}  // namespace reprise::controllers::gpupool
