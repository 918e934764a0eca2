// The reference that makes `owner` the controller of another object: the garbage collector removes that when the owner
// goes, and watch_owned() leads from it to the owner. An owner with a namespace owns in that namespace only.
#pragma once

#include <string>

#include "runtime/kube/meta.h"

namespace reprise::kube {

template <class T>
[[nodiscard]] OwnerReference owner_reference(const T& owner) {
  constexpr KindInfo kind = KindOf<T>::info();
  return {.api_version = kind.api_version(),
          .kind = std::string(kind.kind),
          .name = owner.meta.name,
          .uid = owner.meta.uid,
          .controller = true,
          .block_owner_deletion = true};
}

}  // namespace reprise::kube
