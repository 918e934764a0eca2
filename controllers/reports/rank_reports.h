// The newest report of each rank, for as long as its pod is there. In memory alone: after a change of leader the next
// reports fill it again.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "controllers/reports/rank_report.h"
#include "runtime/base/object_key.h"
#include "runtime/cache/informer.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers::reports {

// The time between two writes of what ranks say to the status of a job: 30 s, and where many jobs report longer, so
// that all together write to the API server some 20 times a second.
[[nodiscard]] std::chrono::seconds status_interval(std::size_t reporting_jobs);
// The time after which the next report of a pod is welcome: 10 s, and where many report later, so that some 100 come in
// a second.
[[nodiscard]] std::chrono::seconds report_interval(std::size_t reporting_pods);

// Any thread.
class RankReports final : public runtime::Listener<kube::Pod> {
 public:
  // A pod that speaks more often is not listened to.
  static constexpr std::chrono::milliseconds least_interval{900};

  // `wake` is called for a job when there is something new for its status, no more often than that is written.
  void on_news(std::function<void(const runtime::ObjectKey&)> wake);
  // Returns false when this pod has just spoken, and is not listened to.
  bool take(const runtime::ObjectKey& job, std::string_view pod_uid, protocol::LiveReport said, kube::Time now);
  // Forgets a pod that is gone; on_delete() may have been told of it before take().
  void forget(std::string_view pod_uid);
  // Null: the pod has said nothing.
  [[nodiscard]] std::shared_ptr<const RankReport> of(std::string_view pod_uid) const;
  // A pod that has not spoken for so long (six intervals) is silent. It may well train and save.
  [[nodiscard]] std::chrono::seconds silent_after() const;
  // True when the pod has spoken since: it is not silent.
  [[nodiscard]] bool speaks(std::string_view pod_uid, kube::Time now) const;
  [[nodiscard]] std::chrono::seconds status_interval() const;
  [[nodiscard]] std::chrono::seconds report_interval() const;
  [[nodiscard]] std::size_t size() const;

  void on_add(const kube::Pod&) override {}
  void on_update(const kube::Pod&, const kube::Pod&) override {}
  void on_delete(std::shared_ptr<const kube::Pod> last, bool final_state_unknown) override;

 private:
  struct Job {
    kube::Time woken{};
    std::size_t pods = 0;
  };
  struct Entry {
    runtime::ObjectKey job;
    std::shared_ptr<const RankReport> report;
  };
  bool due(Job& job, kube::Time now) const;

  mutable std::mutex mutex_;
  std::function<void(const runtime::ObjectKey&)> wake_;
  std::map<std::string, Entry, std::less<>> by_pod_;  // by uid
  std::map<runtime::ObjectKey, Job> jobs_;
};

}  // namespace reprise::controllers::reports
