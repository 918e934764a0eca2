#include "controllers/metrics/state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/common/capacity_label.h"
#include "controllers/common/conditions.h"
#include "controllers/common/unsaved.h"
#include "controllers/metrics/condition_changes.h"
#include "controllers/metrics/job_changes.h"
#include "controllers/metrics/seconds.h"
#include "controllers/metrics/table.h"

namespace reprise::controllers::metrics {
namespace {

constexpr std::array kStates{JobState::Waiting,   JobState::Starting, JobState::Running,  JobState::Recovering,
                             JobState::Suspended, JobState::Stalled,  JobState::Complete, JobState::Failed};

double dollars(std::string_view decimal) {
  double value = 0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  return value;
}

// No GpuPool can have such a name.
constexpr const char* kPoolNotThere = "(not there)";

struct JobsOfPool {
  std::array<int, kStates.size()> states{};
  int not_fenced = 0, overdue = 0;
  double pending = 0, checkpoint_age = 0;
};

class Reader {
 public:
  // Jobs name pools that may not be there: makers of jobs choose the words, and series are few.
  Reader(kube::Time now, const std::vector<std::shared_ptr<const api::GpuPool>>& pools,
         const StillReports& still_reports)
      : now_(now), still_reports_(still_reports) {
    for (const auto& pool : pools) (void)jobs_[pool->meta.name];  // zeros where it has none
  }

  void look_at(const api::ResumableJob& job) {
    const api::ResumableJobStatus& status = job.status;
    const bool there = job.spec.pool_name.empty() || jobs_.contains(job.spec.pool_name);
    JobsOfPool& pool = jobs_[there ? std::string(job.spec.pool_name) : kPoolNotThere];
    const JobState state = state_of(status);
    ++pool.states[static_cast<std::size_t>(state)];
    if (waits_for_fence(status.conditions)) ++pool.not_fenced;
    look_at("ResumableJob", status.conditions);
    if (state == JobState::Complete || state == JobState::Failed || state == JobState::Suspended) return;
    if (status.last_interruption && !status.last_interruption->recovered_time)
      pool.pending = std::max(pool.pending, seconds_between(status.last_interruption->time, now_));
    if (checkpoint_overdue(job, now_) && still_reports_(job)) ++pool.overdue;
    if (const auto newest = api::newest_checkpoint_time(status))
      pool.checkpoint_age = std::max(pool.checkpoint_age, seconds_between(*newest, now_));
  }

  void look_at(const api::GpuPool& pool) {
    const std::string& name = pool.meta.name;
    const api::GpuPoolStatus& status = pool.status;
    look_at("GpuPool", status.conditions);
    for (const api::CapacityStatus& capacity : status.capacity) {
      const std::pair<std::string, std::string> type{"capacity_type", capacity_label(capacity.type)};
      add(kPoolNodes, name, {type}, capacity.nodes);
      add(kPoolGpus, name, {type, {"state", "used"}}, capacity.gpus_used);
      add(kPoolGpus, name, {type, {"state", "idle"}}, capacity.gpus - capacity.gpus_used);
    }
    for (const api::PoolCapacity& capacity : pool.spec.capacity)
      if (capacity.max_gpus)
        add(kPoolGpusLimit, name, {{"capacity_type", std::string(capacity_label(capacity.type))}}, *capacity.max_gpus);
    add(kPoolUnits, name, {{"state", "used"}}, status.units.used);
    add(kPoolUnits, name, {{"state", "idle"}}, status.units.total - status.units.used);
    add(kPoolCost, name, {}, dollars(status.cost.per_hour));
    add(kPoolIdleCost, name, {}, dollars(status.cost.idle_per_hour));
    add(kPoolOnDemandCost, name, {}, dollars(status.cost.on_demand_per_hour));
    std::int32_t never_useful = 0;
    for (const api::NodePoolBackOff& row : status.startup.back_off) never_useful += row.machines;
    add(kPoolNeverUseful, name, {}, never_useful);
  }

  std::vector<runtime::Reading> all() {
    for (const auto& [pool, jobs] : jobs_) {
      for (const JobState state : kStates)
        add(kJobs, pool, {{"state", std::string(metrics::name_of(state))}},
            jobs.states[static_cast<std::size_t>(state)]);
      add(kNotFencedNow, pool, {}, jobs.not_fenced);
      add(kRecoveryPending, pool, {}, jobs.pending);
      add(kCheckpointKnownAge, pool, {}, jobs.checkpoint_age);
      add(kCheckpointsOverdueNow, pool, {}, jobs.overdue);
    }
    for (const auto& [said, by] : conditions_) {
      const runtime::Labels labels{{"kind", std::string(said.kind)},
                                   {"type", std::string(said.type)},
                                   {"status", std::string(metrics::name_of(said.status))},
                                   {"reason", std::string(said.reason)}};
      readings_.push_back({kConditionCount, labels, static_cast<double>(by.objects)});
      readings_.push_back({kConditionCurrent, labels, by.longest});
    }
    return std::move(readings_);
  }

 private:
  struct Said {
    std::string_view kind, type, reason;
    kube::ConditionStatus status;
    auto operator<=>(const Said&) const = default;
  };

  struct By {
    int objects = 0;
    double longest = 0;
  };

  // Other reasons are the operator's own words, and Kueue's.
  static std::string_view reason_of(const kube::Condition& said) {
    const bool interrupted = said.type == "Interrupted" && said.status == kube::ConditionStatus::True;
    return interrupted ? bounded_reason(said.reason) : std::string_view(said.reason);
  }

  void look_at(std::string_view kind, const std::vector<kube::Condition>& conditions) {
    for (const kube::Condition& each : conditions) {
      By& by = conditions_[{kind, each.type, reason_of(each), each.status}];
      ++by.objects;
      by.longest = std::max(by.longest, seconds_between(each.last_transition_time, now_));
    }
  }
  void add(const char* name, const std::string& pool, runtime::Labels labels, double value) {
    labels.emplace_back("pool", pool);
    readings_.push_back({name, std::move(labels), value});
  }

  kube::Time now_;
  const StillReports& still_reports_;
  std::map<std::string, JobsOfPool> jobs_;
  std::map<Said, By> conditions_;  // refers to objects that outlive this
  std::vector<runtime::Reading> readings_;
};

}  // namespace

JobState state_of(const api::ResumableJobStatus& status) {
  const auto is = [&](std::string_view type) { return is_true(status.conditions, type); };
  if (is("Complete")) return JobState::Complete;
  if (is("Failed")) return JobState::Failed;
  if (is("Suspended")) return JobState::Suspended;
  if (is("Stalled")) return JobState::Stalled;
  if (is("Interrupted")) return JobState::Recovering;
  if (is("PodsReady")) return JobState::Running;
  return status.members.empty() ? JobState::Waiting : JobState::Starting;
}

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::Waiting:
      return "Waiting";
    case JobState::Starting:
      return "Starting";
    case JobState::Running:
      return "Running";
    case JobState::Recovering:
      return "Recovering";
    case JobState::Suspended:
      return "Suspended";
    case JobState::Stalled:
      return "Stalled";
    case JobState::Complete:
      return "Complete";
    case JobState::Failed:
      return "Failed";
  }
  return {};
}

std::vector<runtime::Reading> readings(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs,
                                       const std::vector<std::shared_ptr<const api::GpuPool>>& pools, kube::Time now,
                                       const StillReports& still_reports) {
  Reader reader(now, pools, still_reports);
  for (const auto& job : jobs) reader.look_at(*job);
  for (const auto& pool : pools) reader.look_at(*pool);
  return reader.all();
}

}  // namespace reprise::controllers::metrics
