// Objects of every built-in kind in Kubernetes' protobuf: decoded or refused with a message, never read beyond the end.
#include <array>

#include "api/kubernetes/core.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/metadata.h"
#include "api/protobuf.h"
#include "tests/fuzz/law.h"

namespace {

namespace api = reprise::api;

template <class T>
void decode(std::string_view bytes) {
  const auto object = api::KindOf<T>::decode_protobuf(bytes);
  if (!object) reprise::fuzz::law(!object.error().message.empty(), "a refusal says why");
}

constexpr std::array decoders{&decode<api::Pod>,     &decode<api::Node>,      &decode<api::PersistentVolumeClaim>,
                              &decode<api::Service>, &decode<api::ConfigMap>, &decode<api::Namespace>,
                              &decode<api::Event>,   &decode<api::Lease>,     &decode<api::Metadata<api::Pod>>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = reprise::fuzz::text_of(data, size);
  for (const auto& decoder : decoders) decoder(bytes);
  if (const auto envelope = api::protobuf::open_envelope(bytes)) {
    for (const auto& decoder : decoders) decoder(envelope->object);
  }
  return 0;
}
