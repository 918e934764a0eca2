// Wires changes of objects to keys of a controller. Call these while building, before the manager starts; controller
// and informer live as long as the manager.
//
// A change from a watch is News; one from a list (at the start, or when the history was lost) is Background, so that a
// change of today does not wait behind ten thousand objects of yesterday. A key is in the queue once however many
// changes name it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/object_key.h"
#include "runtime/cache/informer.h"
#include "runtime/manager/controller.h"
#include "runtime/manager/predicates.h"

namespace reprise::runtime {

// The keys that an object concerns.
template <class T>
using Mapper = std::function<std::vector<ObjectKey>(const T&)>;

// `mapper` is called with the object before and after each change, so that a key which an object has left is woken too.
template <class T>
void watch_mapped(Controller& controller, Informer<T>& informer, Mapper<T> mapper,
                  Predicate<T> predicate = any_change<T>()) {
  informer.on_change([&controller, mapper = std::move(mapper), predicate = std::move(predicate)](
                         const T* before, const T* after, ChangeSource source) {
    const bool stays = before != nullptr && after != nullptr && before->meta.uid == after->meta.uid;
    if (stays && !predicate(*before, *after)) return;
    const Priority priority = source == ChangeSource::Watch ? Priority::News : Priority::Background;
    for (const T* object : {before, after}) {
      if (object == nullptr) continue;
      for (const ObjectKey& key : mapper(*object)) controller.enqueue(key, priority);
    }
  });
}

// The kind that the controller is for: an object wakes its own key.
template <class T>
void watch_primary(Controller& controller, Informer<T>& informer, Predicate<T> predicate = generation_changed<T>()) {
  watch_mapped<T>(
      controller, informer, [](const T& object) { return std::vector{key_of(object)}; }, std::move(predicate));
}

// The `Owner` that an object's controlling owner reference names; none when it is of another kind. The version may be
// another than ours: group and kind identify it.
template <class Owner>
struct OwnerOf {
  [[nodiscard]] std::vector<ObjectKey> operator()(const kube::ObjectMeta& meta) const {
    constexpr kube::KindInfo kind = kube::KindOf<Owner>::info();
    const kube::OwnerReference* const owner = meta.controller();
    if (owner == nullptr || owner->kind != kind.kind) return {};
    const std::size_t slash = owner->api_version.find('/');
    const std::string group = slash == std::string::npos ? std::string() : owner->api_version.substr(0, slash);
    if (group != kind.group) return {};
    return {ObjectKey{kind.namespaced ? std::string(meta.namespace_) : std::string(), owner->name}};
  }
};

// For objects that the controller makes: an object wakes its owner.
template <class Owner, class T>
void watch_owned(Controller& controller, Informer<T>& informer, Predicate<T> predicate = any_change<T>()) {
  watch_mapped<T>(
      controller, informer, [](const T& object) { return OwnerOf<Owner>{}(object.meta); }, std::move(predicate));
}

}  // namespace reprise::runtime
