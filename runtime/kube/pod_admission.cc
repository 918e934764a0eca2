// What a kubelet writes of a pod that its admission rejects (Kubernetes 1.35: pkg/kubelet, rejectPod and the admit
// handlers; docs/decisions/0023-a-rejected-pod-never-ran.md).
#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/kube/pod.h"

namespace reprise::kube {
namespace {

// Before the message of whatever the admission rejects, and of nothing else: a pod that is evicted, preempted or ended
// by a shutdown while it runs carries some of the same reasons, and another message.
constexpr std::string_view kRejected = "Pod was rejected: ";
// "OutOfcpu", "OutOfpods", "OutOfnvidia.com/gpu"
constexpr std::string_view kOutOf = "OutOf";

constexpr std::array<std::string_view, 18> kReasons{"UnexpectedAdmissionError",
                                                    "NodeAffinity",
                                                    "NodeName",
                                                    "NodePorts",
                                                    "TaintToleration",
                                                    "TopologyAffinityError",
                                                    "SMTAlignmentError",
                                                    "Evicted",
                                                    "NodeShutdown",
                                                    "SysctlForbidden",
                                                    "AppArmor",
                                                    "PodOSSelectorNodeLabelDoesNotMatch",
                                                    "PodOSNotSupported",
                                                    "SupplementalGroupsPolicyNotSupported",
                                                    "PodLevelResourcesNotSupported",
                                                    "PodFeatureUnsupported",
                                                    "InvalidNodeInfo",
                                                    "UnknownReason"};

bool is_admissions(std::string_view reason) {
  return reason.starts_with(kOutOf) || std::ranges::find(kReasons, reason) != kReasons.end();
}

}  // namespace

bool Pod::any_container_started() const {
  return std::ranges::any_of(container_statuses,
                             [](const ContainerStatus& status) { return status.state != ContainerStateKind::Waiting; });
}

bool Pod::rejected_by_kubelet() const {
  return phase == PodPhase::Failed && std::string_view(message).starts_with(kRejected) && is_admissions(reason) &&
         !any_container_started();
}

}  // namespace reprise::kube
