// The two encodings in which the API server sends objects.
#pragma once

#include <string_view>

namespace reprise::runtime {

enum class Encoding {
  Protobuf,  // built-in kinds: a quarter of the API server's CPU, fewer bytes
  Json,      // every kind; custom resources have no other
};

// One object as it arrived; a view.
struct EncodedObject {
  std::string_view bytes;  // JSON, or the protobuf message without its envelope
  Encoding encoding = Encoding::Json;
};

}  // namespace reprise::runtime
