// The label keys by which a cloud's Karpenter provider describes GPUs. Chosen by nodeClassRef.group.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::controllers::gpupool {

struct ProviderKeys {
  std::string gpu_name, gpu_count, gpu_memory;  // gpu_memory empty: the provider has no such label
  bool count_is_on_types = true;  // the count is a label of the instance type, so that a NodeOverlay can match on it
  bool types_are_in_catalogue = false;  // catalog.h names its instance types
};

// Empty for a group that is not known.
[[nodiscard]] std::optional<ProviderKeys> provider_keys(std::string_view node_class_group);

}  // namespace reprise::controllers::gpupool
