// Objects of every kind that caches hold, as JSON: decoded or refused with a message, never more.
#include <array>

#include "api/agent_protocol.h"
#include "api/gpu_pool.h"
#include "api/kubernetes/core.h"
#include "api/kubernetes/karpenter.h"
#include "api/kubernetes/node.h"
#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"
#include "tests/fuzz/law.h"

namespace {

namespace api = reprise::api;

template <class Result>
void decoded_or_refused(const Result& result) {
  if (!result) reprise::fuzz::law(!result.error().message.empty(), "a refusal says why");
}

template <class T>
void decode(std::string_view json) {
  decoded_or_refused(api::KindOf<T>::decode(json));
}

constexpr std::array decoders{&decode<api::Pod>,         &decode<api::Node>,        &decode<api::PersistentVolumeClaim>,
                              &decode<api::Service>,     &decode<api::ConfigMap>,   &decode<api::Namespace>,
                              &decode<api::Event>,       &decode<api::Lease>,       &decode<api::NodeClaim>,
                              &decode<api::NodePool>,    &decode<api::NodeOverlay>, &decode<api::GpuPool>,
                              &decode<api::ResumableJob>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = reprise::fuzz::text_of(data, size);
  for (const auto& decoder : decoders) decoder(text);
  decoded_or_refused(api::agent_protocol::decode_record(text));
  return 0;
}
