#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing mig(const api::Sharing& spec) {
  return {.unsupported = "write Exclusive or TimeSlicing",
          .resource_name = spec.mig_devices.empty() ? "" : "nvidia.com/mig-" + spec.mig_devices.front().profile,
          .isolation = {"Hardware", "Hardware", "Hardware"},
          .summary = "MIG"};
}

}  // namespace reprise::controllers::gpupool
