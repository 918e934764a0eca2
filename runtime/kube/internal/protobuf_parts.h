// Messages that several kinds share, read from the wire format.
#pragma once

#include "runtime/kube/pod.h"
#include "runtime/kube/protobuf/protobuf.h"
#include "runtime/kube/taint.h"

namespace reprise::kube::internal {

// Reads a condition's reason and message from where core/v1 puts them: PodCondition and NodeCondition agree.
[[nodiscard]] PodCondition read_condition(const protobuf::Message& list);
[[nodiscard]] Taint read_taint(const protobuf::Message& list);

}  // namespace reprise::kube::internal
