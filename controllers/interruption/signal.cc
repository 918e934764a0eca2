#include "controllers/interruption/signal.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace reprise::controllers::interruption {
namespace {

constexpr std::string_view kTerminationTimestamp = "karpenter.sh/nodeclaim-termination-timestamp";

struct TaintMeaning {
  std::string_view key;
  Strength strength;
  std::string_view reason;
};

// Taints that node termination handlers, Karpenter and the cluster autoscaler put on a node.
constexpr std::array kTaints{
    TaintMeaning{"aws-node-termination-handler/spot-itn", Strength::Notice, "SpotInterrupted"},
    TaintMeaning{"aws-node-termination-handler/scheduled-maintenance", Strength::Notice, "ScheduledMaintenance"},
    TaintMeaning{"aws-node-termination-handler/asg-lifecycle-termination", Strength::Notice, "InstanceTerminating"},
    TaintMeaning{"karpenter.sh/disrupted", Strength::Notice, "Disrupted"},
    TaintMeaning{"ToBeDeletedByClusterAutoscaler", Strength::Notice, "ToBeDeletedByClusterAutoscaler"},
    TaintMeaning{"node.kubernetes.io/out-of-service", Strength::Notice, "OutOfService"},
    TaintMeaning{"aws-node-termination-handler/rebalance-recommendation", Strength::Hint,
                 "SpotRebalanceRecommendation"},
};

constexpr std::array<std::string_view, 9> kNoticeEvents{"SpotInterrupted",
                                                        "TerminatingOnInterruption",
                                                        "SpotInterruption",
                                                        "InstanceStopping",
                                                        "InstanceTerminating",
                                                        "InstanceUnhealthy",
                                                        "PreemptScheduled",
                                                        "ScheduledEvent",
                                                        "CapacityReservationInstanceInterrupted"};
constexpr std::array<std::string_view, 2> kRebalanceEvents{"SpotRebalanceRecommendation", "RebalanceRecommendation"};

bool contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// An Event counts only when it is about this very machine: same uid where the Event carries one, and not older.
bool is_about(const kube::Event& event, const Surroundings& seen) {
  const kube::ObjectMeta* meta = nullptr;
  if (event.involved_kind == "Node" && seen.node != nullptr) meta = &seen.node->meta;
  if (event.involved_kind == "NodeClaim" && seen.node_claim != nullptr) meta = &seen.node_claim->meta;
  if (meta == nullptr || event.involved_name != meta->name) return false;
  // Karpenter and the kubelet put a Node's name where its uid belongs.
  const bool uid_matches =
      event.involved_uid.empty() || event.involved_uid == meta->uid || event.involved_uid == meta->name;
  return uid_matches && event.last_timestamp >= meta->creation_timestamp;
}

// The reason an Event gives for what taint, condition or deletion have already said.
std::optional<std::string> reason_by_event(const Surroundings& seen) {
  for (const auto& event : seen.events) {
    if (contains(kNoticeEvents, event->reason) && event->reason != "TerminatingOnInterruption" &&
        is_about(*event, seen)) {
      return event->reason == "SpotInterruption" ? "SpotInterrupted" : event->reason;
    }
  }
  return std::nullopt;
}

std::optional<kube::Time> node_deadline(const Surroundings& seen) {
  if (seen.node_claim != nullptr) {
    if (const auto at = kube::parse_time(seen.node_claim->meta.annotation(kTerminationTimestamp))) return at;
    if (seen.node_claim->meta.deletion_timestamp && seen.notice_seconds) {
      return *seen.node_claim->meta.deletion_timestamp + kube::bounded_seconds(*seen.notice_seconds);
    }
  }
  return std::nullopt;
}

// A node that is marked and not tainted still takes pods, for as long as Karpenter is away. To a pod that came after
// the mark it is no news: each attempt would be interrupted as soon as it is bound, and the next one bound there again.
// What comes of the mark is said by the taint. Both times are the API server's.
bool came_after(const kube::Pod* pod, const std::optional<kube::Time>& mark) {
  return pod != nullptr && mark && pod->meta.creation_timestamp > *mark;
}

std::optional<Signal> node_claim_going(const Surroundings& seen) {
  if (seen.node_claim == nullptr || !seen.node_claim->meta.deletion_timestamp) return std::nullopt;
  if (came_after(seen.pod, seen.node_claim->meta.deletion_timestamp)) return std::nullopt;
  const api::NodeClaim& claim = *seen.node_claim;
  std::string reason = "NodeClaimDeleted";
  if (const kube::PodCondition* why = claim.condition("DisruptionReason"); why != nullptr && !why->reason.empty()) {
    reason = why->reason;
  }
  if (const auto better = reason_by_event(seen)) reason = *better;
  return Signal{
      Strength::Notice,    reason,        "NodeClaim " + claim.meta.name + " is being deleted", seen.node_name,
      node_deadline(seen), claim.meta.uid};
}

std::optional<Signal> node_tainted(const Surroundings& seen, Strength wanted) {
  if (seen.node == nullptr) return std::nullopt;
  for (const TaintMeaning& meaning : kTaints) {
    if (meaning.strength != wanted || seen.node->taint(meaning.key) == nullptr) continue;
    std::string reason(meaning.reason);
    if (meaning.key == "karpenter.sh/disrupted") reason = reason_by_event(seen).value_or(reason);
    return Signal{wanted,
                  reason,
                  "Node " + seen.node->meta.name + " carries the taint " + std::string(meaning.key),
                  seen.node_name,
                  node_deadline(seen),
                  std::string(meaning.key) + "/" + seen.node->meta.uid};
  }
  return std::nullopt;
}

std::optional<Signal> node_going(const Surroundings& seen) {
  if (seen.node == nullptr || !seen.node->meta.deletion_timestamp) return std::nullopt;
  if (came_after(seen.pod, seen.node->meta.deletion_timestamp)) return std::nullopt;
  return Signal{Strength::Notice,
                reason_by_event(seen).value_or("NodeDeleted"),
                "Node " + seen.node->meta.name + " is being deleted",
                seen.node_name,
                node_deadline(seen),
                seen.node->meta.uid};
}

std::optional<Signal> node_condition(const Surroundings& seen) {
  if (seen.node == nullptr) return std::nullopt;
  const auto notice = [&](std::string reason, const kube::PodCondition& condition) {
    return Signal{Strength::Notice,
                  std::move(reason),
                  "Node " + seen.node->meta.name + " says " + condition.type + "=" + condition.status + " (" +
                      condition.message + ")",
                  seen.node_name,
                  node_deadline(seen),
                  condition.type + "/" + seen.node->meta.uid};
  };
  for (const std::string_view type : {"PreemptionScheduled", "VMEventScheduled"}) {
    const kube::PodCondition* condition = seen.node->condition(type);
    if (condition != nullptr && condition->status == "True") return notice(std::string(type), *condition);
  }
  const kube::PodCondition* ready = seen.node->condition("Ready");
  if (ready != nullptr && ready->status == "False" &&
      ready->message.find("node is shutting down") != std::string::npos) {
    return notice("NodeShutdown", *ready);
  }
  return std::nullopt;
}

std::optional<Signal> machine_gone(const Surroundings& seen) {
  if (seen.node_name.empty()) return std::nullopt;
  if (seen.node == nullptr && seen.node_expected) {
    return Signal{Strength::Gone, "NodeLost",   "Node " + seen.node_name + " no longer exists",
                  seen.node_name, std::nullopt, seen.node_name};
  }
  // A NodeClaim that goes alone was taken by force, or with its definition: what runs there runs.
  const kube::PodCondition* ready = seen.node == nullptr ? nullptr : seen.node->condition("Ready");
  const bool answers = ready != nullptr && ready->status == "True";
  if (seen.node_claim_expected && seen.node_claim == nullptr && !answers) {
    return Signal{Strength::Gone, "NodeLost",   "the NodeClaim of node " + seen.node_name + " no longer exists",
                  seen.node_name, std::nullopt, seen.node_name};
  }
  return std::nullopt;
}

std::optional<Signal> pod_going(const Surroundings& seen) {
  if (!seen.pod_expected) return std::nullopt;
  if (seen.pod == nullptr) {
    return Signal{Strength::Gone, "PodDeleted", "the pod was removed before its own end", {}, std::nullopt, {}};
  }
  const kube::Pod& pod = *seen.pod;
  const kube::PodCondition* target = pod.condition("DisruptionTarget");
  const bool targeted = target != nullptr && target->status == "True";
  const bool shut_down =
      pod.phase == kube::PodPhase::Failed && (pod.reason == "Terminated" || pod.reason == "NodeShutdown" ||
                                              pod.reason == "NodeLost" || pod.reason == "Evicted");
  if (!pod.meta.deletion_timestamp && !targeted && !shut_down) return std::nullopt;
  std::string reason = "PodDeleted";
  if (shut_down) reason = pod.reason == "Terminated" ? "TerminationByKubelet" : pod.reason;
  if (targeted && !target->reason.empty()) reason = target->reason;
  const char* what = " is about to be deleted";  // whoever does it marks the pod first
  if (shut_down) what = " was ended by its node";
  if (pod.meta.deletion_timestamp) what = " is being deleted";
  return Signal{Strength::Notice, reason, "pod " + pod.meta.name + what, {}, pod.meta.deletion_timestamp, pod.meta.uid};
}

std::optional<Signal> event_alone(const Surroundings& seen) {
  const kube::Event* newest = nullptr;  // an earlier one has been acted on
  for (const auto& event : seen.events) {
    const bool known = contains(kNoticeEvents, event->reason) || contains(kRebalanceEvents, event->reason);
    if (!known || !is_about(*event, seen)) continue;
    const auto order = [](const kube::Event& each) { return std::pair(each.meta.creation_timestamp, each.meta.uid); };
    if (newest == nullptr || order(*newest) < order(*event)) newest = event.get();
  }
  if (newest == nullptr) return std::nullopt;
  return Signal{Strength::Hint,
                newest->reason,
                newest->involved_kind + " " + newest->involved_name + " had the Event " + newest->reason,
                seen.node_name,
                std::nullopt,
                newest->meta.uid};
}

std::optional<Signal> strongest(const Surroundings& seen) {
  if (auto signal = node_claim_going(seen)) return signal;
  if (auto signal = node_tainted(seen, Strength::Notice)) return signal;
  if (auto signal = node_condition(seen)) return signal;
  if (auto signal = node_going(seen)) return signal;
  if (auto signal = machine_gone(seen)) return signal;
  if (auto signal = pod_going(seen)) return signal;
  if (auto signal = node_tainted(seen, Strength::Hint)) return signal;
  return event_alone(seen);
}

}  // namespace

std::optional<Signal> strongest_signal(const Surroundings& seen) {
  auto signal = strongest(seen);
  const bool of_claim = signal && signal->deadline && !signal->node.empty() && seen.node_claim != nullptr;
  if (of_claim && seen.node_claim->meta.deletion_timestamp) {
    signal->notice =
        std::chrono::duration_cast<std::chrono::seconds>(*signal->deadline - *seen.node_claim->meta.deletion_timestamp);
  }
  return signal;
}

}  // namespace reprise::controllers::interruption
