// The reference that makes `owner` the controller of another object: the garbage collector removes that object when the
// owner goes, and watch_owned() leads from it to the owner. An owner with a namespace owns in that namespace only.
#pragma once

#include <string>

#include "runtime/kube/meta.h"

namespace reprise::kube {

// Yes: an owner that is deleted in the foreground stays until the other object has gone.
enum class BlockOwnerDeletion { No, Yes };

template <class T>
[[nodiscard]] OwnerReference owner_reference(const T& owner, BlockOwnerDeletion block = BlockOwnerDeletion::Yes) {
  constexpr KindInfo kind = KindOf<T>::info();
  return {.api_version = kind.api_version(),
          .kind = std::string(kind.kind),
          .name = owner.meta.name,
          .uid = owner.meta.uid,
          .controller = true,
          .block_owner_deletion = block == BlockOwnerDeletion::Yes};
}

}  // namespace reprise::kube
