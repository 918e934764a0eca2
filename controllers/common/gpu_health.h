// Reads what monitors of GPU hardware say of a node in its conditions. Pure; a condition that is not known kills
// nothing.
//
// The monitors are Amazon EKS' node monitoring agent (AcceleratedHardwareReady), NVIDIA's NVSentinel (Gpu*Watch,
// SysLogs*, NVSwitchFatalError) and Azure's node problem detector (GPUMissing); their own warnings, thermal and power,
// are no faults.
#pragma once

#include <optional>
#include <string>

#include "api/gpu_pool.h"
#include "runtime/kube/node.h"

namespace reprise::controllers {

struct GpuFault {
  std::string what;    // "Node a says GpuMemWatch=True (Reason)": the same for as long as the fault is the same
  std::string detail;  // the monitor's own message; it may change with each write
  [[nodiscard]] std::string sentence() const { return detail.empty() ? what : what + ": " + detail; }
};

// The fault because of which no GPU of the node is to be trained on: the first by the order of the table. Empty: none
// is known.
[[nodiscard]] std::optional<GpuFault> gpu_fault(const kube::Node& node);

// The same for a node of `pool`, or of none (null): empty where spec.health.policy is Ignore.
[[nodiscard]] std::optional<GpuFault> gpu_fault(const kube::Node& node, const api::GpuPool* pool);

}  // namespace reprise::controllers
