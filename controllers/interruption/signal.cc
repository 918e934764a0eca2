#include "controllers/interruption/signal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "controllers/common/gpu_health.h"
#include "controllers/interruption/own_disk.h"
#include "protocol/node_taints.h"

namespace reprise::controllers::interruption {
namespace {

constexpr std::string_view kTerminationTimestamp = "karpenter.sh/nodeclaim-termination-timestamp";

constexpr std::string_view kClusterAutoscalerTaint = "ToBeDeletedByClusterAutoscaler";
// The end of the year 9999, the last that can be written.
constexpr std::int64_t kLastSecond = 253'402'300'799;

// The meaning of a taint's value: when the machine goes, or when it was recommended to leave it.
enum class Told { Nothing, End, Beginning };

struct TaintMeaning {
  std::string_view key;
  Strength strength;
  std::string_view reason;
  Told told = Told::Nothing;  // by its value: seconds since 1970
};

// Taints that node termination handlers, Karpenter, the cluster autoscaler and our own node agent put on a node.
constexpr std::array kTaints{
    TaintMeaning{"aws-node-termination-handler/spot-itn", Strength::Notice, "SpotInterrupted"},
    TaintMeaning{"aws-node-termination-handler/scheduled-maintenance", Strength::Notice, "ScheduledMaintenance"},
    TaintMeaning{"aws-node-termination-handler/asg-lifecycle-termination", Strength::Notice, "InstanceTerminating"},
    TaintMeaning{"karpenter.sh/disrupted", Strength::Notice, "Disrupted"},
    TaintMeaning{kClusterAutoscalerTaint, Strength::Notice, "ToBeDeletedByClusterAutoscaler"},
    TaintMeaning{"cloud.google.com/impending-node-termination", Strength::Notice, "NodeShutdown"},
    TaintMeaning{"node.cloudprovider.kubernetes.io/shutdown", Strength::Notice, "NodeShutdown"},
    TaintMeaning{"node.kubernetes.io/out-of-service", Strength::Notice, "OutOfService"},
    TaintMeaning{protocol::kSpotInterruptionTaint, Strength::Notice, "SpotInterrupted", Told::End},
    TaintMeaning{protocol::kInstanceTerminationTaint, Strength::Notice, "InstanceTerminating", Told::End},
    TaintMeaning{protocol::kScheduledMaintenanceTaint, Strength::Notice, "ScheduledMaintenance", Told::End},
    TaintMeaning{"aws-node-termination-handler/rebalance-recommendation", Strength::Hint,
                 "SpotRebalanceRecommendation"},
    TaintMeaning{protocol::kRebalanceTaint, Strength::Hint, "SpotRebalanceRecommendation", Told::Beginning},
};

constexpr std::array<std::string_view, 12> kNoticeEvents{
    "SpotInterrupted",      "TerminatingOnInterruption",
    "SpotInterruption",     "ASGLifecycle",
    "SQSTermination",       "InstanceStopping",
    "InstanceTerminating",  "InstanceUnhealthy",
    "PreemptScheduled",     "ScheduledEvent",
    "ScheduledMaintenance", "CapacityReservationInstanceInterrupted"};
constexpr std::array<std::string_view, 2> kRebalanceEvents{"SpotRebalanceRecommendation", "RebalanceRecommendation"};

bool contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The reporters of such things: Karpenter, AWS's node termination handler, our own node agent. An Event bears whatever
// name its writer gives it, so this keeps out mistakes, and a person who may write Events in that namespace has to
// forge one.
constexpr std::array<std::string_view, 3> kReporters{"karpenter", "aws-node-termination-handler", "reprise-node-agent"};
// Monitors of the node problem detector, as clouds run them, are called custom-<what>-plugin-monitor.
constexpr std::string_view kNodeProblemMonitor = "-plugin-monitor";
// Events about objects without a namespace stand there.
constexpr std::string_view kEventNamespace = "default";

bool is_known_reporter(const kube::Event& event) {
  const std::string_view source = event.source;
  return event.meta.namespace_ == kEventNamespace &&
         (contains(kReporters, source) || source.ends_with(kNodeProblemMonitor));
}

// An Event counts only when somebody known says it of this very machine: by its uid, and not older.
bool is_about(const kube::Event& event, const Surroundings& seen) {
  if (!is_known_reporter(event)) return false;
  const kube::ObjectMeta* meta = nullptr;
  if (event.involved_kind == "Node" && seen.node != nullptr) meta = &seen.node->meta;
  if (event.involved_kind == "NodeClaim" && seen.node_claim != nullptr) meta = &seen.node_claim->meta;
  if (meta == nullptr || event.involved_name != meta->name) return false;
  // Karpenter and the kubelet put a Node's name where its uid belongs.
  const bool uid_matches = event.involved_uid == meta->uid || event.involved_uid == meta->name;
  return uid_matches && event.last_timestamp >= meta->creation_timestamp;
}

// The reason that the hardware's monitors or an Event tell, which is better than that of a taint or a deletion.
std::optional<std::string> better_reason(const Surroundings& seen) {
  if (seen.node != nullptr && gpu_fault(*seen.node, seen.pool)) return std::string(kHardwareFailure);
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

// A pod that was made no earlier has nothing that is worth a save: it begins with what there was. What was said may
// have been withdrawn since, too, which leaves its Event for an hour.
bool has_nothing_new(const kube::Pod* pod, const std::optional<kube::Time>& said) {
  return pod != nullptr && said && pod->meta.creation_timestamp >= *said;
}

const api::RolledNode* record_of(const api::NodeClaim& claim, const api::GpuPool* pool) {
  if (pool == nullptr) return nullptr;
  const auto& rolled = pool->status.drift.rolled;
  const auto found = std::ranges::find_if(
      rolled, [&](const api::RolledNode& each) { return std::string_view(each.node_claim) == claim.meta.name; });
  return found == rolled.end() ? nullptr : &*found;
}

std::string_view planned_reason(const api::NodeClaim& claim, const api::GpuPool* pool) {
  const api::RolledNode* record = record_of(claim, pool);
  return record != nullptr && record->reason == api::kPreferredCapacity ? api::kPreferredCapacity : kNodeDrifted;
}

// True when the pool has written it down right before it deleted the NodeClaim. A record of one that stayed says
// nothing of a later deletion.
bool is_rolled(const api::NodeClaim& claim, const api::GpuPool* pool) {
  constexpr std::chrono::minutes kRightBefore(5);
  const kube::Time deleted = *claim.meta.deletion_timestamp;
  const api::RolledNode* record = record_of(claim, pool);
  return record != nullptr && record->time > deleted - kRightBefore && record->time < deleted + kRightBefore;
}

// Karpenter's taint may be seen before the deletion that it comes of. Records of nodes that stayed are taken out soon.
bool is_about_to_be_rolled(const Surroundings& seen) {
  return seen.node_claim != nullptr && !seen.node_claim->meta.deletion_timestamp &&
         record_of(*seen.node_claim, seen.pool) != nullptr;
}

std::optional<Signal> node_claim_going(const Surroundings& seen) {
  if (seen.node_claim == nullptr || !seen.node_claim->meta.deletion_timestamp) return std::nullopt;
  if (came_after(seen.pod, seen.node_claim->meta.deletion_timestamp)) return std::nullopt;
  const api::NodeClaim& claim = *seen.node_claim;
  std::string reason = "NodeClaimDeleted";
  const kube::PodCondition* why = claim.condition("DisruptionReason");
  const bool by_karpenter = why != nullptr && !why->reason.empty();
  if (by_karpenter) reason = why->reason;
  const auto better = better_reason(seen);
  const bool is_planned = !by_karpenter && !better && is_rolled(claim, seen.pool);
  if (is_planned) reason = planned_reason(claim, seen.pool);
  if (better) reason = *better;
  return Signal{.strength = Strength::Notice,
                .reason = reason,
                .message = "NodeClaim " + claim.meta.name + " is being deleted",
                .node = seen.node_name,
                .deadline = node_deadline(seen),
                .id = claim.meta.uid,
                .since = claim.meta.deletion_timestamp,
                .is_planned = is_planned};
}

std::optional<kube::Time> time_in(const kube::Taint& taint) {
  const std::string_view text = taint.value;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || seconds <= 0 || seconds > kLastSecond)
    return std::nullopt;
  return kube::Time{std::chrono::seconds(seconds)};
}

// The cluster autoscaler writes when it decided; others write nothing of the kind.
std::optional<kube::Time> tainted_since(const kube::Taint& taint, const Surroundings& seen) {
  if (taint.key != kClusterAutoscalerTaint) return std::nullopt;
  const auto since = time_in(taint);
  return came_after(seen.pod, since) ? std::nullopt : since;
}

// The earlier one of the deadlines that Karpenter and the node agent tell.
std::optional<kube::Time> deadline_of(const TaintMeaning& meaning, const kube::Taint& taint, const Surroundings& seen) {
  const auto of_claim = node_deadline(seen);
  const auto told = meaning.told == Told::End ? time_in(taint) : std::nullopt;
  if (!of_claim || !told) return of_claim ? of_claim : told;
  return std::min(*of_claim, *told);
}

std::optional<Signal> node_tainted(const Surroundings& seen, Strength wanted) {
  if (seen.node == nullptr) return std::nullopt;
  for (const TaintMeaning& meaning : kTaints) {
    const kube::Taint* const taint = seen.node->taint(meaning.key);
    if (meaning.strength != wanted || taint == nullptr) continue;
    if (meaning.told == Told::Beginning && has_nothing_new(seen.pod, time_in(*taint))) continue;
    std::string reason(meaning.reason);
    bool is_planned = false;
    if (meaning.key == "karpenter.sh/disrupted") {
      const auto better = better_reason(seen);
      is_planned = !better && is_about_to_be_rolled(seen);
      reason = better.value_or(is_planned ? std::string(planned_reason(*seen.node_claim, seen.pool)) : reason);
    }
    return Signal{.strength = wanted,
                  .reason = reason,
                  .message = "Node " + seen.node->meta.name + " carries the taint " + std::string(meaning.key),
                  .node = seen.node_name,
                  .deadline = deadline_of(meaning, *taint, seen),
                  .id = std::string(meaning.key) + "/" + seen.node->meta.uid,
                  .since = tainted_since(*taint, seen),
                  .is_planned = is_planned};
  }
  return std::nullopt;
}

std::optional<Signal> node_going(const Surroundings& seen) {
  if (seen.node == nullptr || !seen.node->meta.deletion_timestamp) return std::nullopt;
  if (came_after(seen.pod, seen.node->meta.deletion_timestamp)) return std::nullopt;
  return Signal{.strength = Strength::Notice,
                .reason = better_reason(seen).value_or("NodeDeleted"),
                .message = "Node " + seen.node->meta.name + " is being deleted",
                .node = seen.node_name,
                .deadline = node_deadline(seen),
                .id = seen.node->meta.uid,
                .since = seen.node->meta.deletion_timestamp};
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
  if (says_it_shuts_down(*seen.node)) return notice("NodeShutdown", *seen.node->condition("Ready"));
  return std::nullopt;
}

std::optional<Signal> machine_gone(const Surroundings& seen) {
  if (seen.node_name.empty()) return std::nullopt;
  if (seen.node == nullptr && seen.node_expected) {
    return Signal{Strength::Gone, "NodeLost",   "Node " + seen.node_name + " no longer exists",
                  seen.node_name, std::nullopt, seen.node_name};
  }
  // A NodeClaim that goes alone was taken by force, or with its definition: what runs there runs.
  const bool answers = seen.node != nullptr && seen.node->ready();
  if (seen.node_claim_expected && seen.node_claim == nullptr && !answers) {
    return Signal{Strength::Gone, "NodeLost",   "the NodeClaim of node " + seen.node_name + " no longer exists",
                  seen.node_name, std::nullopt, seen.node_name};
  }
  return std::nullopt;
}

// The time of a deletion is that of the request and the grace, also after a second request with a shorter one.
std::optional<kube::Time> deletion_requested(const kube::ObjectMeta& meta) {
  if (!meta.deletion_timestamp || !meta.deletion_grace_period_seconds) return std::nullopt;
  return *meta.deletion_timestamp - kube::bounded_seconds(*meta.deletion_grace_period_seconds);
}

std::optional<Signal> pod_going(const Surroundings& seen) {
  if (!seen.pod_expected) return std::nullopt;
  if (seen.pod == nullptr) {
    return Signal{Strength::Gone, "PodDeleted", "the pod was removed before its own end", {}, std::nullopt, {}};
  }
  const kube::Pod& pod = *seen.pod;
  const kube::PodCondition* target = pod.condition("DisruptionTarget");
  const bool targeted = target != nullptr && target->status == "True";
  const bool shut_down = pod.phase == kube::PodPhase::Failed && !overfilled_its_own_disk(pod) &&
                         (pod.reason == "Terminated" || pod.reason == "NodeShutdown" || pod.reason == "NodeLost" ||
                          pod.reason == kEvicted);
  if (!pod.meta.deletion_timestamp && !targeted && !shut_down) return std::nullopt;
  std::string reason = "PodDeleted";
  if (shut_down) reason = pod.reason == "Terminated" ? "TerminationByKubelet" : pod.reason;
  if (targeted && !target->reason.empty()) reason = target->reason;
  const char* what = " is about to be deleted";  // its deleter marks the pod first
  if (shut_down) what = " was ended by its node";
  if (pod.meta.deletion_timestamp) what = " is being deleted";
  return Signal{.strength = Strength::Notice,
                .reason = reason,
                .message = "pod " + pod.meta.name + what,
                .node = {},
                .deadline = pod.meta.deletion_timestamp,
                .id = pod.meta.uid,
                .since = shut_down ? std::nullopt : deletion_requested(pod.meta)};  // its deletion came after its end
}

std::optional<Signal> event_alone(const Surroundings& seen) {
  const kube::Event* newest = nullptr;  // an earlier one has been acted on
  for (const auto& event : seen.events) {
    const bool known = contains(kNoticeEvents, event->reason) || contains(kRebalanceEvents, event->reason);
    if (!known || !is_about(*event, seen)) continue;
    if (has_nothing_new(seen.pod, std::max(event->last_timestamp, event->meta.creation_timestamp))) continue;
    const auto order = [](const kube::Event& each) { return std::pair(each.meta.creation_timestamp, each.meta.uid); };
    if (newest == nullptr || order(*newest) < order(*event)) newest = event.get();
  }
  if (newest == nullptr) return std::nullopt;
  return Signal{.strength = Strength::Hint,
                .reason = newest->reason,
                .message = newest->involved_kind + " " + newest->involved_name + " had the Event " + newest->reason,
                .node = seen.node_name,
                .deadline = std::nullopt,
                .id = newest->meta.uid,
                .is_event_alone = true};
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

bool says_it_shuts_down(const kube::Node& node) {
  const kube::PodCondition* ready = node.condition("Ready");
  return ready != nullptr && ready->status == "False" &&
         ready->message.find("node is shutting down") != std::string::npos;
}

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
