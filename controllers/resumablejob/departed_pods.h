// The last seen state of jobs' pods that are gone: a pod often vanishes in the same moment in which it tells how it
// ended. Kept until the job's status has taken it in. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/kubernetes/pod.h"
#include "api/resumable_job.h"
#include "runtime/cache/informer.h"

namespace reprise::controllers::resumablejob {

class DepartedPods final : public runtime::Listener<api::Pod> {
 public:
  // `jobs` outlives this: pods of a job that is gone are not kept.
  explicit DepartedPods(const runtime::Store<api::ResumableJob>& jobs) : jobs_(jobs) {}
  void on_add(const api::Pod&) override {}
  void on_update(const api::Pod&, const api::Pod&) override {}
  // A state that may be older than the pod's end says nothing about where it was not: an unbound one is dropped.
  void on_delete(std::shared_ptr<const api::Pod> last, bool final_state_unknown) override;

  [[nodiscard]] std::vector<std::shared_ptr<const api::Pod>> of_job(std::string_view job_uid) const;
  // Keeps only the pods of this job whose uid is listed.
  void keep_only(std::string_view job_uid, const std::vector<std::string>& pod_uids);

 private:
  const runtime::Store<api::ResumableJob>& jobs_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::shared_ptr<const api::Pod>>, std::less<>> by_job_;
};

}  // namespace reprise::controllers::resumablejob
