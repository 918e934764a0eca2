#include "runtime/kube/metadata.h"

#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::kube {

std::expected<ObjectMeta, DecodeError> decode_metadata(std::string_view json) {
  return internal::decode_with(json, internal::read_meta);
}

std::expected<ObjectMeta, DecodeError> decode_protobuf_metadata(std::string_view bytes) {
  return protobuf::decode<ObjectMeta>(bytes, [](protobuf::Message& object, ObjectMeta& meta) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, meta);
    }
  });
}

}  // namespace reprise::kube
