#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

BackEnd external() {
  return {.mode = api::SharingMode::External, .share = [](const api::Sharing& spec) -> GpuSharing {
            return {.unsupported =
                        Unsupported{"spec.sharing.mode: found External", "choose Exclusive, TimeSlicing, MPS or MIG"},
                    .resource_name = spec.external_resource_name,
                    .isolation = {"Unknown", "Unknown", "Unknown"},
                    .summary = "External"};
          }};
}

}  // namespace reprise::controllers::gpupool
