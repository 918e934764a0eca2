#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

BackEnd exclusive() {
  return {.mode = api::SharingMode::Exclusive, .share = [](const api::Sharing&) -> GpuSharing {
            return {.resource_name = "nvidia.com/gpu",
                    .isolation = {"Hardware", "Hardware", "Hardware"},
                    .offers_whole_gpus = true,
                    .summary = "Exclusive"};
          }};
}

}  // namespace reprise::controllers::gpupool
