#include "controllers/common/kept_ready.h"

namespace reprise::controllers {

bool is_warm(const kube::Pod& pod) {
  const kube::OwnerReference* owner = pod.meta.controller();
  return !pod.meta.label(kWarmLabel).empty() && owner != nullptr && owner->kind == "GpuPool";
}

}  // namespace reprise::controllers
