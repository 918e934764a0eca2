// Writes an object's status, once, and only when it says something new: a status that is written at every reconcile
// wakes its own controller for ever.
#pragma once

#include <utility>

#include "runtime/manager/reconciler.h"

namespace reprise::runtime {

enum class StatusWrite {
  Unchanged,  // the object says so already: nothing was sent
  Written,
  Gone,  // the object is gone: there is nobody to tell
};

// Compares decoded values, not texts: `T::status` needs operator==. Compute the wanted status from the object's own,
// with observedGeneration = meta.generation and conditions through kube::ConditionSetter, which keeps
// lastTransitionTime, so that an equal status is equal. `encode_status_patch(status, resource_version)` is found beside
// the status type; it gives a merge patch {"metadata": {"resourceVersion": …}, "status": …}. The resourceVersion makes
// it a Conflict when the object has changed meanwhile: a decision from an older view is not written over a newer one.
template <class T>
[[nodiscard]] Result<StatusWrite> write_status_if_changed(ReconcileContext& context, const T& object,
                                                          const decltype(T::status)& wanted) {
  if (wanted == object.status) return StatusWrite::Unchanged;
  auto written = context.patch<T>(object.meta.namespace_, object.meta.name, PatchType::Merge,
                                  encode_status_patch(wanted, object.meta.resource_version), "status");
  if (written) return StatusWrite::Written;
  if (written.error().error_class == ErrorClass::NotFound) return StatusWrite::Gone;
  return std::unexpected(std::move(written).error().with_context(
      "write status of " + std::string(kube::KindOf<T>::info().kind) + " " + to_string(key_of(object))));
}

}  // namespace reprise::runtime
