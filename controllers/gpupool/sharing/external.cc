#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing external(const api::Sharing& spec) {
  return {.unsupported = "write Exclusive or TimeSlicing",
          .resource_name = spec.external_resource_name,
          .isolation = {"Unknown", "Unknown", "Unknown"},
          .summary = "External"};
}

}  // namespace reprise::controllers::gpupool
