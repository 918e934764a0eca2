#include "controllers/metrics/job_state.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/newest_checkpoint.h"
#include "controllers/metrics/seconds.h"
#include "controllers/metrics/table.h"

namespace reprise::controllers::metrics {
namespace {

// Holds what most comparisons need: the jobs themselves lie scattered.
struct Candidate {
  const api::ResumableJob* job = nullptr;
  bool suspended = false;
  bool waits = false;
  kube::Time created{};

  bool operator<(const Candidate& other) const {
    if (waits != other.waits) return other.waits;
    if (created != other.created) return created < other.created;
    const auto name = [](const kube::ObjectMeta& meta) {
      return std::pair<std::string_view, std::string_view>(meta.namespace_, meta.name);
    };
    return name(job->meta) < name(other.job->meta);
  }
};

// Read in one pass: this is asked of every job there is.
struct Life {
  bool finished = false;
  bool suspended = false;
};

Life life_of(const api::ResumableJobStatus& status) {
  Life life;
  for (const kube::Condition& each : status.conditions) {
    if (each.status != kube::ConditionStatus::True) continue;
    if (each.type == "Complete" || each.type == "Failed") life.finished = true;
    if (each.type == "Suspended") life.suspended = true;
  }
  return life;
}

std::vector<Candidate> unfinished(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs) {
  std::vector<Candidate> found;
  found.reserve(jobs.size());
  for (const auto& job : jobs) {
    const auto [finished, suspended] = life_of(job->status);
    if (finished) continue;
    found.push_back({job.get(), suspended, suspended || job->status.attempt == 0, job->meta.creation_timestamp});
  }
  return found;
}

class JobReader {
 public:
  explicit JobReader(kube::Time now) : now_(now) {}

  void look_at(const Candidate& candidate) {
    job_ = candidate.job;
    const api::ResumableJobStatus& status = job_->status;
    add(kJobLostSeconds, static_cast<double>(status.lost_seconds));
    checkpoint(candidate.suspended);
    if (status.interruption_count > 0) add(kJobInterruptions, status.interruption_count);
    if (status.progress && status.progress->step) add(kJobProgressStep, static_cast<double>(*status.progress->step));
    const auto& last = status.last_interruption;
    if (last && last->recovered_time && last->training_time)
      add(kJobRestoreSeconds, seconds_between(*last->recovered_time, *last->training_time));
  }

  void leave_out(std::size_t jobs) { readings_.push_back({kJobMetricsLeftOut, {}, static_cast<double>(jobs)}); }
  std::vector<runtime::Reading> all() { return std::move(readings_); }

 private:
  void checkpoint(bool suspended) {
    const api::ResumableJobStatus& status = job_->status;
    const auto* live = api::newer_live_checkpoint(status);
    if (live != nullptr || status.checkpoint)
      add(kJobCheckpointStep, static_cast<double>(live != nullptr ? live->step : status.checkpoint->step));
    const auto saved = api::newest_checkpoint_time(status);
    if (saved && !suspended) add(kJobCheckpointAge, seconds_between(*saved, now_));
    if (status.progress && status.progress->checkpoint && status.progress->checkpoint->save_seconds)
      add(kJobSaveSeconds, static_cast<double>(*status.progress->checkpoint->save_seconds));
  }

  // One of each family for a job, so that no limit there is exceeds MetricsRegistry::most_series.
  void add(const char* name, double value) {
    readings_.push_back({name, {{"namespace", job_->meta.namespace_}, {"resumablejob", job_->meta.name}}, value});
  }

  kube::Time now_;
  const api::ResumableJob* job_ = nullptr;
  std::vector<runtime::Reading> readings_;
};

}  // namespace

std::vector<runtime::Reading> job_readings(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs,
                                           kube::Time now, std::size_t limit) {
  if (limit == 0) return {};
  std::vector<Candidate> candidates = unfinished(jobs);
  const std::size_t shown = std::min(limit, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(shown), candidates.end());
  JobReader reader(now);
  for (std::size_t i = 0; i < shown; ++i) reader.look_at(candidates[i]);
  reader.leave_out(candidates.size() - shown);
  return reader.all();
}

}  // namespace reprise::controllers::metrics
