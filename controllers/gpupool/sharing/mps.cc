#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing mps(const api::Sharing& spec) {
  GpuSharing sharing = slices(spec);
  sharing.unsupported = "write Exclusive or TimeSlicing";
  sharing.isolation = {"Limited", "Limited", "None"};
  return sharing;
}

}  // namespace reprise::controllers::gpupool
