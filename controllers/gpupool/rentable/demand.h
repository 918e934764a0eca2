// What is demanded of a machine's labels, with the field that demands it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/gpupool/providers/requirements.h"

namespace reprise::controllers::rentable {

struct Demand {
  std::string field;  // "spec.template.spec.nodeSelector"
  api::NodeRequirement requirement;
};
// All of them together; a pod's node affinity has several such lists, of which one is enough.
using Demands = std::vector<Demand>;

// "karpenter.k8s.aws/instance-cpu In [2, 4]", "team Exists"
[[nodiscard]] std::string text_of(const api::NodeRequirement& requirement);

using gpupool::meets;

// Whether some machine may meet both: the values that In allows, where each has In.
[[nodiscard]] bool agree(const api::NodeRequirement& one, const api::NodeRequirement& other);

// It is met by a machine without the label.
[[nodiscard]] bool needs_no_label(const api::NodeRequirement& requirement);

// Of a pod template (its JSON): for each term of its required node affinity the term and the node selector, or the
// selector alone. The pods may run where one of these lists is met.
[[nodiscard]] std::vector<Demands> demands_of_template(std::string_view pod_template);

}  // namespace reprise::controllers::rentable
