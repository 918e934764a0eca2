// The fields that a pod template must leave to the operator: on which nodes its pods may run at all, the words between
// operator and agent, and when a trainer is started again.
#pragma once

#include "runtime/kube/internal/reader.h"
#include "runtime/kube/list.h"
#include "runtime/kube/text.h"

namespace reprise::api::internal {

// `spec`: the pod template's. Returns paths below spec.template, such as "spec.nodeSelector[reprise.dev/pool]".
[[nodiscard]] kube::List<kube::Text> reserved_fields(const kube::internal::Field& spec);

}  // namespace reprise::api::internal
