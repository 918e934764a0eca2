// Tells which labels of a machine Karpenter knows before it makes it: pods that ask for another one wait, unless the
// NodePool itself has it.
#pragma once

#include <string_view>

namespace reprise::controllers::gpupool {

// By the group of the pool's node class. True, too, where a later version of the provider may know the label.
[[nodiscard]] bool is_known_beforehand(std::string_view node_class_group, std::string_view label);

}  // namespace reprise::controllers::gpupool
