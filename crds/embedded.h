// The project's CustomResourceDefinitions as YAML, inside the binary: the embedded cluster serves them.
#pragma once

#include <string_view>
#include <vector>

namespace reprise::crds {

[[nodiscard]] std::string_view gpu_pools();
[[nodiscard]] std::string_view resumable_jobs();
[[nodiscard]] std::vector<std::string_view> all();

}  // namespace reprise::crds
