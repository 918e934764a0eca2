// The last seen state of jobs' pods that are gone: a pod often vanishes in the same moment in which it tells how it
// ended. Kept until the job's status has taken it in. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/resumable_job.h"
#include "runtime/cache/informer.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::resumablejob {

class DeletedPodCache final : public runtime::Listener<kube::Pod> {
 public:
  // `jobs` outlives this: pods of a job that is gone are not kept.
  explicit DeletedPodCache(const runtime::Store<api::ResumableJob>& jobs) : jobs_(jobs) {}
  void on_add(const kube::Pod&) override {}
  void on_update(const kube::Pod&, const kube::Pod&) override {}
  // Called before the pod leaves its cache, so that whoever looks there first and here afterwards finds it. A state
  // that may be older than the pod's end says nothing about where it was not: an unbound one is dropped.
  void on_leaving(const std::shared_ptr<const kube::Pod>& last, bool final_state_unknown) override;
  void on_delete(std::shared_ptr<const kube::Pod>, bool) override {}

  [[nodiscard]] std::vector<std::shared_ptr<const kube::Pod>> of_job(std::string_view job_uid) const;
  // Keeps, of the pods that of_job() has shown, those whose uid is listed. Others have come since, and nobody has
  // looked at them yet.
  void forget(std::string_view job_uid, const std::vector<std::shared_ptr<const kube::Pod>>& shown,
              const std::vector<std::string>& kept);
  // To be notified of the end of jobs: nobody asks for their pods any more.
  [[nodiscard]] runtime::Listener<api::ResumableJob>& of_jobs() { return job_ends_; }
  // How many pods are kept.
  [[nodiscard]] std::size_t size() const;

 private:
  [[nodiscard]] std::shared_ptr<const api::ResumableJob> job_of(const kube::Pod& pod) const;
  void drop(std::string_view job_uid);
  struct JobEnds final : runtime::Listener<api::ResumableJob> {
    explicit JobEnds(DeletedPodCache& owner) : deleted_pods(owner) {}
    void on_add(const api::ResumableJob&) override {}
    void on_update(const api::ResumableJob&, const api::ResumableJob&) override {}
    void on_delete(std::shared_ptr<const api::ResumableJob> last, bool) override { deleted_pods.drop(last->meta.uid); }
    DeletedPodCache& deleted_pods;
  };

  const runtime::Store<api::ResumableJob>& jobs_;
  JobEnds job_ends_{*this};
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::shared_ptr<const kube::Pod>>, std::less<>> by_job_;
};

}  // namespace reprise::controllers::resumablejob
