// Conditions of a node that call its GPUs broken, and others.
#include "controllers/common/gpu_health.h"

#include <gtest/gtest.h>

namespace reprise::controllers {
namespace {

kube::Node node(std::string type, std::string status) {
  kube::Node node;
  node.meta.name = "gpu-1";
  node.conditions = {
      {.type = std::move(type), .status = std::move(status), .reason = "NvidiaXID79Error", .message = "m"}};
  return node;
}

TEST(GpuFault, is_what_a_monitor_calls_fatal) {
  struct Row {
    const char *condition, *status;
    bool is_fault;
  };
  const Row table[] = {
      {"AcceleratedHardwareReady", "False", true},
      {"AcceleratedHardwareReady", "True", false},
      {"AcceleratedHardwareReady", "Unknown", false},
      {"GpuMemWatch", "True", true},
      {"GpuMemWatch", "False", false},
      {"SysLogsGPUFallenOff", "True", true},
      {"GPUMissing", "True", true},
      {"GpuThermalWatch", "True", false},
      {"GpuPowerWatch", "True", false},
      {"Ready", "False", false},
      {"SomethingNew", "True", false},
  };
  for (const Row& row : table)
    EXPECT_EQ(gpu_fault(node(row.condition, row.status)).has_value(), row.is_fault) << row.condition << row.status;
}

TEST(GpuFault, names_the_node_the_condition_and_its_reason) {
  EXPECT_EQ(gpu_fault(node("GpuMemWatch", "True"))->sentence(),
            "Node gpu-1 says GpuMemWatch=True (NvidiaXID79Error): m");
}

}  // namespace
}  // namespace reprise::controllers
