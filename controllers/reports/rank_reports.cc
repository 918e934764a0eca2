#include "controllers/reports/rank_reports.h"

#include <algorithm>
#include <utility>

namespace reprise::controllers::reports {
namespace {

constexpr int kSilentAfter = 6;  // intervals

std::optional<protocol::ListedCheckpoint> saved_before(const RankReport& last, const protocol::LiveReport& said) {
  const auto& then = last.said.checkpoint;
  const bool same =
      then && said.checkpoint && said.checkpoint->step == then->step && said.checkpoint->path == then->path;
  // The trainer has deleted it, or a full read has found it damaged: what came before that is not known any more.
  const bool taken_back = then && (!said.checkpoint || said.checkpoint->step < then->step);
  if (taken_back) return std::nullopt;
  if (!then || then->structure_only || same) return last.saved_before;
  return protocol::ListedCheckpoint{then->step, protocol::fingerprint_of(then->common_name, then->path)};
}

}  // namespace

std::chrono::seconds status_interval(std::size_t reporting_jobs) {
  constexpr std::size_t writes_a_second = 20;
  return std::max(std::chrono::seconds(30), std::chrono::seconds(reporting_jobs / writes_a_second));
}

std::chrono::seconds report_interval(std::size_t reporting_pods) {
  constexpr std::size_t reports_a_second = 100;
  return std::max(std::chrono::seconds(10), std::chrono::seconds(reporting_pods / reports_a_second));
}

void RankReports::on_news(std::function<void(const runtime::ObjectKey&)> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

// A clock that was set back counts as time that has passed.
bool RankReports::due(Job& job, kube::Time now) const {
  if (job.woken <= now && now < job.woken + reports::status_interval(jobs_.size())) return false;
  job.woken = now;
  return true;
}

bool RankReports::take(const runtime::ObjectKey& job, std::string_view pod_uid, protocol::LiveReport said,
                       kube::Time now) {
  std::function<void(const runtime::ObjectKey&)> wake;
  {
    const std::lock_guard lock(mutex_);
    const auto known = by_pod_.find(pod_uid);
    if (known != by_pod_.end()) {
      const kube::Time before = known->second.report->received;
      if (before <= now && now < before + least_interval) return false;
    }
    Job& of_job = jobs_[job];
    if (known == by_pod_.end()) ++of_job.pods;
    const auto before = known == by_pod_.end() ? std::nullopt : saved_before(*known->second.report, said);
    auto report = std::make_shared<const RankReport>(
        RankReport{.said = std::move(said), .received = now, .saved_before = before});
    by_pod_.insert_or_assign(std::string(pod_uid), Entry{job, std::move(report)});
    if (due(of_job, now)) wake = wake_;
  }
  if (wake) wake(job);
  return true;
}

std::shared_ptr<const RankReport> RankReports::of(std::string_view pod_uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_pod_.find(pod_uid);
  return found == by_pod_.end() ? nullptr : found->second.report;
}

bool RankReports::speaks(std::string_view pod_uid, kube::Time now) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_pod_.find(pod_uid);
  return found != by_pod_.end() &&
         now - found->second.report->received <= kSilentAfter * reports::report_interval(by_pod_.size());
}

std::chrono::seconds RankReports::silent_after() const {
  return kSilentAfter * report_interval();
}

std::chrono::seconds RankReports::status_interval() const {
  const std::lock_guard lock(mutex_);
  return reports::status_interval(jobs_.size());
}

std::chrono::seconds RankReports::report_interval() const {
  const std::lock_guard lock(mutex_);
  return reports::report_interval(by_pod_.size());
}

std::size_t RankReports::size() const {
  const std::lock_guard lock(mutex_);
  return by_pod_.size();
}

void RankReports::on_delete(std::shared_ptr<const kube::Pod> last, bool /*final_state_unknown*/) {
  forget(last->meta.uid);
}

void RankReports::forget(std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  const auto found = by_pod_.find(pod_uid);
  if (found == by_pod_.end()) return;
  const auto job = jobs_.find(found->second.job);
  if (job != jobs_.end() && --job->second.pods == 0) jobs_.erase(job);
  by_pod_.erase(found);
}

}  // namespace reprise::controllers::reports
