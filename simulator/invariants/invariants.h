// The invariants. Each promise of the project that a scenario can break has one here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "simulator/cluster/event_loop.h"
#include "simulator/invariants/invariant.h"

namespace reprise::simulator {

// No volume can be written to by trainers of two attempts or two jobs at one time.
[[nodiscard]] std::unique_ptr<Invariant> single_writer();
// No trainer goes on for long behind the fence of a later attempt of its job, where its machine goes and its volume
// answers.
[[nodiscard]] std::unique_ptr<Invariant> fenced_trainers_end(const EventLoop& loop);
// No pod of an attempt is made while a trainer of an earlier attempt of that job can still write: the agents would keep
// out of each other's way, but the operator must have its proof first.
[[nodiscard]] std::unique_ptr<Invariant> proven_before_next(const ApiServer& api);
// However many attempts a volume has seen, no agent reads more than the files of a few when it looks for other writers.
[[nodiscard]] std::unique_ptr<Invariant> looks_are_short();
// No pod of a job is made that mounts a claim on which a pod of another job has not ended.
[[nodiscard]] std::unique_ptr<Invariant> one_job_per_claim(const ApiServer& api);
// All ranks of an attempt loaded the same step.
[[nodiscard]] std::unique_ptr<Invariant> one_resume_step();
// The published resume point is the newest complete checkpoint of the volume, or was when it was written: one may be
// damaged within the very call that writes it.
[[nodiscard]] std::unique_ptr<Invariant> resumes_newest(const EventLoop& loop);
// No trainer loads a checkpoint whose bytes never reached the disk, whatever its names and sizes say.
[[nodiscard]] std::unique_ptr<Invariant> loads_whole();
// Ranks with a volume each load the newest step that all of their volumes have.
[[nodiscard]] std::unique_ptr<Invariant> resumes_common();
// And the newest durable one of these never gets older.
[[nodiscard]] std::unique_ptr<Invariant> common_checkpoint_stays();
// The resume point of an attempt of several ranks stays until each of them has loaded it.
[[nodiscard]] std::unique_ptr<Invariant> resume_point_stays(const ApiServer& api);
// No trainer starts from an older step than the one that its job's status had when the attempt began, unless that one
// was never proven and is put aside.
[[nodiscard]] std::unique_ptr<Invariant> loses_nothing_unsaid(const ApiServer& api);
// The newest durable checkpoint of a volume never gets older.
[[nodiscard]] std::unique_ptr<Invariant> checkpoints_stay();
// No checkpoint is deleted by an agent while fewer newer ones are complete than its job wants to keep, or none of them
// is durable; and none at all of a job that does not say how many stay.
[[nodiscard]] std::unique_ptr<Invariant> keeps_enough(const ApiServer& api);
// Files that others have put on a volume stay there, beside checkpoints and in folders of their own.
[[nodiscard]] std::unique_ptr<Invariant> data_stays();
// No complete checkpoint is deleted while one that was completed before it stays, unless that one came within a look
// before its agent ended: a checkpoint that no agent saw appear is never deleted.
[[nodiscard]] std::unique_ptr<Invariant> oldest_go_first();
// While trainers run, a volume holds no more than `keep` checkpoints of its job and two: one that is being written, and
// one that was resumed from or is torn. Left out are jobs that say nothing of `keep`, those whose names contradict the
// order of their times, those that no agent saw appear, torn ones since which no later attempt has completed one, and,
// where nothing can be moved, the torn ones of one attempt above the newest: these are not pruned. A look takes as long
// as the volume takes for its calls.
[[nodiscard]] std::unique_ptr<Invariant> checkpoints_are_few(const ApiServer& api, const EventLoop& loop);
// No claim that a job which has not ended refers to is deleted.
[[nodiscard]] std::unique_ptr<Invariant> claims_stay(const ApiServer& api);
// attempt, failures, interruptions and lost seconds of a job never go down.
[[nodiscard]] std::unique_ptr<Invariant> counters_grow(const ApiServer& api);
// Complete and Failed are never taken back, and no attempt follows.
[[nodiscard]] std::unique_ptr<Invariant> terminal_stays(const ApiServer& api);
// No attempt begins while a job's interruptions have reached its limit.
[[nodiscard]] std::unique_ptr<Invariant> limit_holds(const ApiServer& api);
// No attempt begins while a job has cost what spec.placement.maxCost allows.
[[nodiscard]] std::unique_ptr<Invariant> cost_limit_holds(const ApiServer& api);
// No pool has machines, but for those that are going, which cost more per hour by the price table than its
// spec.maxCostPerHour; one that was lowered ends nothing.
[[nodiscard]] std::unique_ptr<Invariant> pool_cost_holds(const ApiServer& api);
// A NodePool of a pool spends a bounded sum on machines that never become useful, from the first of them on until one
// does, or a person edits the pool: two hours of one, and a quarter of the time.
[[nodiscard]] std::unique_ptr<Invariant> money_is_bounded(const ApiServer& api, const EventLoop& loop);
// No pool has more pods that keep GPUs ready, but for those that are going, than its spec.warm wants at the most.
[[nodiscard]] std::unique_ptr<Invariant> warm_gpus_are_few(const ApiServer& api);
// No attempt of a job with spec.placement.completeBy goes on waiting for spot once only on-demand capacity would be in
// time, by its estimate.
[[nodiscard]] std::unique_ptr<Invariant> waits_in_time(const ApiServer& api, const EventLoop& loop);
// No job fails for its deadline before it has had that time since it was made, or went on after a suspend.
[[nodiscard]] std::unique_ptr<Invariant> deadline_counts_running(const ApiServer& api, const EventLoop& loop);
// While a job says that a quota rejects its pod, no standby pod of its own keeps a machine for long.
[[nodiscard]] std::unique_ptr<Invariant> standby_gives_way(const ApiServer& api, const EventLoop& loop);
// A deletion names the uid of the object that was seen, and no pod is deleted by force.
[[nodiscard]] std::unique_ptr<Invariant> deletes_what_was_seen();
// No job takes a pod for a rank, and no operator deletes a pod, that the job does not control in its own namespace.
[[nodiscard]] std::unique_ptr<Invariant> believes_its_own(const ApiServer& api);
// Among Events about nodes only those of Karpenter ask for checkpoints here, and no two for a pod within minutes.
[[nodiscard]] std::unique_ptr<Invariant> heeds_known_reporters(const ApiServer& api, const EventLoop& loop);
// An operator that writes holds the lease at that moment; the lease itself excepted.
[[nodiscard]] std::unique_ptr<Invariant> writer_holds_lease(const ApiServer& api);
// Requests stay within controllers::permissions(), which is what the chart's roles grant. `kueue`: the feature gate.
[[nodiscard]] std::unique_ptr<Invariant> asks_what_is_permitted(bool kueue = false);
// No operator gives a job's quota back while a trainer of it runs; a person who deletes its Workload may.
[[nodiscard]] std::unique_ptr<Invariant> quota_outlasts_ranks(const ApiServer& api);
// A job in a queue gets pods for its attempts only once it is admitted, and none runs on for long after its eviction.
[[nodiscard]] std::unique_ptr<Invariant> runs_while_admitted(const ApiServer& api, const EventLoop& loop);
// A job that waits for the claim of another one holds no quota for long: the other one may wait for that.
[[nodiscard]] std::unique_ptr<Invariant> no_quota_behind_another_job(const ApiServer& api, const EventLoop& loop);
// An eviction by a queue is neither an interruption nor a failure.
[[nodiscard]] std::unique_ptr<Invariant> evictions_count_nothing(const ApiServer& api);
// Admitted Workloads fit into the queue.
[[nodiscard]] std::unique_ptr<Invariant> queue_holds(const ApiServer& api, std::int64_t units);
// No machine is asked to go for the sake of pods that, as the API server has told that very operator, never ran.
[[nodiscard]] std::unique_ptr<Invariant> spares_sound_machines(const ApiServer& api);
// No third attempt of one job is bound to a node that Karpenter has tainted: each is interrupted as soon as it is
// bound.
[[nodiscard]] std::unique_ptr<Invariant> few_land_on_leaving_nodes(const ApiServer& api);
// No machine of a pool is asked to go for the sake of a job that does not use the pool.
[[nodiscard]] std::unique_ptr<Invariant> ends_own_machines(const ApiServer& api);
// No operator gives a node back without need, since it has drifted, say, while a job trains there that has not just
// saved a durable checkpoint and reported it.
[[nodiscard]] std::unique_ptr<Invariant> rolls_no_trainer(const ApiServer& api, const EventLoop& loop);
// No job is called Complete unless all its trainers finished.
[[nodiscard]] std::unique_ptr<Invariant> complete_is_true(const ApiServer& api, const TrainingLog& training);
// No trainer that saves because it was asked to stop loses the processes it saves with while the save could
// still be complete before the margin at the end of its grace.
[[nodiscard]] std::unique_ptr<Invariant> stop_lets_save();
// A trainer that hangs is ended by its agent once the timeout and its grace have passed, where nothing else stands in
// the way.
[[nodiscard]] std::unique_ptr<Invariant> hangs_are_ended();
// A hang is neither an interruption nor a failure, and no attempt ends as hung whose trainers went on.
[[nodiscard]] std::unique_ptr<Invariant> hangs_count_nothing(const ApiServer& api, const TrainingLog& training);

// An attempt whose saves found no room, and whose agent could say so, is no failure; and none follows before somebody
// has edited the job or let its claim grow, which kGrownClaim says of it.
[[nodiscard]] std::unique_ptr<Invariant> full_volumes_count_nothing(const ApiServer& api, const TrainingLog& training);
inline constexpr std::string_view kGrownClaim = "simulate.reprise.dev/claim-has-grown";

// A job's known save goes down only where it was saved later, where a person has accepted an older one, or where its
// status says that it is put aside as unproven, and no further than that.
[[nodiscard]] std::unique_ptr<Invariant> expectations_fall_for_a_reason(const ApiServer& api);

// The path of the request, without its query.
[[nodiscard]] std::string path_of(const runtime::Request& request);
// True when the request is about Leases, named or not: by them operators agree on who leads, so they are no leader's
// work.
[[nodiscard]] bool asks_for_leases(const runtime::Request& request);

// status of the condition; empty: not there.
[[nodiscard]] std::string_view condition(const Value& object, std::string_view type);
[[nodiscard]] std::string_view reason(const Value& object, std::string_view type);  // the condition's reason
[[nodiscard]] bool has_ended(const Value& job);

}  // namespace reprise::simulator
