// The project's own CustomResourceDefinitions, as crds/ has them.
#pragma once

#include <string_view>

namespace reprise::simulator {

[[nodiscard]] std::string_view gpu_pool_crd();
[[nodiscard]] std::string_view resumable_job_crd();

}  // namespace reprise::simulator
