// Fields that GpuPool and Karpenter's kinds share.
#pragma once

#include "api/gpu_pool.h"
#include "runtime/kube/internal/archive.h"

namespace reprise::api {

template <class A>
void fields(A& a, kube::internal::Ref<A, NodeClassRef> v) {
  a("group", v.group);
  a("kind", v.kind);
  a("name", v.name);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, NodeRequirement> v) {
  a("key", v.key);
  a("operator", v.op);
  a("values", v.values);
  a("minValues", v.min_values);
}

}  // namespace reprise::api
