// The phases of explain(), one source file each; private to this folder. Each looks only where its place in the chain
// matters to the subject, and returns without a word otherwise.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/why/inquiry.h"
#include "apps/kubectl-reprise/why/reading/karpenter_message.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::plugin::why {

void look_at_operator(Inquiry& inquiry);
void look_at_job(Inquiry& inquiry);
void look_at_running_job(Inquiry& inquiry);  // ready: closes the inquiry
void look_at_pods(Inquiry& inquiry);
void look_at_volumes(Inquiry& inquiry);
void look_at_arithmetic(Inquiry& inquiry);
void look_at_scheduler(Inquiry& inquiry);
void look_at_node_claims(Inquiry& inquiry);
void look_at_node_pools(Inquiry& inquiry);
void look_at_pool(Inquiry& inquiry);
void look_at_node_health(Inquiry& inquiry);
void look_at_quotas(Inquiry& inquiry);
void look_for_silence(Inquiry& inquiry);

// Reads from the API server's message why it rejected an object that the operator wanted to create. (creation_phase.cc)
[[nodiscard]] Finding read_rejection(const ObjectRef& subject, const std::string& message);

// ---- shared by several phases

// The longest that a machine takes to join and to offer its GPUs; a longer wait is reported.
inline constexpr std::chrono::minutes kJoining{5};
// The time for which an Event is news.
inline constexpr std::chrono::minutes kNews{10};

[[nodiscard]] ObjectRef ref(std::string_view kind, const Meta& meta);
// The ranks' pods of the attempt under way, by name.
[[nodiscard]] std::vector<const Pod*> ranks_of_attempt(const Inquiry& inquiry);
// The first of these that is pending without a node; nullptr when each has one or there is no job.
[[nodiscard]] const Pod* pod_without_node(const Inquiry& inquiry);
[[nodiscard]] const Node* node_of(const Inquiry& inquiry, std::string_view name);
// The newest Event about the object with one of these reasons (all when empty) that is still news; nullptr: none.
[[nodiscard]] const Event* newest_event(const Inquiry& inquiry, const ObjectRef& about,
                                        const std::vector<std::string_view>& reasons);
// True when nodes of the pool come from that NodePool.
[[nodiscard]] bool is_own_node_pool(const Inquiry& inquiry, std::string_view name);
// The reason why Karpenter starts no machine for the pod, by its newest Event.
[[nodiscard]] std::optional<Refusal> refusal_for(const Inquiry& inquiry, const Pod& pod);
// The pool's NodeClaims that are not initialised yet and not going, the oldest first.
[[nodiscard]] std::vector<const NodeClaim*> coming_node_claims(const Inquiry& inquiry);
// The pool asked about or the job's, also when the pool itself may not be read; empty: none.
[[nodiscard]] std::string pool_name(const Inquiry& inquiry);
// "kubectl describe pod finetune-1-0 -n vision"
[[nodiscard]] std::string describe(const ObjectRef& object);

// ---- a pool that lets no machine come for now (held_back.cc); requires a pool

// The condition that says so: Stalled, or CapacityAvailable; nullptr: none. Ignored while a machine comes for the job;
// so is a pause of a NodePool that the job does not take.
[[nodiscard]] const Condition* why_pool_rents_nothing(const Inquiry& inquiry);
void say_of_pool(Inquiry& inquiry, const Condition& condition);  // (pool_phase.cc)
// The reason why the operator has lowered the limits of a full NodePool below spec.capacity; empty: they are the
// spec's.
[[nodiscard]] std::optional<Finding> why_held_back(const Inquiry& inquiry, const NodePool& node_pool);
// Steps before the next machine is tried, the time of that try, and how to try at once.
[[nodiscard]] std::vector<std::string> after_pause(const Inquiry& inquiry);
// Advises to wait for another job's end, if there is another, or to raise the field.
[[nodiscard]] std::vector<std::string> wait_or_raise(const Inquiry& inquiry, std::string_view field);
// "kubectl edit gpupool t4   # raise spec.maxCostPerHour"; warns when that would end a pause.
[[nodiscard]] std::string edit_pool(const Inquiry& inquiry, std::string_view hint = {});
// The number that the pool's spec lets that NodePool rent; empty: not known.
[[nodiscard]] std::optional<controllers::rentable::Room> room_of(const Inquiry& inquiry, std::string_view node_pool);
// True when the job may run on the NodePool's capacity type, or when there is no job.
[[nodiscard]] bool may_use(const Inquiry& inquiry, std::string_view node_pool);

}  // namespace reprise::plugin::why
