// The names that providers and people give to GPU models; private to this folder.
#pragma once

#include <string_view>

namespace reprise::controllers::gpupool {

// True when a name, such as "nvidia-tesla-v100", "Tesla-V100-SXM2-16GB" or "NVIDIA RTX-PRO-6000", has `model` in it as
// one of its words, or several in a row. `model` is in lower case.
[[nodiscard]] bool names_model(std::string_view name, std::string_view model);

}  // namespace reprise::controllers::gpupool
