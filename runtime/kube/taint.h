// core/v1's Taint of a Node.
#pragma once

#include "runtime/kube/text.h"

namespace reprise::kube {

struct Taint {
  Text key, value, effect;
  static void fields(auto& self, auto& field) {
    field("key", self.key);
    field("value", self.value);
    field("effect", self.effect);
  }
  bool operator==(const Taint&) const = default;
};

}  // namespace reprise::kube
