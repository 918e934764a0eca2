#include "controllers/common/gpu_health.h"

#include <array>
#include <string_view>

namespace reprise::controllers {
namespace {

struct Meaning {
  std::string_view condition, bad;  // the status that means a fault
};

constexpr std::array kFaults{
    Meaning{"AcceleratedHardwareReady", "False"},
    Meaning{"SysLogsGPUFallenOff", "True"},
    Meaning{"SysLogsXIDError", "True"},
    Meaning{"SysLogsSXIDError", "True"},
    Meaning{"NVSwitchFatalError", "True"},
    Meaning{"GpuMemWatch", "True"},
    Meaning{"GpuNvlinkWatch", "True"},
    Meaning{"GpuPcieWatch", "True"},
    Meaning{"GpuSmWatch", "True"},
    Meaning{"GpuMcuWatch", "True"},
    Meaning{"GpuInforomWatch", "True"},
    Meaning{"GpuDriverWatch", "True"},
    Meaning{"GPUMissing", "True"},
};

}  // namespace

std::optional<GpuFault> gpu_fault(const kube::Node& node) {
  for (const Meaning& meaning : kFaults) {
    const kube::PodCondition* found = node.condition(meaning.condition);
    if (found == nullptr || found->status != meaning.bad) continue;
    return GpuFault{.what = "Node " + std::string(node.meta.name) + " says " + std::string(meaning.condition) + "=" +
                            std::string(meaning.bad) + " (" + std::string(found->reason) + ")",
                    .detail = std::string(found->message)};
  }
  return std::nullopt;
}

std::optional<GpuFault> gpu_fault(const kube::Node& node, const api::GpuPool* pool) {
  if (pool != nullptr && pool->spec.health_policy == api::HealthPolicy::Ignore) return std::nullopt;
  return gpu_fault(node);
}

}  // namespace reprise::controllers
