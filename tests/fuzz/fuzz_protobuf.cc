// Objects of every built-in kind in Kubernetes' protobuf: decoded or rejected with a message, never read beyond the
// end.
#include <array>

#include "runtime/kube/core.h"
#include "runtime/kube/metadata.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "runtime/kube/protobuf/protobuf.h"
#include "tests/fuzz/invariant.h"

namespace {

namespace kube = reprise::kube;

template <class T>
void decode(std::string_view bytes) {
  const auto object = kube::KindOf<T>::decode_protobuf(bytes);
  if (!object) reprise::fuzz::invariant(!object.error().message.empty(), "a rejection says why");
}

constexpr std::array decoders{&decode<kube::Pod>,     &decode<kube::Node>,      &decode<kube::PersistentVolumeClaim>,
                              &decode<kube::Service>, &decode<kube::ConfigMap>, &decode<kube::Namespace>,
                              &decode<kube::Event>,   &decode<kube::Lease>,     &decode<kube::Metadata<kube::Pod>>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = reprise::fuzz::text_of(data, size);
  for (const auto& decoder : decoders) decoder(bytes);
  if (const auto envelope = kube::protobuf::open_envelope(bytes)) {
    for (const auto& decoder : decoders) decoder(envelope->object);
  }
  return 0;
}
