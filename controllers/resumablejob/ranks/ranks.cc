#include "controllers/resumablejob/ranks/ranks.h"

#include <algorithm>

#include "api/pod_builder.h"

#include "controllers/interruption/own_disk.h"
#include "controllers/resumablejob/ends/ended_time.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/fitting.h"
#include "controllers/resumablejob/ranks/machine_identity.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {

std::string_view trainer_name(const Observation& seen, const Rank& rank) {
  const std::string_view noted = rank.last ? rank.last->meta.annotation(kTrainerAnnotation) : std::string_view();
  if (!noted.empty()) return noted;
  const api::TemplateContainer* trainer = training_container(*seen.job);
  return trainer == nullptr ? std::string_view() : std::string_view(trainer->name);
}

const kube::ContainerStatus* trainer_status(const Observation& seen, const Rank& rank) {
  const std::string_view trainer = trainer_name(seen, rank);
  return trainer.empty() || !rank.last ? nullptr : rank.last->container(trainer);
}

namespace {

std::shared_ptr<const kube::Pod> find_pod(const std::vector<std::shared_ptr<const kube::Pod>>& pods,
                                          const api::RankStatus& memory) {
  const auto found = std::ranges::find_if(pods, [&](const auto& pod) {
    return memory.pod_uid.empty() ? pod->meta.name == memory.pod_name : pod->meta.uid == memory.pod_uid;
  });
  return found == pods.end() ? nullptr : *found;
}

// Karpenter makes the NodeClaim an owner of its Node: so it is known also while claims are not served, or seen late.
void take_claim_from_owner(const kube::Node& node, api::RankStatus& memory) {
  for (const kube::OwnerReference& owner : node.meta.owner_references) {
    if (owner.kind != "NodeClaim" || !std::string_view(owner.api_version).starts_with("karpenter.sh/")) continue;
    memory.node_claim_name = owner.name;
    memory.node_claim_uid = owner.uid;
  }
}

void remember_binding(const Observation& seen, Rank& rank) {
  api::RankStatus& memory = rank.memory;
  const auto scheduled = seen.scheduled.find(memory.pod_name);
  if (rank.last) {
    memory.pod_uid = rank.last->meta.uid;
    if (!rank.last->node_name.empty()) memory.node_name = rank.last->node_name;
  } else if (scheduled != seen.scheduled.end() && memory.node_name.empty()) {
    if (memory.pod_uid.empty()) memory.pod_uid = scheduled->second.pod_uid;
    if (memory.pod_uid == scheduled->second.pod_uid) memory.node_name = scheduled->second.node_name;
  }
  if (memory.node_name.empty()) return;

  // The identity of a machine is taken once: a later machine may come under the same node name.
  if (const auto node = seen.nodes.find(memory.node_name); node != seen.nodes.end()) {
    if (memory.node_uid.empty()) memory.node_uid = node->second->meta.uid;
    if (memory.provider_id.empty() && memory.node_uid == node->second->meta.uid) {
      memory.provider_id = node->second->provider_id;
    }
    // The boot is the one in which the trainer runs: taken when that is seen, followed as long as the pod is there. A
    // machine that restarts starts what it had not started before.
    const bool same_machine = memory.provider_id == node->second->provider_id;
    const bool runs_there = same_machine && rank.pod && rank.pod->any_container_started();
    if (runs_there && !node->second->boot_id.empty()) memory.boot_id = node->second->boot_id;
    const bool known_by_boot = memory.boot_id.empty() ? same_machine : node->second->boot_id == memory.boot_id;
    if (node->second->meta.uid == memory.node_uid || known_by_boot) rank.node = node->second;
  }
  if (memory.node_claim_uid.empty()) {
    if (const auto claim = node_claim_behind(seen, memory)) {
      memory.node_claim_name = claim->meta.name;
      memory.node_claim_uid = claim->meta.uid;
    } else if (const auto node = seen.nodes.find(memory.node_name);
               node != seen.nodes.end() && node->second->meta.uid == memory.node_uid) {
      take_claim_from_owner(*node->second, memory);
      rank.node_claim_unconfirmed = true;
    }
  }
  if (const auto claim = seen.node_claims.find(memory.node_claim_uid); claim != seen.node_claims.end()) {
    rank.node_claim = claim->second;
  }
}

std::optional<std::int64_t> notice_seconds(const Observation& seen, const Rank& rank) {
  if (!seen.pool || !rank.node) return std::nullopt;
  const std::string_view label = rank.node->meta.label("karpenter.sh/capacity-type");
  for (const api::PoolCapacity& capacity : seen.pool->spec.capacity) {
    const bool same = (capacity.type == api::CapacityType::Spot && label == "spot") ||
                      (capacity.type == api::CapacityType::OnDemand && label == "on-demand") ||
                      (capacity.type == api::CapacityType::Reserved && label == "reserved");
    if (same && capacity.notice_seconds) return *capacity.notice_seconds;
  }
  return std::nullopt;
}

std::optional<interruption::Signal> signal_for(const Observation& seen, const Rank& rank) {
  interruption::Surroundings around;
  around.pod = rank.pod.get();
  around.pod_expected = !rank.memory.pod_uid.empty();
  around.node_name = rank.memory.node_name;
  around.node = rank.node.get();
  around.node_expected = !rank.memory.node_uid.empty();
  around.node_claim = rank.node_claim.get();
  around.node_claim_expected =
      !rank.memory.node_claim_uid.empty() && seen.node_claims_served && !rank.node_claim_unconfirmed;
  around.events = seen.events;
  around.pool = seen.pool.get();
  around.notice_seconds = notice_seconds(seen, rank);
  auto signal = interruption::strongest_signal(around);
  if (signal) signal->reason = fitting_reason(std::move(signal->reason));
  return signal;
}

// True when a stop was to be seen: by the operator, or by what takes the pod or its node away.
bool stop_was_visible(const Observation& seen, const Rank& rank) {
  const bool ending = seen.job->status.attempt_end && seen.job->status.attempt_end->attempt == seen.job->status.attempt;
  const bool noticed = rank.signal && rank.signal->strength != interruption::Strength::Hint;
  return ending || noticed || (rank.last && rank.last->meta.deletion_timestamp);
}

bool stop_was_requested(const Observation& seen, const Rank& rank) {
  return stop_was_visible(seen, rank) || (rank.record && rank.record->stop_requested);
}

bool has_checkpoint_request(const Rank& rank) {
  return rank.last && !rank.last->meta.annotation(protocol::kCheckpointRequestAnnotation).empty();
}

// Only the record says whether a request came before a 0: where it cannot be read, the pod says that there was one.
bool request_without_record(const Rank& rank) {
  return !rank.record && has_checkpoint_request(rank);
}

// An older agent says of a 0 only that there was a request or a stop: one of the operator's own requests explains it.
bool was_mere_request(const Rank& rank, const protocol::Record& record) {
  return record.request_only.value_or(record.exit_code == 0 && has_checkpoint_request(rank));
}

// The kubelet ends a container whose liveness or startup probe or postStart hook fails, and the agent takes that for a
// stop like any other. The pod stays: it is not taken away, and its trainer has failed.
bool ended_by_kubelet(const Observation& seen, const Rank& rank) {
  const std::string_view trainer = trainer_name(seen, rank);
  const auto& containers = seen.job->spec.pod_template.containers;
  const bool may = std::ranges::any_of(
      containers, [&](const api::TemplateContainer& each) { return each.kubelet_may_end && each.name == trainer; });
  const bool stopped = rank.record && rank.record->stop_requested && !was_mere_request(rank, *rank.record);
  return may && stopped && !stop_was_visible(seen, rank);
}

RankState state_of_exit(const Observation& seen, const Rank& rank, std::int32_t exit_code) {
  if (rank.record) {
    const bool not_started = exit_code == protocol::kCheckpointLostExitCode || exit_code == protocol::kFencedExitCode ||
                             exit_code == protocol::kCheckpointedExitCode;
    if (not_started && !rank.record->reason.empty()) return RankState::Refused;
    if (exit_code == protocol::kHungExitCode && rank.record->reason == protocol::kReasonHung) return RankState::Hung;
  }
  if (rank.ended_by_kubelet || rank.overfilled_disk) return RankState::Failed;
  const bool stopped = stop_was_requested(seen, rank);
  if (exit_code == 0) return stopped || request_without_record(rank) ? RankState::Stopped : RankState::Succeeded;
  if (exit_code == protocol::kCheckpointedExitCode) {
    return stopped ? RankState::Stopped : RankState::Checkpointed;
  }
  if ((exit_code == 143 || exit_code == 137) && stopped) return RankState::Stopped;
  return RankState::Failed;
}

constexpr std::string_view kLostByRuntime = "Unknown";

// The kubelet found the container gone and cannot say how it ended: a machine that lost power, a runtime that lost its
// state. containerd says Unknown with 255, the kubelet itself ContainerStatusUnknown with 137 (also of a container that
// never ran); neither is an exit code of the trainer's.
bool end_is_unknown(const Rank& rank, const kube::ContainerStatus& trainer) {
  return !rank.record && (trainer.reason == kLostByRuntime || trainer.reason == "ContainerStatusUnknown");
}

// The failed one that ended last: none is started after it. Sidecars that were started before it are ended for its
// sake, with a code of their own.
const kube::ContainerStatus* failed_init_container(const kube::Pod& pod) {
  const kube::ContainerStatus* failed = nullptr;
  for (const kube::ContainerStatus& status : pod.container_statuses) {
    if (status.init && !status.sidecar && status.exit_code.value_or(0) != 0) failed = &status;
  }
  return failed;
}

// A disk that a container fills beside a trainer which had ended well is no matter.
bool overfilled_disk(const Rank& rank, const kube::ContainerStatus* trainer) {
  if (!rank.last || !interruption::overfilled_its_own_disk(*rank.last)) return false;
  const bool ended_with_0 = trainer != nullptr && trainer->exit_code == 0;
  return !ended_with_0 || !rank.record || rank.record->stop_requested;
}

RankState state_of(const Observation& seen, Rank& rank) {
  // A finish that was written down when it was seen stays true after the pod is gone.
  if (rank.memory.finished) return RankState::Succeeded;
  const kube::ContainerStatus* trainer = trainer_status(seen, rank);
  rank.overfilled_disk = overfilled_disk(rank, trainer);
  if (trainer != nullptr && trainer->state == kube::ContainerStateKind::Terminated) {
    if (!rank.overfilled_disk && end_is_unknown(rank, *trainer)) {
      rank.cut_off = trainer->reason == kLostByRuntime;
      return stop_was_requested(seen, rank) ? RankState::Stopped : RankState::Vanished;
    }
    const std::int32_t exit_code = trainer->exit_code.value_or(137);
    rank.memory.exit_code = exit_code;
    rank.ended_by_kubelet = ended_by_kubelet(seen, rank);
    const RankState state = state_of_exit(seen, rank, exit_code);
    rank.memory.finished = state == RankState::Succeeded;
    return state;
  }
  // An init container that failed ends the pod before the trainer ran.
  if (rank.last && ended_in_init(*rank.last)) {
    if (const kube::ContainerStatus* failed = failed_init_container(*rank.last); failed != nullptr) {
      rank.failed_init = failed->name;
      rank.failed_init_code = *failed->exit_code;
      return state_of_exit(seen, rank, *failed->exit_code);
    }
  }
  if (is_rejected(rank)) return RankState::Rejected;
  if (rank.overfilled_disk) return RankState::Failed;
  if (!rank.pod) {
    if (rank.memory.pod_uid.empty()) return RankState::NotCreated;
    if (rank.memory.exit_code == 0) return RankState::Stopped;  // when it was seen, it had not finished
    if (rank.memory.exit_code) return state_of_exit(seen, rank, *rank.memory.exit_code);
    return RankState::Vanished;
  }
  if (rank.pod->phase == kube::PodPhase::Failed || rank.pod->phase == kube::PodPhase::Succeeded) {
    // Ended by the control plane (PodGC, eviction) without the kubelet's report about the trainer.
    return RankState::Vanished;
  }
  return trainer != nullptr && trainer->state == kube::ContainerStateKind::Running ? RankState::Running
                                                                                   : RankState::Pending;
}

// The list that its init container has made of its volume; empty before that container has ended well.
std::optional<protocol::ListedCheckpoints> listed_by(const Observation& seen, const Rank& rank) {
  const kube::ContainerStatus* list = rank.last ? rank.last->container(protocol::kListContainer) : nullptr;
  if (list == nullptr || list->exit_code != 0) return std::nullopt;
  auto listed = protocol::decode_listed_checkpoints(list->message);
  const bool own = listed && listed->attempt == seen.job->status.attempt && listed->index == rank.memory.index;
  return own ? listed : std::nullopt;
}

// A pod is not ready any more once one of its containers has ended, also one that only prepares something; what counts
// is the container that trains.
bool is_ready(const Observation& seen, const Rank& rank) {
  const std::string_view trainer = trainer_name(seen, rank);
  const kube::ContainerStatus* status = trainer.empty() ? nullptr : rank.pod->container(trainer);
  return rank.pod->ready() || (status != nullptr && status->ready);
}

}  // namespace

bool ended_in_init(const kube::Pod& pod) {
  if (pod.phase != kube::PodPhase::Failed) return false;
  bool failed = false;
  for (const kube::ContainerStatus& status : pod.container_statuses) {
    if (status.state == kube::ContainerStateKind::Running) return false;
    // A sidecar's end is not final: another one than its kubelet may call the pod Failed and not know that the sidecar
    // was started again, and the trainer after it.
    const bool ended = status.init && !status.sidecar && status.state == kube::ContainerStateKind::Terminated;
    failed = failed || (ended && status.exit_code.value_or(0) != 0);
  }
  return failed;
}

bool is_rejected(const Rank& rank) {
  const bool was_running = !rank.memory.boot_id.empty() || rank.memory.exit_code.has_value();
  return rank.last && rank.last->rejected_by_kubelet() && !was_running;
}

std::int32_t Rank::exit_code() const {
  return failed_init.empty() ? memory.exit_code.value_or(-1) : failed_init_code;
}

bool Rank::ended() const {
  switch (state) {
    case RankState::NotCreated:
    case RankState::Pending:
    case RankState::Running:
      return false;
    case RankState::Succeeded:
    case RankState::Stopped:
    case RankState::Checkpointed:
    case RankState::Failed:
    case RankState::Refused:
    case RankState::Hung:
    case RankState::Rejected:
    case RankState::Vanished:
      return true;
  }
  return true;
}

std::vector<Rank> look_at_ranks(const Observation& seen) {
  std::vector<Rank> ranks;
  ranks.reserve(seen.job->status.members.size());
  for (const api::RankStatus& memory : seen.job->status.members) {
    Rank rank{.memory = memory,
              .pod = {},
              .last = {},
              .node = {},
              .node_claim = {},
              .record = {},
              .listed = {},
              .signal = {}};
    rank.pod = find_pod(seen.pods, memory);
    rank.last = rank.pod ? rank.pod : find_pod(seen.deleted_pods, memory);
    remember_binding(seen, rank);
    if (const kube::ContainerStatus* trainer = trainer_status(seen, rank); trainer != nullptr) {
      if (auto record = protocol::decode_record(trainer->message)) rank.record = fitting_record(std::move(*record));
    }
    rank.listed = listed_by(seen, rank);
    rank.signal = signal_for(seen, rank);
    rank.state = state_of(seen, rank);
    // Written as soon as it holds: the pod of a rank that has finished may go long before its peers end.
    if (rank.ended()) remember_end(seen, rank);
    rank.ready = rank.pod && is_ready(seen, rank) && !rank.pod->meta.deletion_timestamp;
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

}  // namespace reprise::controllers::resumablejob
