// Messages that several kinds share, read from the wire format.
#pragma once

#include "runtime/kube/pod.h"
#include "runtime/kube/protobuf.h"
#include "runtime/kube/taint.h"

namespace reprise::kube::internal {

// Where core/v1 puts the reason and message of a condition: PodCondition and NodeCondition agree.
[[nodiscard]] PodCondition read_condition(const protobuf::Message& list);
[[nodiscard]] Taint read_taint(const protobuf::Message& list);

}  // namespace reprise::kube::internal
