#include <algorithm>

#include "controllers/resumablejob/claims/common_step.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/resumablejob/ranks/verdict.h"
#include "controllers/resumablejob/status/cost_limit.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

// The most pods that are made in one pass: a gang of 512 on a slow API server would take longer than one reconcile may.
constexpr int kMostCreations = 64;

bool is_hinted(const Rank& rank) {
  return rank.signal && rank.signal->strength == interruption::Strength::Hint;
}

// True also where the pod that was asked the last time is gone: a trainer may end for a request, and is started anew.
bool comes_too_soon(PlanBuilder& builder, const Rank& rank) {
  const auto last = last_request(builder.seen.first_seen, rank.memory.node_name);
  if (!last || builder.seen.now >= *last + interruption::kBetweenHints) return false;
  builder.plan.wake_by(*last + interruption::kBetweenHints);
  return true;
}

void ask_for_checkpoint(PlanBuilder& builder, const Rank& rank, const interruption::Signal& hint) {
  if (!rank.pod || rank.state != RankState::Running) return;
  if (rank.pod->meta.annotation(protocol::kCheckpointRequestAnnotation) == hint.id) return;
  if (hint.is_event_alone && comes_too_soon(builder, rank)) return;
  builder.plan.actions.emplace_back(RequestCheckpoint{rank.memory.pod_name, rank.memory.pod_uid, hint.id});
  builder.announce(EventType::Normal, "CheckpointRequested", "RequestCheckpoint", hint.message);
}

// A save of one rank alone serves nobody on volumes of their own: all are asked.
void ask_for_checkpoints(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const auto hinted = std::ranges::find_if(ranks, is_hinted);
  if (hinted == ranks.end()) return;
  for (const Rank& rank : ranks) {
    if (is_hinted(rank))
      ask_for_checkpoint(builder, rank, *rank.signal);
    else if (has_volume_each(*builder.seen.job))
      ask_for_checkpoint(builder, rank, *hinted->signal);
  }
}

std::string waiting_for(const std::vector<Rank>& ranks) {
  std::size_t pending = 0;
  std::string reason;
  for (const Rank& rank : ranks) {
    if (rank.ready) continue;
    ++pending;
    if (!rank.pod || !reason.empty()) continue;
    const kube::PodCondition* scheduled = rank.pod->condition("PodScheduled");
    if (scheduled != nullptr && scheduled->status == "False") {
      reason = "; pod " + rank.memory.pod_name + " waits for a node";
    }
  }
  return std::to_string(pending) + " of " + std::to_string(ranks.size()) + " pods are not ready" + reason;
}

// The reason why no further pod may be made now, although the attempt has begun.
struct Hold {
  std::string_view reason;
  std::string message;
};

std::optional<Hold> reason_to_hold(const Observation& seen, const std::vector<Rank>& ranks) {
  const bool complete = std::ranges::none_of(ranks, [](const Rank& m) { return m.state == RankState::NotCreated; });
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

void note_start(const Observation& seen, api::ResumableJobStatus& status) {
  status.ready_time = seen.now;
  const auto& since = seen.job->status.starting_since;
  if (since && *since <= seen.now)
    status.start_seconds = std::chrono::duration_cast<std::chrono::seconds>(seen.now - *since).count();
}

void note_placement(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (!rank.node) continue;
    const std::string_view type = rank.node->meta.label("karpenter.sh/capacity-type");
    api::JobPlacementStatus placement = builder.status().placement.value_or(api::JobPlacementStatus());
    placement.capacity = type == "spot"        ? "Spot"
                         : type == "on-demand" ? "OnDemand"
                         : type == "reserved"  ? "Reserved"
                                               : "";
    placement.zone = rank.node->meta.label("topology.kubernetes.io/zone");
    builder.status().placement = placement;
    return;
  }
}

}  // namespace

void run_attempt(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const Observation& seen = builder.seen;
  api::ResumableJobStatus& status = builder.status();
  delete_orphans(builder);
  create_service(builder);
  status.starting_since = starting_since(seen, ranks);
  const auto hold = reason_to_hold(seen, ranks);
  const bool may_create = !hold && reserve_claims(builder);
  int created = 0;
  for (const Rank& rank : ranks) {
    if (rank.state == RankState::NotCreated && may_create) {
      if (++created > kMostCreations) {
        builder.plan.wake_by(seen.now);
      } else {
        builder.plan.actions.emplace_back(
            CreatePod{build_rank_pod(seen, builder.settings, seen.job->status, rank.memory.index)});
      }
    }
  }
  ask_for_checkpoints(builder, ranks);
  agree_on_step(builder, ranks);
  const bool wants_pods = std::ranges::any_of(ranks, [](const Rank& m) { return m.state == RankState::NotCreated; });
  const bool rejected = wants_pods && !hold && !seen.rejection.empty();
  if (rejected || hold || standby_is_in_the_way(builder, ranks)) {
    drop_standby(builder);
  } else {
    drop_waiting_standby(builder);
    drop_needless_keepers(builder, ranks);
  }
  const auto count = [&](auto&& test) { return static_cast<std::int32_t>(std::ranges::count_if(ranks, test)); };
  // Pods that are about to be made are counted: it is so by the time anybody reads it.
  status.active = count([&](const Rank& m) { return (m.pod || (!hold && !rejected)) && !m.ended(); });
  status.ready = count([](const Rank& m) { return m.ready; });
  const std::int32_t done = count([](const Rank& m) { return m.state == RankState::Succeeded; });

  const std::string attempt = "attempt " + std::to_string(status.attempt);
  if (status.ready + done == static_cast<std::int32_t>(ranks.size())) {
    builder.outlook.ready = true;
    if (status.ready_attempt != status.attempt) {
      builder.announce(EventType::Normal, status.attempt == 1 ? "Started" : "Recovered", "StartAttempt",
                       attempt + " runs with " + std::to_string(ranks.size()) + (ranks.size() == 1 ? " pod" : " pods"));
    }
    if (status.ready_attempt != status.attempt) note_start(seen, status);
    status.ready_attempt = status.attempt;
    auto& last = status.last_interruption;
    if (last && !last->recovered_time) last->recovered_time = seen.now;
    note_placement(builder, ranks);
    drop_standby(builder);
    point_reports(builder, ranks);
    move_common_step(builder, ranks);
  } else {
    const std::string_view reason = hold ? hold->reason : status.attempt == 1 ? "WaitForStart" : "WaitForRecovery";
    builder.outlook.waits = Saying{std::string(reason), hold ? hold->message : waiting_for(ranks)};
    builder.outlook.reconciling = Saying{"Starting", attempt + " starts"};
    if (rejected) show_rejection(builder);
  }
  tell_held_gpus(builder, ranks);
  report_to_workload(builder);
  if (const auto timeout = next_timeout(seen, ranks)) builder.plan.wake_by(*timeout);
  if (const auto limit = cost_limit_reached_at(seen.job->spec, status)) builder.plan.wake_by(*limit);
}

}  // namespace reprise::controllers::resumablejob
