#include "controllers/resumablejob/members.h"

#include <algorithm>

#include "api/pod_blueprint.h"

#include "controllers/resumablejob/machine_identity.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/proof.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using protocol::Record;

std::shared_ptr<const kube::Pod> find_pod(const std::vector<std::shared_ptr<const kube::Pod>>& pods,
                                          const api::MemberStatus& memory) {
  const auto found = std::ranges::find_if(pods, [&](const auto& pod) {
    return memory.pod_uid.empty() ? pod->meta.name == memory.pod_name : pod->meta.uid == memory.pod_uid;
  });
  return found == pods.end() ? nullptr : *found;
}

// Karpenter makes the NodeClaim an owner of its Node: so it is known also while claims are not served, or seen late.
void take_claim_from_owner(const kube::Node& node, api::MemberStatus& memory) {
  for (const kube::OwnerReference& owner : node.meta.owner_references) {
    if (owner.kind != "NodeClaim" || !std::string_view(owner.api_version).starts_with("karpenter.sh/")) continue;
    memory.node_claim_name = owner.name;
    memory.node_claim_uid = owner.uid;
  }
}

void remember_binding(const Observation& seen, Member& member) {
  api::MemberStatus& memory = member.memory;
  const auto scheduled = seen.scheduled.find(memory.pod_name);
  if (member.last) {
    memory.pod_uid = member.last->meta.uid;
    if (!member.last->node_name.empty()) memory.node_name = member.last->node_name;
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
    const bool runs_there = same_machine && member.pod && member.pod->any_container_started();
    if (runs_there && !node->second->boot_id.empty()) memory.boot_id = node->second->boot_id;
    const bool known_by_boot = memory.boot_id.empty() ? same_machine : node->second->boot_id == memory.boot_id;
    if (node->second->meta.uid == memory.node_uid || known_by_boot) member.node = node->second;
  }
  if (memory.node_claim_uid.empty()) {
    if (const auto claim = claim_behind(seen, memory)) {
      memory.node_claim_name = claim->meta.name;
      memory.node_claim_uid = claim->meta.uid;
    } else if (const auto node = seen.nodes.find(memory.node_name);
               node != seen.nodes.end() && node->second->meta.uid == memory.node_uid) {
      take_claim_from_owner(*node->second, memory);
      member.node_claim_unasked = true;
    }
  }
  if (const auto claim = seen.node_claims.find(memory.node_claim_uid); claim != seen.node_claims.end()) {
    member.node_claim = claim->second;
  }
}

std::optional<std::int64_t> notice_seconds(const Observation& seen, const Member& member) {
  if (!seen.pool || !member.node) return std::nullopt;
  const std::string_view label = member.node->meta.label("karpenter.sh/capacity-type");
  for (const api::PoolCapacity& capacity : seen.pool->spec.capacity) {
    const bool same = (capacity.type == api::CapacityType::Spot && label == "spot") ||
                      (capacity.type == api::CapacityType::OnDemand && label == "on-demand") ||
                      (capacity.type == api::CapacityType::Reserved && label == "reserved");
    if (same && capacity.notice_seconds) return *capacity.notice_seconds;
  }
  return std::nullopt;
}

std::optional<interruption::Signal> signal_for(const Observation& seen, const Member& member) {
  interruption::Surroundings around;
  around.pod = member.pod.get();
  around.pod_expected = !member.memory.pod_uid.empty();
  around.node_name = member.memory.node_name;
  around.node = member.node.get();
  around.node_expected = !member.memory.node_uid.empty();
  around.node_claim = member.node_claim.get();
  around.node_claim_expected =
      !member.memory.node_claim_uid.empty() && seen.node_claims_served && !member.node_claim_unasked;
  around.events = seen.events;
  around.notice_seconds = notice_seconds(seen, member);
  return interruption::strongest_signal(around);
}

const kube::ContainerStatus* trainer_status(const Observation& seen, const Member& member) {
  const api::TemplateContainer* trainer = training_container(*seen.job);
  return trainer == nullptr || !member.last ? nullptr : member.last->container(trainer->name);
}

// By the operator, or by what takes the pod or its machine away.
bool was_asked_visibly(const Observation& seen, const Member& member) {
  const bool ending = seen.job->status.attempt_end && seen.job->status.attempt_end->attempt == seen.job->status.attempt;
  const bool noticed = member.signal && member.signal->strength != interruption::Strength::Hint;
  return ending || noticed || (member.last && member.last->meta.deletion_timestamp);
}

bool was_asked(const Observation& seen, const Member& member) {
  return was_asked_visibly(seen, member) || (member.record && member.record->asked);
}

// The kubelet ends a container whose liveness or startup probe or postStart hook fails, and the agent takes that for a
// stop like any other. The pod stays: it is not taken away, and its trainer has failed.
bool ended_by_kubelet(const Observation& seen, const Member& member) {
  const api::TemplateContainer* trainer = training_container(*seen.job);
  const bool may = trainer != nullptr && trainer->kubelet_may_end;
  return may && member.record && member.record->asked && !was_asked_visibly(seen, member);
}

MemberState state_of_exit(const Observation& seen, const Member& member, std::int32_t exit_code) {
  if (member.record) {
    const bool refusal = exit_code == protocol::kCheckpointLostExitCode || exit_code == protocol::kFencedExitCode ||
                         exit_code == protocol::kCheckpointedExitCode;
    if (refusal && !member.record->reason.empty()) return MemberState::Refused;
  }
  if (member.ended_by_kubelet) return MemberState::Failed;
  const bool asked = was_asked(seen, member);
  if (exit_code == 0) return asked ? MemberState::Stopped : MemberState::Succeeded;
  if (exit_code == protocol::kCheckpointedExitCode) {
    return asked ? MemberState::Stopped : MemberState::Checkpointed;
  }
  if ((exit_code == 143 || exit_code == 137) && asked) return MemberState::Stopped;
  return MemberState::Failed;
}

constexpr std::string_view kLostByRuntime = "Unknown";

// The kubelet found the container gone and cannot say how it ended: a machine that lost power, a runtime that lost its
// state. containerd says Unknown with 255, the kubelet itself ContainerStatusUnknown with 137 (also of a container that
// never ran); neither is an exit code of the trainer's.
bool end_is_unknown(const Member& member, const kube::ContainerStatus& trainer) {
  return !member.record && (trainer.reason == kLostByRuntime || trainer.reason == "ContainerStatusUnknown");
}

// The last that ended: none is started after it. Sidecars that were started before it are ended for its sake, with a
// code of their own.
const kube::ContainerStatus* failed_init_container(const kube::Pod& pod) {
  const kube::ContainerStatus* failed = nullptr;
  for (const kube::ContainerStatus& status : pod.container_statuses) {
    if (status.init && !status.sidecar && status.exit_code.value_or(0) != 0) failed = &status;
  }
  return failed;
}

MemberState state_of(const Observation& seen, Member& member) {
  // What was written down when it was seen stays true after the pod is gone.
  if (member.memory.finished) return MemberState::Succeeded;
  const kube::ContainerStatus* trainer = trainer_status(seen, member);
  if (trainer != nullptr && trainer->state == kube::ContainerStateKind::Terminated) {
    if (end_is_unknown(member, *trainer)) {
      member.cut_off = trainer->reason == kLostByRuntime;
      return was_asked(seen, member) ? MemberState::Stopped : MemberState::Vanished;
    }
    const std::int32_t exit_code = trainer->exit_code.value_or(137);
    member.memory.exit_code = exit_code;
    member.ended_by_kubelet = ended_by_kubelet(seen, member);
    const MemberState state = state_of_exit(seen, member, exit_code);
    member.memory.finished = state == MemberState::Succeeded;
    return state;
  }
  // An init container that failed ends the pod before the trainer ran.
  if (member.last && ended_in_init(*member.last)) {
    if (const kube::ContainerStatus* failed = failed_init_container(*member.last); failed != nullptr) {
      member.failed_init = failed->name;
      member.failed_init_code = *failed->exit_code;
      return state_of_exit(seen, member, *failed->exit_code);
    }
  }
  if (is_rejected(member)) return MemberState::Rejected;
  if (!member.pod) {
    if (member.memory.pod_uid.empty()) return MemberState::NotCreated;
    if (member.memory.exit_code) return state_of_exit(seen, member, *member.memory.exit_code);
    return MemberState::Vanished;
  }
  if (member.pod->phase == kube::PodPhase::Failed || member.pod->phase == kube::PodPhase::Succeeded) {
    // Ended by the control plane (PodGC, eviction) without the kubelet's word about the trainer.
    return MemberState::Vanished;
  }
  return trainer != nullptr && trainer->state == kube::ContainerStateKind::Running ? MemberState::Running
                                                                                   : MemberState::Pending;
}

// A pod is not ready any more once one of its containers has ended, also one that only prepares something; what counts
// is the container that trains.
bool is_ready(const Observation& seen, const kube::Pod& pod) {
  const api::TemplateContainer* trainer = training_container(*seen.job);
  const kube::ContainerStatus* status = trainer == nullptr ? nullptr : pod.container(trainer->name);
  return pod.ready() || (status != nullptr && status->ready);
}

}  // namespace

bool ended_in_init(const kube::Pod& pod) {
  if (pod.phase != kube::PodPhase::Failed) return false;
  bool failed = false;
  for (const kube::ContainerStatus& status : pod.container_statuses) {
    if (status.state == kube::ContainerStateKind::Running) return false;
    // A sidecar's end is not the last word on it: who else calls the pod Failed than its kubelet may not know that it
    // was started again, and the trainer after it.
    const bool ended = status.init && !status.sidecar && status.state == kube::ContainerStateKind::Terminated;
    failed = failed || (ended && status.exit_code.value_or(0) != 0);
  }
  return failed;
}

bool is_rejected(const Member& member) {
  const bool was_running = !member.memory.boot_id.empty() || member.memory.exit_code.has_value();
  return member.last && member.last->rejected_by_kubelet() && !was_running;
}

std::int32_t Member::exit_code() const {
  return failed_init.empty() ? memory.exit_code.value_or(-1) : failed_init_code;
}

bool Member::ended() const {
  switch (state) {
    case MemberState::NotCreated:
    case MemberState::Pending:
    case MemberState::Running:
      return false;
    case MemberState::Succeeded:
    case MemberState::Stopped:
    case MemberState::Checkpointed:
    case MemberState::Failed:
    case MemberState::Refused:
    case MemberState::Rejected:
    case MemberState::Vanished:
      return true;
  }
  return true;
}

std::vector<Member> look_at_members(const Observation& seen) {
  std::vector<Member> members;
  members.reserve(seen.job->status.members.size());
  for (const api::MemberStatus& memory : seen.job->status.members) {
    Member member{.memory = memory, .pod = {}, .last = {}, .node = {}, .node_claim = {}, .record = {}, .signal = {}};
    member.pod = find_pod(seen.pods, memory);
    member.last = member.pod ? member.pod : find_pod(seen.departed, memory);
    remember_binding(seen, member);
    if (const kube::ContainerStatus* trainer = trainer_status(seen, member); trainer != nullptr) {
      if (auto record = protocol::decode_record(trainer->message)) member.record = std::move(*record);
    }
    member.signal = signal_for(seen, member);
    member.state = state_of(seen, member);
    // Written as soon as it holds: the pod of a member that has finished may go long before its peers end.
    if (member.ended()) member.memory.proof = proof_of_end(seen, member);
    member.ready = member.pod && is_ready(seen, *member.pod) && !member.pod->meta.deletion_timestamp;
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace reprise::controllers::resumablejob
