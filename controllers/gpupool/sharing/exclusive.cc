#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing exclusive(const api::Sharing& /*spec*/) {
  return {.resource_name = "nvidia.com/gpu",
          .isolation = {"Hardware", "Hardware", "Hardware"},
          .offers_whole_gpus = true,
          .summary = "Exclusive"};
}

}  // namespace reprise::controllers::gpupool
