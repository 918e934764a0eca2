// core/v1's Taint of a Node.
#pragma once

#include "runtime/kube/text.h"

namespace reprise::kube {

struct Taint {
  Text key, value, effect;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.key, self.value, self.effect);
  }
  bool operator==(const Taint&) const = default;
};

}  // namespace reprise::kube
