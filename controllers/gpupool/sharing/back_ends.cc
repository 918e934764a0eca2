#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

std::vector<BackEnd> back_ends() {
  return {exclusive(), time_slicing(), mps(), mig(), external()};
}

}  // namespace reprise::controllers::gpupool
