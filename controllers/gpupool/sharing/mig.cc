#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

BackEnd mig() {
  return {.mode = api::SharingMode::MIG, .share = [](const api::Sharing& spec) -> GpuSharing {
            const bool named = !spec.mig_devices.empty();
            return {.unsupported = "choose Exclusive, TimeSlicing or MPS",
                    .resource_name = named ? "nvidia.com/mig-" + spec.mig_devices.front().profile : "",
                    .isolation = {"Hardware", "Hardware", "Hardware"},
                    .summary = "MIG"};
          }};
}

}  // namespace reprise::controllers::gpupool
