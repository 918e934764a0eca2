// resourceVersions of one kind are comparable since Kubernetes 1.35 (KEP-5504): decimal digits without leading zeros,
// up to 128 bits. They are compared as text, never converted to a number.
#pragma once

#include <compare>
#include <string_view>

namespace reprise::runtime {

// An empty version is older than every other.
[[nodiscard]] inline std::strong_ordering compare_resource_versions(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left.compare(right) <=> 0;
}

[[nodiscard]] inline bool at_least(std::string_view version, std::string_view watermark) {
  return compare_resource_versions(version, watermark) >= 0;
}

}  // namespace reprise::runtime
