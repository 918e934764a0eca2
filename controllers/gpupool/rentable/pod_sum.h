// How much of something a pod asks for in all, as the scheduler counts. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "api/resumable_job.h"

namespace reprise::controllers::rentable {

class PodSum {
 public:
  explicit PodSum(const api::PodTemplate& pod);
  // Containers and sidecars together, or an init container beside the sidecars that are listed before it: whichever is
  // more.
  using Amount = std::function<std::int64_t(const api::TemplateContainer&)>;
  [[nodiscard]] std::int64_t of(const Amount& amount) const;

 private:
  const api::PodTemplate& pod_;
  std::vector<bool> is_sidecar_;  // of the init containers
};

}  // namespace reprise::controllers::rentable
