#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

BackEnd mps() {
  return {.mode = api::SharingMode::MPS, .share = [](const api::Sharing& spec) -> GpuSharing {
            GpuSharing sharing = slices(spec);
            sharing.unsupported = "write Exclusive or TimeSlicing";
            sharing.isolation = {"Limited", "Limited", "None"};
            return sharing;
          }};
}

}  // namespace reprise::controllers::gpupool
