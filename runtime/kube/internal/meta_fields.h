// Reads and writes the metadata of every kind.
#pragma once

#include "runtime/kube/internal/archive.h"
#include "runtime/kube/label_selector.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"
#include "runtime/kube/taint.h"

namespace reprise::kube {

// Found by argument-dependent lookup, hence beside the types.
inline constexpr internal::EnumName<ConditionStatus> kConditionStatusNames[] = {
    {ConditionStatus::True, "True"}, {ConditionStatus::False, "False"}, {ConditionStatus::Unknown, "Unknown"}};
inline constexpr const auto& names_of(ConditionStatus) {
  return kConditionStatusNames;
}

namespace internal {

[[nodiscard]] ObjectMeta read_meta(const Field& object);  // `object`: the whole object
// Everything that is set; a creation time of zero counts as unset.
[[nodiscard]] Json::Value write_meta(const ObjectMeta& meta);
// {"apiVersion", "kind", "metadata"}
[[nodiscard]] Json::Value start_object(const KindInfo& info, const ObjectMeta& meta);
// {"metadata": {"resourceVersion"}, "status"}
[[nodiscard]] Json::Value status_patch(Json::Value status, std::string_view resource_version);

}  // namespace internal
}  // namespace reprise::kube
