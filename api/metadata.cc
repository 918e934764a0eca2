#include "api/metadata.h"

#include "api/internal/meta_fields.h"
#include "api/protobuf.h"

namespace reprise::api {

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

}  // namespace reprise::api
