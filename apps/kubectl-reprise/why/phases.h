// The phases of explain(), one source file each; private to this folder. Each looks only where its place in the chain
// matters to the subject, and returns without a word otherwise.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/why/inquiry.h"
#include "apps/kubectl-reprise/why/karpenter_message.h"

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

}  // namespace reprise::plugin::why
