// Names an object in a log line as controller-runtime does: its kind is the key, "namespace/name" the value.
#pragma once

#include <string>

#include "runtime/base/log.h"
#include "runtime/base/object_key.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

// logger.info("Made a copy", {about(copy), uid_of(copy)}): ... ConfigMap=default/a-copy uid=7c0e...
template <class T>
[[nodiscard]] LogField about(const T& object) {
  return {kube::KindOf<T>::info().kind, to_string(key_of(object))};
}
template <class T>
[[nodiscard]] LogField uid_of(const T& object) {
  return {"uid", object.meta.uid};
}

}  // namespace reprise::runtime
