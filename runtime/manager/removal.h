// Deletes an object by its uid, whatever its version: one that is being stopped changes while it is asked to go. (To
// delete only the version that was seen, use ReconcileContext::remove.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "runtime/manager/reconciler.h"

namespace reprise::runtime {

// Success also when it is gone already, or when another object has taken its name since: the one that was meant is
// gone.
template <class T>
[[nodiscard]] Result<void> remove_by_uid(ReconcileContext& context, const std::string& ns, const std::string& name,
                                         const std::string& uid,
                                         std::optional<std::int64_t> grace_period_seconds = {}) {
  T object;
  object.meta.namespace_ = ns;
  object.meta.name = name;
  object.meta.uid = uid;
  auto removed = context.remove(
      object,
      {.grace_period_seconds = grace_period_seconds, .uid = uid, .resource_version = "", .propagation_policy = {}});
  if (removed || removed.error().error_class == ErrorClass::Conflict) return {};
  return std::unexpected(
      std::move(removed).error().with_context("delete " + std::string(kube::KindOf<T>::info().kind) + " " + name));
}

}  // namespace reprise::runtime
