#include <algorithm>

#include "controllers/resumablejob/blueprint.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/verdict.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

// In one pass: a gang of 512 on a slow API server would take longer than one reconcile may.
constexpr int kMostCreations = 64;

void ask_for_checkpoint(Draft& draft, const Member& member) {
  if (!member.signal || member.signal->strength != interruption::Strength::Hint || !member.pod) return;
  if (member.state != MemberState::Running) return;
  if (member.pod->meta.annotation(protocol::kCheckpointRequestAnnotation) == member.signal->id) return;
  draft.plan.actions.emplace_back(RequestCheckpoint{member.memory.pod_name, member.memory.pod_uid, member.signal->id});
  draft.announce(EventType::Normal, "CheckpointRequested", "RequestCheckpoint", member.signal->message);
}

std::string waiting_for(const std::vector<Member>& members) {
  std::size_t pending = 0;
  std::string reason;
  for (const Member& member : members) {
    if (member.ready) continue;
    ++pending;
    if (!member.pod || !reason.empty()) continue;
    const kube::PodCondition* scheduled = member.pod->condition("PodScheduled");
    if (scheduled != nullptr && scheduled->status == "False") {
      reason = "; pod " + member.memory.pod_name + " waits for a node";
    }
  }
  return std::to_string(pending) + " of " + std::to_string(members.size()) + " pods are not ready" + reason;
}

// Why no further pod may be made now, although the attempt has begun.
struct Hold {
  std::string_view reason;
  std::string message;
};

std::optional<Hold> reason_to_hold(const Observation& seen, const std::vector<Member>& members) {
  const bool complete =
      std::ranges::none_of(members, [](const Member& m) { return m.state == MemberState::NotCreated; });
  if (complete) return std::nullopt;
  const std::string& pool = seen.job->spec.pool_name;
  const std::string_view waiting = seen.job->status.attempt == 1 ? "WaitForStart" : "WaitForRecovery";
  if (!pool.empty() && (!seen.pool || seen.pool->status.resource_name.empty())) {
    return Hold{waiting, "spec.poolName: GpuPool " + pool +
                             " is not there or offers no resource; its pods are made when it does"};
  }
  if (std::string taken = why_claims_are_taken(seen); !taken.empty()) return Hold{"ClaimInUse", std::move(taken)};
  return std::nullopt;
}

void note_placement(Draft& draft, const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (!member.node) continue;
    const std::string_view type = member.node->meta.label("karpenter.sh/capacity-type");
    api::JobPlacementStatus placement;
    placement.capacity = type == "spot"        ? "Spot"
                         : type == "on-demand" ? "OnDemand"
                         : type == "reserved"  ? "Reserved"
                                               : "";
    placement.zone = member.node->meta.label("topology.kubernetes.io/zone");
    draft.status().placement = placement;
    return;
  }
}

}  // namespace

void run_attempt(Draft& draft, const std::vector<Member>& members) {
  const Observation& seen = draft.seen;
  api::ResumableJobStatus& status = draft.status();
  delete_strays(draft);
  create_service(draft);
  status.starting_since = starting_since(seen, members);
  const auto hold = reason_to_hold(seen, members);
  const bool may_create = !hold && reserve_claims(draft);
  int created = 0;
  for (const Member& member : members) {
    if (member.state == MemberState::NotCreated && may_create) {
      if (++created > kMostCreations) {
        draft.plan.wake_by(seen.now);
      } else {
        draft.plan.actions.emplace_back(
            CreatePod{member_blueprint(seen, draft.settings, seen.job->status, member.memory.index)});
      }
    }
    ask_for_checkpoint(draft, member);
  }
  const bool wants_pods =
      std::ranges::any_of(members, [](const Member& m) { return m.state == MemberState::NotCreated; });
  const bool refused = wants_pods && !hold && !seen.refusal.empty();
  if (refused || hold || standby_is_in_the_way(draft, members)) {
    drop_standby(draft);
  } else {
    drop_waiting_standby(draft);
  }
  const auto count = [&](auto&& test) { return static_cast<std::int32_t>(std::ranges::count_if(members, test)); };
  // Those that are about to be made are counted: it is so by the time anybody reads it.
  status.active = count([&](const Member& m) { return (m.pod || (!hold && !refused)) && !m.ended(); });
  status.ready = count([](const Member& m) { return m.ready; });
  const std::int32_t done = count([](const Member& m) { return m.state == MemberState::Succeeded; });

  const std::string attempt = "attempt " + std::to_string(status.attempt);
  if (status.ready + done == static_cast<std::int32_t>(members.size())) {
    draft.outlook.ready = true;
    if (status.ready_attempt != status.attempt) {
      draft.announce(
          EventType::Normal, status.attempt == 1 ? "Started" : "Recovered", "StartAttempt",
          attempt + " runs with " + std::to_string(members.size()) + (members.size() == 1 ? " pod" : " pods"));
    }
    status.ready_attempt = status.attempt;
    auto& last = status.last_interruption;
    if (last && !last->recovered_time) last->recovered_time = seen.now;
    note_placement(draft, members);
    drop_standby(draft);
  } else {
    const std::string_view reason = hold ? hold->reason : status.attempt == 1 ? "WaitForStart" : "WaitForRecovery";
    draft.outlook.waits = Saying{std::string(reason), hold ? hold->message : waiting_for(members)};
    draft.outlook.reconciling = Saying{"Starting", attempt + " starts"};
    if (refused) show_refusal(draft);
  }
  if (const auto timeout = next_timeout(seen, members)) draft.plan.wake_by(*timeout);
}

}  // namespace reprise::controllers::resumablejob
