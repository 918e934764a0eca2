// Which labels a machine of a pool has before it runs: Karpenter makes one for a pod only where these meet what the pod
// asks for. What a daemon writes on a running node comes too late. Pure.
#pragma once

#include <string>
#include <vector>

#include "controllers/gpupool/rentable/demand.h"
#include "controllers/gpupool/rentable/misfit.h"

namespace reprise::controllers::rentable {

struct SelectorMisfit {
  Misfit misfit;
  std::string key;
  // No machine of the pool bears the label when it is made. A node that is there may bear it: false is sure.
  bool comes_later = false;
};

// `lists`: as demands_of_template() gives them. Empty where one of the lists can be met. Labels of instance types are
// machines_of()'s matter.
[[nodiscard]] std::vector<SelectorMisfit> selector_misfits(const std::string& pool, const api::GpuPoolSpec& spec,
                                                           const std::vector<Demands>& lists);

}  // namespace reprise::controllers::rentable
