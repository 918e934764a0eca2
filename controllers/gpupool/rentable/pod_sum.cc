#include "controllers/gpupool/rentable/pod_sum.h"

#include <algorithm>

namespace reprise::controllers::rentable {

std::int64_t sum_of_pod(const api::PodTemplate& pod, const Amount& amount) {
  std::int64_t sidecars = 0, at_start = 0, running = 0;
  for (const api::TemplateContainer& each : pod.init_containers) {
    at_start = std::max(at_start, sidecars + amount(each));
    if (each.restarts_always) sidecars += amount(each);
  }
  for (const api::TemplateContainer& each : pod.containers) running += amount(each);
  return std::max(at_start, sidecars + running);
}

}  // namespace reprise::controllers::rentable
