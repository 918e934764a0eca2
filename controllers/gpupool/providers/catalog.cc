#include "controllers/gpupool/providers/catalog.h"

#include <algorithm>
#include <array>

namespace reprise::controllers::gpupool {
namespace {

constexpr std::array kTypes{
    InstanceType{"g4dn.xlarge", "t4", 1, 16384, 526000},
    InstanceType{"g4dn.2xlarge", "t4", 1, 16384, 752000},
    InstanceType{"g4dn.4xlarge", "t4", 1, 16384, 1204000},
    InstanceType{"g4dn.12xlarge", "t4", 4, 16384, 3912000},
    InstanceType{"g5.xlarge", "a10g", 1, 22888, 1006000},
    InstanceType{"g5.2xlarge", "a10g", 1, 22888, 1212000},
    InstanceType{"g5.4xlarge", "a10g", 1, 22888, 1624000},
    InstanceType{"g5.8xlarge", "a10g", 1, 22888, 2448000},
    InstanceType{"g5.12xlarge", "a10g", 4, 22888, 5672000},
    InstanceType{"g5.48xlarge", "a10g", 8, 22888, 16288000},
    InstanceType{"g6.xlarge", "l4", 1, 22888, 804800},
    InstanceType{"g6.4xlarge", "l4", 1, 22888, 1323200},
    InstanceType{"g6.8xlarge", "l4", 1, 22888, 2014400},
    InstanceType{"g6.16xlarge", "l4", 1, 22888, 3396800},
    InstanceType{"g6.12xlarge", "l4", 4, 22888, 4601600},
    InstanceType{"g6.48xlarge", "l4", 8, 22888, 13350400},
    InstanceType{"g6e.xlarge", "l40s", 1, 45776, 1861000},
    InstanceType{"g6e.2xlarge", "l40s", 1, 45776, 2242000},
    InstanceType{"g6e.4xlarge", "l40s", 1, 45776, 3004000},
    InstanceType{"g6e.12xlarge", "l40s", 4, 45776, 10493000},
    InstanceType{"g6e.48xlarge", "l40s", 8, 45776, 30131000},
    InstanceType{"g7e.2xlarge", "rtx-pro-6000", 1, 98304, 3363000},
    InstanceType{"p3.2xlarge", "v100", 1, 16384, 3060000},
    InstanceType{"p4d.24xlarge", "a100", 8, 40960, 21958000},
    InstanceType{"p4de.24xlarge", "a100", 8, 81920, 27447000},
    InstanceType{"p5.4xlarge", "h100", 1, 81920, 6880000},
    InstanceType{"p5.48xlarge", "h100", 8, 81920, 55040000},
    InstanceType{"p5en.48xlarge", "h200", 8, 144384, 63296000},
    InstanceType{"p6-b200.48xlarge", "b200", 8, 183359, 113933000},
};

template <class Range, class Value>
bool empty_or_contains(const Range& range, const Value& value) {
  return range.empty() || std::ranges::find(range, value) != range.end();
}

}  // namespace

std::span<const InstanceType> catalog() {
  return kTypes;
}

const InstanceType* find_instance_type(std::string_view name) {
  const auto found = std::ranges::find_if(kTypes, [&](const InstanceType& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : &*found;
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
