// The status that a kubelet writes for a pod that it rejects, whatever the reason (Kubernetes 1.35 and 1.37:
// pkg/kubelet, rejectPod; docs/decisions/attempts/0023-rejected-pods.md).
#include <algorithm>
#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::kube {
namespace {

// Prefix of the message of rejected pods, and of no others: a pod that is evicted, preempted or ended by a shutdown
// while it runs carries some of the same reasons, and another message.
constexpr std::string_view kRejected = "Pod was rejected: ";

}  // namespace

bool Pod::any_container_started() const {
  return std::ranges::any_of(container_statuses,
                             [](const ContainerStatus& status) { return status.state != ContainerStateKind::Waiting; });
}

bool Pod::rejected_by_kubelet() const {
  return phase == PodPhase::Failed && std::string_view(message).starts_with(kRejected) && !any_container_started();
}

}  // namespace reprise::kube
