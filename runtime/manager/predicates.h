// Predicates choose the changes that are worth a reconcile. Objects that come and go always are; a predicate judges the
// change of one that stays (same uid). A list that is taken in again counts like any other change.
#pragma once

#include <functional>
#include <utility>

#include "runtime/kube/meta.h"

namespace reprise::runtime {

// Called on the executor's thread; must not block.
template <class T>
using Predicate = std::function<bool(const T& before, const T& after)>;

// Every change: for objects whose status matters, such as those a controller owns.
template <class T>
[[nodiscard]] Predicate<T> any_change() {
  return [](const T&, const T&) { return true; };
}

// Changes of the spec, or a request to delete: a person's intent. Ignores the status, so that a controller is not woken
// by its own status writes, and labels, annotations and finalizers. Only for kinds whose definition has a status
// subresource (others count up at every change).
template <class T>
[[nodiscard]] Predicate<T> generation_changed() {
  return [](const T& before, const T& after) {
    return before.meta.generation != after.meta.generation ||
           before.meta.deletion_timestamp.has_value() != after.meta.deletion_timestamp.has_value();
  };
}

template <class T>
[[nodiscard]] Predicate<T> labels_changed() {
  return [](const T& before, const T& after) { return before.meta.labels != after.meta.labels; };
}

template <class T>
[[nodiscard]] Predicate<T> annotations_changed() {
  return [](const T& before, const T& after) { return before.meta.annotations != after.meta.annotations; };
}

// Passes when one of the two passes.
template <class T>
[[nodiscard]] Predicate<T> either(Predicate<T> one, Predicate<T> other) {
  return [one = std::move(one), other = std::move(other)](const T& before, const T& after) {
    return one(before, after) || other(before, after);
  };
}

}  // namespace reprise::runtime
