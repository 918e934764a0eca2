// The instance types that the cloud rents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/actors/support/selection.h"
#include "simulator/base/resources.h"

namespace reprise::simulator {

struct InstanceType {
  std::string name;
  Labels labels;       // node.kubernetes.io/instance-type and the provider's, as AWS names them
  Resources capacity;  // without devices
  int gpus = 0;
  std::int64_t micro_usd_per_hour = 0;  // on demand
};

// The GPU machines of controllers/gpupool/providers/catalog.h, each with 4 GiB of memory per CPU and CPUs by the size
// in its name (xlarge 4, 2xlarge 8, ... as EC2 has it), and one type without GPU.
[[nodiscard]] std::vector<InstanceType> instance_types_of_catalog();

}  // namespace reprise::simulator
