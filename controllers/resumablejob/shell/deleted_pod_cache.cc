#include "controllers/resumablejob/shell/deleted_pod_cache.h"

#include <algorithm>

#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {

// Finds the job as for pods that are there (observe.cc): of pods that a job controls, and of those that it has
// recorded.
std::shared_ptr<const api::ResumableJob> DeletedPodCache::job_of(const kube::Pod& pod) const {
  const kube::OwnerReference* const owner = controlling_job(pod.meta);
  auto job = jobs_.by_uid(owner != nullptr ? std::string_view(owner->uid) : pod.meta.label(kJobUidLabel));
  if (!job || job->meta.namespace_ != pod.meta.namespace_) return nullptr;
  const bool own = is_of_job(pod.meta, *job) ||
                   std::ranges::any_of(job->status.members,
                                       [&](const api::RankStatus& each) { return each.pod_uid == pod.meta.uid; });
  return own ? job : nullptr;
}

void DeletedPodCache::on_leaving(const std::shared_ptr<const kube::Pod>& last, bool final_state_unknown) {
  if (last->meta.label(kAttemptLabel).empty()) return;
  const auto job = job_of(*last);
  if (!job) return;
  if (final_state_unknown && last->node_name.empty()) return;
  const std::lock_guard lock(mutex_);
  by_job_[job->meta.uid].push_back(last);
}

std::vector<std::shared_ptr<const kube::Pod>> DeletedPodCache::of_job(std::string_view job_uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_job_.find(job_uid);
  return found == by_job_.end() ? std::vector<std::shared_ptr<const kube::Pod>>{} : found->second;
}

std::size_t DeletedPodCache::size() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [job, pods] : by_job_) count += pods.size();
  return count;
}

void DeletedPodCache::forget(std::string_view job_uid, const std::vector<std::shared_ptr<const kube::Pod>>& shown,
                             const std::vector<std::string>& kept) {
  const std::lock_guard lock(mutex_);
  const auto found = by_job_.find(job_uid);
  if (found == by_job_.end()) return;
  std::erase_if(found->second, [&](const auto& pod) {
    return std::ranges::find(shown, pod) != shown.end() && std::ranges::find(kept, pod->meta.uid) == kept.end();
  });
  if (found->second.empty()) by_job_.erase(found);
}

void DeletedPodCache::drop(std::string_view job_uid) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_job_.find(job_uid); found != by_job_.end()) by_job_.erase(found);
}

}  // namespace reprise::controllers::resumablejob
