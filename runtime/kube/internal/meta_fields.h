// Fields that several kinds share.
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

template <class A>
void fields(A& a, internal::Ref<A, OwnerReference> v) {
  a("apiVersion", v.api_version);
  a("kind", v.kind);
  a("name", v.name);
  a("uid", v.uid);
  a("controller", v.controller);
  a("blockOwnerDeletion", v.block_owner_deletion);
}

template <class A>
void fields(A& a, internal::Ref<A, Condition> v) {
  a("type", v.type);
  a("status", v.status);
  a("observedGeneration", v.observed_generation);
  a("lastTransitionTime", v.last_transition_time);
  a.always("reason", v.reason);
  a.always("message", v.message);
}

template <class A>
void fields(A& a, internal::Ref<A, PodCondition> v) {
  a("type", v.type);
  a("status", v.status);
  a("reason", v.reason);
  a("message", v.message);
}

template <class A>
void fields(A& a, internal::Ref<A, LabelSelectorRequirement> v) {
  a("key", v.key);
  a("operator", v.op);
  a("values", v.values);
}

template <class A>
void fields(A& a, internal::Ref<A, LabelSelector> v) {
  a("matchLabels", v.match_labels);
  a("matchExpressions", v.match_expressions);
}

template <class A>
void fields(A& a, internal::Ref<A, Taint> v) {
  a("key", v.key);
  a("value", v.value);
  a("effect", v.effect);
}

namespace internal {

[[nodiscard]] ObjectMeta read_meta(const Field& object);  // of the whole object
// Everything that is set; a creation time of zero counts as unset.
[[nodiscard]] Json::Value write_meta(const ObjectMeta& meta);
// {"apiVersion", "kind", "metadata"}
[[nodiscard]] Json::Value start_object(const KindInfo& info, const ObjectMeta& meta);
// {"metadata": {"resourceVersion"}, "status"}
[[nodiscard]] Json::Value status_patch(Json::Value status, std::string_view resource_version);

}  // namespace internal
}  // namespace reprise::kube
