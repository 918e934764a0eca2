// Requests of a cache to the API server, behind the outputs of the watch machine.
#pragma once

#include <string>

#include "runtime/cache/watch/watch_machine.h"
#include "runtime/http/transport.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

struct WatchTarget {
  kube::KindInfo kind;
  std::string namespace_;  // empty: all
  std::string label_selector, field_selector;
  Encoding encoding = Encoding::Json;  // to ask for; Protobuf only for kinds that can be read in both
  bool metadata_only = false;          // PartialObjectMetadata instead of whole objects
  bool optional = false;               // see WatchMachine
};

// Accepts JSON beside protobuf: a server that has no protobuf answers in JSON at once.
[[nodiscard]] Request watch_request(const WatchTarget& target, const OpenWatch& open);
[[nodiscard]] Request page_request(const WatchTarget& target, const FetchPage& page);

}  // namespace reprise::runtime
