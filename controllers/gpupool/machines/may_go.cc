#include "controllers/gpupool/machines/may_go.h"

#include <algorithm>
#include <set>

#include "controllers/common/do_not_disrupt.h"
#include "controllers/common/job_of.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/warm/warm_pod.h"

namespace reprise::controllers::gpupool {
namespace {

// As agents say it (protocol/reported_volume.h).
constexpr std::string_view kNothingIsDurable = "StructureOnly";

std::string named(const kube::ObjectMeta& meta) {
  return std::string(meta.namespace_) + "/" + std::string(meta.name);
}

bool is_controlled_by(const kube::Pod& pod, std::string_view kind) {
  const kube::OwnerReference* owner = pod.meta.controller();
  return owner != nullptr && owner->kind == kind;
}

// The time at which the pool moved the job: by the job's own account, or, where it did not see why it was interrupted,
// by the pool's record of the node that it rolled and the job's of the one on which it was interrupted last.
std::optional<kube::Time> moved_at(const api::GpuPool& pool, const api::ResumableJob& job) {
  const auto& last = job.status.last_interruption;
  std::optional<kube::Time> moved = job.status.last_planned_time;
  for (const api::RolledNode& each : pool.status.drift.rolled) {
    if (last && std::string_view(each.node) == last->node && each.time <= last->time)
      moved = std::max(moved.value_or(last->time), last->time);
  }
  return moved;
}

}  // namespace

std::string why_not_just_saved(const api::ResumableJob& job, kube::Time now, std::chrono::seconds within) {
  const api::ResumableJobStatus& status = job.status;
  const std::string who = "job " + named(job.meta);
  const bool all_run = std::ranges::none_of(status.members, [](const api::RankStatus& each) {
    return each.proof != api::EndProof::None || each.exit_code || each.finished;
  });
  const bool trains =
      !status.members.empty() && all_run && !status.attempt_end && status.ready_attempt == status.attempt;
  if (!trains || !status.attempt_start_time) return who + ", which does not train now";
  const auto& told = status.progress;
  const auto saved = told && told->checkpoint ? told->checkpoint->time : std::nullopt;
  if (!saved || *saved <= *status.attempt_start_time) return who + ", which has reported no checkpoint in its attempt";
  if (told->volume && told->volume->durability == kNothingIsDurable)
    return who + ", on whose volume nothing proves a checkpoint durable";
  if (!told->checkpoint->verified) return who + ", whose newest checkpoint is not known to be durable yet";
  const bool is_fresh = *saved >= now - within && *saved <= now + kJustSaved;
  return is_fresh ? std::string() : who + ", which has not just saved";
}

NodeUsers::NodeUsers(const Observation& seen) : seen_(seen) {
  for (const auto& pod : seen.pods) {
    if (!has_ended(*pod)) pods_[pod->node_name].push_back(pod.get());
  }
}

MayGo NodeUsers::may_go(const kube::Node& node) const {
  if (asks_to_stay(node.meta))
    return {.answer = MayGo::Answer::Kept, .why = "it carries " + std::string(kDoNotDisruptAnnotation)};
  MayGo all;
  const auto pods = pods_.find(node.meta.name);
  if (pods == pods_.end()) return all;
  std::set<const api::ResumableJob*> jobs;
  for (const kube::Pod* pod : pods->second)
    if (!is_standby(*pod)) jobs.insert(job_of(*pod));
  jobs.erase(nullptr);
  const auto within = kJustSaved * std::clamp<std::size_t>(jobs.size(), 1, kMostTimes);
  for (const kube::Pod* pod : pods->second) {
    if (is_controlled_by(*pod, "DaemonSet") || is_warm(*pod) || is_standby(*pod)) continue;
    const MayGo of_pod = may_be_moved(*pod, within);
    all.is_used = all.is_used || of_pod.is_used;
    // A reason to stay for good is told before one that passes.
    if (of_pod.answer > all.answer) {
      all.answer = of_pod.answer;
      all.why = of_pod.why;
    }
    if (of_pod.look_again && (!all.look_again || *of_pod.look_again < *all.look_again))
      all.look_again = of_pod.look_again;
  }
  return all;
}

const api::ResumableJob* NodeUsers::job_of(const kube::Pod& pod) const {
  const kube::OwnerReference* const owner = controlling_job(pod.meta);
  const auto job = owner == nullptr ? seen_.users.end() : seen_.users.find(owner->uid);
  return job != seen_.users.end() && is_of_job(pod.meta, *job->second) ? job->second.get() : nullptr;
}

MayGo NodeUsers::may_be_moved(const kube::Pod& pod, std::chrono::seconds within) const {
  const api::ResumableJob* job = job_of(pod);
  if (job == nullptr) {
    if (!asks_to_stay(pod.meta)) return {};
    return {.answer = MayGo::Answer::Kept,
            .why = "pod " + named(pod.meta) + " carries " + std::string(kDoNotDisruptAnnotation)};
  }
  if (const auto moved = moved_at(*seen_.pool, *job); moved && seen_.now < *moved + kMovedOnceIn)
    return {.answer = MayGo::Answer::AtCheckpoint,
            .why = "job " + named(job->meta) + ", which was moved within the last hour",
            .is_used = true,
            .look_again = *moved + kMovedOnceIn};
  std::string why = why_not_just_saved(*job, seen_.now, within);
  return {
      .answer = why.empty() ? MayGo::Answer::Now : MayGo::Answer::AtCheckpoint, .why = std::move(why), .is_used = true};
}

}  // namespace reprise::controllers::gpupool
