#include "controllers/interruption/own_disk.h"

#include <algorithm>
#include <array>

namespace reprise::controllers::interruption {
namespace {

// Kubernetes 1.35: pkg/kubelet/eviction/helpers.go (podEphemeralStorageMessageFmt, emptyDirMessageFmt,
// containerEphemeralStorageMessageFmt). What evicts under pressure begins with "The node was low on resource".
struct Sentence {
  std::string_view begins, goes_on;
};
constexpr std::array kSentences{
    Sentence{"Pod ephemeral local storage usage exceeds the total limit of containers", ""},
    Sentence{"Usage of EmptyDir volume ", " exceeds the limit"},
    Sentence{"Container ", " exceeded its local ephemeral storage limit"},
};

}  // namespace

bool tells_of_own_limit(std::string_view message) {
  return std::ranges::any_of(kSentences, [&](const Sentence& each) {
    return message.starts_with(each.begins) && message.find(each.goes_on) != std::string_view::npos;
  });
}

bool overfilled_its_own_disk(const kube::Pod& pod) {
  const kube::PodCondition* target = pod.condition("DisruptionTarget");
  if (target != nullptr && target->status == "True") return false;
  return pod.phase == kube::PodPhase::Failed && pod.reason == kEvicted && tells_of_own_limit(pod.message);
}

}  // namespace reprise::controllers::interruption
