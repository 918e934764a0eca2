// Karpenter's NodePool (karpenter.sh/v1) as far as it is checked here: a definition of our own, read as any other.
#pragma once

#include <string_view>

namespace reprise::apps::lint {

extern const std::string_view kNodePoolDefinition;
// The common part of the patterns of times.
inline constexpr std::string_view kDurationPattern = "([0-9]+(s|m|h))+";

}  // namespace reprise::apps::lint
