// Objects of every kind that caches hold, as JSON: decoded or rejected with a message, never more.
#include <array>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "protocol/record.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "tests/fuzz/invariant.h"

namespace {

namespace api = reprise::api;
namespace kube = reprise::kube;

template <class Result>
void decoded_or_rejected(const Result& result) {
  if (!result) reprise::fuzz::invariant(!result.error().message.empty(), "a rejection says why");
}

template <class T>
void decode(std::string_view json) {
  decoded_or_rejected(kube::KindOf<T>::decode(json));
}

constexpr std::array decoders{
    &decode<kube::Pod>,        &decode<kube::Node>,       &decode<kube::PersistentVolumeClaim>,
    &decode<kube::Service>,    &decode<kube::ConfigMap>,  &decode<kube::Namespace>,
    &decode<kube::Event>,      &decode<kube::Lease>,      &decode<api::NodeClaim>,
    &decode<api::NodePool>,    &decode<api::NodeOverlay>, &decode<api::GpuPool>,
    &decode<api::ResumableJob>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = reprise::fuzz::text_of(data, size);
  for (const auto& decoder : decoders) decoder(text);
  decoded_or_rejected(reprise::protocol::decode_record(text));
  return 0;
}
