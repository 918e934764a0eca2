// Karpenter's annotation by which a pod, a Node or a NodeClaim asks to be left where it is.
#pragma once

#include <string_view>

#include "runtime/kube/meta.h"

namespace reprise::controllers {

inline constexpr std::string_view kDoNotDisruptAnnotation = "karpenter.sh/do-not-disrupt";

// A time in it ("30m") counts as long as it stands: for Karpenter it may be over.
[[nodiscard]] inline bool asks_to_stay(const kube::ObjectMeta& meta) {
  const std::string_view value = meta.annotation(kDoNotDisruptAnnotation);
  return !value.empty() && value != "false";
}

}  // namespace reprise::controllers
