// Finalizers: a name on the object that keeps it from going until something outside the cluster has been cleaned up.
// Objects that the API server's garbage collector cleans up (owner references) need none.
//
// Both changes are JSON patches that test what they change, so that no other controller's finalizer is ever lost: a
// merge patch would replace the whole list. Conflict when the list has changed meanwhile: read again, decide again.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/manager/reconciler.h"

namespace reprise::runtime {

namespace internal {
// JSON patches; empty: nothing to do.
[[nodiscard]] std::string add_finalizer_patch(const kube::ObjectMeta& meta, std::string_view finalizer);
[[nodiscard]] std::string remove_finalizer_patch(const kube::ObjectMeta& meta, std::string_view finalizer);
}  // namespace internal

// True: the object carries the finalizer; things that need cleaning up may now be made. False: the object is being
// deleted and carries none; the API server takes no new finalizers then, so make nothing.
template <class T>
[[nodiscard]] Result<bool> ensure_finalizer(ReconcileContext& context, const T& object, std::string_view finalizer) {
  if (object.meta.has_finalizer(finalizer)) return true;
  if (object.meta.deletion_timestamp) return false;
  auto added = context.patch<T>(object.meta.namespace_, object.meta.name, PatchType::Json,
                                internal::add_finalizer_patch(object.meta, finalizer));
  if (!added) return std::unexpected(std::move(added).error().with_context("add finalizer " + std::string(finalizer)));
  return true;
}

// Call it after the clean-up. An object that is gone, or that does not carry the finalizer, is success.
template <class T>
[[nodiscard]] Result<void> remove_finalizer(ReconcileContext& context, const T& object, std::string_view finalizer) {
  if (!object.meta.has_finalizer(finalizer)) return {};
  auto removed = context.patch<T>(object.meta.namespace_, object.meta.name, PatchType::Json,
                                  internal::remove_finalizer_patch(object.meta, finalizer));
  if (removed || removed.error().error_class == ErrorClass::NotFound) return {};
  return std::unexpected(std::move(removed).error().with_context("remove finalizer " + std::string(finalizer)));
}

// The whole life of an object with something outside the cluster: `apply()` while it lives, after the finalizer is
// there; `cleanup()` once it is being deleted, and when that succeeds the finalizer goes. Cleanup may run more than
// once and must take "gone already" for success. Both return Result<Next>; a cleanup that needs more time returns
// Next::in().
template <class T, class Apply, class Cleanup>
[[nodiscard]] Result<Next> with_finalizer(ReconcileContext& context, const T& object, std::string_view finalizer,
                                          Apply apply, Cleanup cleanup) {
  if (!object.meta.deletion_timestamp) {
    if (auto there = ensure_finalizer(context, object, finalizer); !there) {
      return std::unexpected(std::move(there).error());
    }
    return apply();
  }
  if (!object.meta.has_finalizer(finalizer)) return Next::done();
  Result<Next> cleaned = cleanup();
  if (!cleaned || cleaned->after) return cleaned;
  if (auto removed = remove_finalizer(context, object, finalizer); !removed) {
    return std::unexpected(std::move(removed).error());
  }
  return Next::done();
}

}  // namespace reprise::runtime
