// The phases of explain(), one source file each; private to this folder. Each looks only where its place in the chain
// matters to the subject, and returns without a word otherwise.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/why/inquiry.h"
#include "apps/kubectl-reprise/why/karpenter_message.h"
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

// Why the API server rejected what the operator wanted to create, out of its words. (creation_phase.cc)
[[nodiscard]] Finding read_rejection(const ObjectRef& subject, const std::string& message);

// ---- what several phases ask

// So long a machine takes to join and to offer its GPUs; what takes longer is reported.
inline constexpr std::chrono::minutes kJoining{5};
// So long an Event is news.
inline constexpr std::chrono::minutes kNews{10};

[[nodiscard]] ObjectRef ref(std::string_view kind, const Meta& meta);
// The ranks' pods of the attempt under way, by name.
[[nodiscard]] std::vector<const Pod*> ranks_of_attempt(const Inquiry& inquiry);
// Of these the first that is pending without a node; nullptr when each has one or there is no job.
[[nodiscard]] const Pod* pod_without_node(const Inquiry& inquiry);
[[nodiscard]] const Node* node_of(const Inquiry& inquiry, std::string_view name);
// The newest Event about the object with one of these reasons (all when empty) that is still news; nullptr: none.
[[nodiscard]] const Event* newest_event(const Inquiry& inquiry, const ObjectRef& about,
                                        const std::vector<std::string_view>& reasons);
// Whether nodes of the pool come out of that NodePool.
[[nodiscard]] bool is_own_node_pool(const Inquiry& inquiry, std::string_view name);
// Why Karpenter starts no machine for the pod, as its newest Event says.
[[nodiscard]] std::optional<Refusal> refusal_for(const Inquiry& inquiry, const Pod& pod);
// The pool's NodeClaims that are not initialised yet and not going, the oldest first.
[[nodiscard]] std::vector<const NodeClaim*> coming_node_claims(const Inquiry& inquiry);
// Of the pool asked about or of the job's, also where the pool itself may not be read; empty: none.
[[nodiscard]] std::string pool_name(const Inquiry& inquiry);
// "kubectl describe pod finetune-1-0 -n vision"
[[nodiscard]] std::string describe(const ObjectRef& object);

// ---- of a pool that lets no machine come for now (held_back.cc); a pool that is there

// The condition that says so: Stalled, or CapacityAvailable; nullptr: none. Not while a machine comes for the job, and
// no pause of a NodePool that the job does not take.
[[nodiscard]] const Condition* why_pool_rents_nothing(const Inquiry& inquiry);
void say_of_pool(Inquiry& inquiry, const Condition& condition);  // (pool_phase.cc)
// Why the operator has lowered the limits of a full NodePool below spec.capacity; nothing: they are the spec's.
[[nodiscard]] std::optional<Finding> why_held_back(const Inquiry& inquiry, const NodePool& node_pool);
// What is to be done before the next machine is tried, when that is, and how it is tried at once.
[[nodiscard]] std::vector<std::string> after_pause(const Inquiry& inquiry);
// To wait for another job's end, where there is another, or to raise the field.
[[nodiscard]] std::vector<std::string> wait_or_raise(const Inquiry& inquiry, std::string_view field);
// "kubectl edit gpupool t4   # raise spec.maxCostPerHour"; it says so where that would end a pause.
[[nodiscard]] std::string edit_pool(const Inquiry& inquiry, std::string_view hint = {});
// What the pool's spec lets that NodePool rent; nothing: nobody knows.
[[nodiscard]] std::optional<controllers::rentable::Room> room_of(const Inquiry& inquiry, std::string_view node_pool);
// Whether the job may run on the NodePool's capacity type; of no job: it may.
[[nodiscard]] bool may_use(const Inquiry& inquiry, std::string_view node_pool);

}  // namespace reprise::plugin::why
