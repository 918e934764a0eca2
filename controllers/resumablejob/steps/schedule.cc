#include "controllers/resumablejob/steps/schedule.h"

#include <algorithm>
#include <charconv>

#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/steps/never_fits.h"

namespace reprise::controllers::resumablejob {
namespace {

using std::chrono::seconds;

// Bounds numbers that nobody can mean; sums of it stay far from where they would wrap.
constexpr std::int64_t kLongestWork = std::int64_t{100} * 366 * 24 * 3600;

seconds bounded(std::int64_t value) {
  return seconds(std::clamp<std::int64_t>(value, 0, kLongestWork));
}

bool trains(const api::ResumableJobStatus& status) {
  return !status.members.empty() && !status.attempt_end && status.ready_attempt == status.attempt;
}

// True when the progress was told since the attempt began.
bool is_of_this_attempt(const api::ResumableJobStatus& status) {
  const auto& said = status.progress;
  return said && said->last_updated_time && status.attempt_start_time &&
         *said->last_updated_time >= *status.attempt_start_time;
}

std::int64_t checkpoint_step(const api::ResumableJobStatus& status) {
  if (status.progress && status.progress->checkpoint) return status.progress->checkpoint->step;
  return status.checkpoint ? status.checkpoint->step : 0;
}

// Steps that are in no checkpoint are made once more.
seconds to_repeat(const api::ResumableJobStatus& status) {
  const auto rate = steps_per_second(*status.progress);
  const auto& step = status.progress->step;
  const std::int64_t saved = checkpoint_step(status);
  if (!rate || !step || *step <= saved) return seconds(0);
  return bounded_work(static_cast<double>(*step - saved) / *rate);
}

std::optional<seconds> told_by_ranks(const api::ResumableJobStatus& status) {
  if (!status.progress || !status.progress->estimated_remaining_seconds) return std::nullopt;
  return bounded(*status.progress->estimated_remaining_seconds);
}

// The rest of the estimate; `percentage`: the part of the work that is done.
seconds share_left(std::int64_t estimate, std::int32_t percentage) {
  return bounded(estimate * (100 - std::clamp(percentage, 0, 100)) / 100);
}

// Earlier work counts for nothing in an attempt that begins from scratch.
bool begins_anew(const api::ResumableJob& job) {
  return job.spec.resume == api::ResumePolicy::Never || may_start_from_scratch(job);
}

std::optional<seconds> left_of_estimate(const api::ResumableJob& job, const api::ResumableJobStatus& status) {
  const auto& estimate = job.spec.placement->estimated_seconds;
  if (!estimate) return std::nullopt;
  return bounded(*estimate - status.trained_seconds.value_or(0));
}

std::optional<seconds> left_of_what_waits(const api::ResumableJob& job, const api::ResumableJobStatus& status) {
  const auto& estimate = job.spec.placement->estimated_seconds;
  if (begins_anew(job)) return estimate ? std::optional(bounded(*estimate)) : std::nullopt;
  if (const auto told = told_by_ranks(status)) return *told + to_repeat(status);
  const auto& said = status.progress;
  if (estimate && said && said->percentage) return share_left(*estimate, *said->percentage) + to_repeat(status);
  return left_of_estimate(job, status);
}

// The time at which the running attempt will be complete, by what it has said, or by how long it has run.
std::optional<kube::Time> finish_of_what_runs(const api::ResumableJob& job, const api::ResumableJobStatus& status) {
  const auto& estimate = job.spec.placement->estimated_seconds;
  if (is_of_this_attempt(status)) {
    const api::ProgressStatus& said = *status.progress;
    if (const auto told = told_by_ranks(status)) return *said.last_updated_time + *told;
    if (estimate && said.percentage) return *said.last_updated_time + share_left(*estimate, *said.percentage);
  }
  const auto left = left_of_estimate(job, status);
  return left && status.ready_time ? std::optional(*status.ready_time + *left) : std::nullopt;
}

std::string text_of(seconds time) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(time).count();
  return minutes < 120 ? std::to_string(minutes) + " min" : std::to_string(minutes / 60) + " h";
}

Schedule of_what_runs(const Observation& seen, const api::ResumableJobStatus& status, kube::Time complete_by) {
  Schedule out{.in_time = InTime::Unknown};
  const std::string due = " spec.placement.completeBy " + kube::format_time(complete_by);
  if (seen.now > complete_by) return {.in_time = InTime::No, .message = "attempt still runs after" + due};
  out.next_change = complete_by + std::chrono::seconds(1);
  const auto finish = finish_of_what_runs(*seen.job, status);
  if (!finish) return out;
  out.in_time = *finish <= complete_by ? InTime::Yes : InTime::No;
  out.message = "attempt " + std::to_string(status.attempt) + " will be complete about " + kube::format_time(*finish) +
                (out.in_time == InTime::Yes ? ", in time for" : ", later than") + due;
  return out;
}

// True when the job may run on either kind of capacity, and whoever runs it may choose. Kueue has counted the quota of
// one of them for a job in a queue.
bool may_choose(const Observation& seen) {
  const api::ResumableJobSpec& spec = seen.job->spec;
  const auto has = [&](api::CapacityType type) {
    return std::ranges::find(seen.pool->spec.capacity, type, &api::PoolCapacity::type) !=
           seen.pool->spec.capacity.end();
  };
  return seen.pool && queue_name(*seen.job).empty() &&
         spec.placement->capacity == api::PlacementCapacity::SpotPreferred && has(api::CapacityType::Spot) &&
         has(api::CapacityType::OnDemand);
}

Schedule of_what_waits(const Observation& seen, const api::ResumableJobStatus& status, kube::Time complete_by) {
  Schedule out{.in_time = InTime::Unknown};
  out.work_left = left_of_what_waits(*seen.job, status);
  if (!out.work_left) return out;
  const seconds changeover = longest_changeover(status);
  const kube::Time last_start = complete_by - *out.work_left - changeover;
  const kube::Time last_spot = may_choose(seen) ? last_start - changeover : last_start;
  const std::string left = "about " + text_of(*out.work_left) + " of work are left";
  const std::string due = ", and spec.placement.completeBy is " + kube::format_time(complete_by);
  if (seen.now < last_spot) {
    out.in_time = InTime::Yes;
    out.next_change = last_spot;
    out.message = left + due + (may_choose(seen) ? ": spot may be waited for until " : ": it has to start by ") +
                  kube::format_time(last_spot);
  } else if (seen.now < last_start) {
    out.in_time = InTime::NeedsOnDemand;
    out.next_change = last_start;
    out.message = left + due + ": what is lost once more to spot would not be made up for";
  } else {
    out.in_time = InTime::No;
    out.message = left + ", too much for spec.placement.completeBy " + kube::format_time(complete_by);
  }
  return out;
}

}  // namespace

std::optional<double> steps_per_second(const api::ProgressStatus& progress) {
  const std::string_view text = progress.steps_per_second;
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = problem == std::errc{} && end == text.data() + text.size() && value > 0;
  return all ? std::optional(value) : std::nullopt;
}

seconds bounded_work(double value) {
  return seconds(static_cast<std::int64_t>(std::clamp(value, 0.0, static_cast<double>(kLongestWork))));
}

seconds longest_changeover(const api::ResumableJobStatus& status) {
  const seconds took = kBoot + bounded(status.start_seconds.value_or(0));
  return std::clamp<seconds>(took, kChangeover, std::chrono::hours(24));
}

Schedule schedule_of(const Observation& seen, const api::ResumableJobStatus& status) {
  const auto& placement = seen.job->spec.placement;
  if (!placement || !placement->complete_by)
    return {.in_time = InTime::NoDeadline, .message = "spec.placement.completeBy is not set"};
  const kube::Time complete_by = *placement->complete_by;
  Schedule out = trains(status) ? of_what_runs(seen, status, complete_by) : of_what_waits(seen, status, complete_by);
  if (out.in_time == InTime::Unknown)
    out.message =
        "nobody has said how much work is left: set spec.placement.estimatedSeconds, or let the trainer tell its steps";
  return out;
}

kube::Text capacity_to_request(const Observation& seen, const api::ResumableJobStatus& status) {
  if (!seen.job->spec.placement || !may_choose(seen)) return {};
  const auto if_it_fits = [&](api::CapacityType type) {
    return may_fit_on(seen, type) ? kube::Text(api::name(type)) : kube::Text();
  };
  switch (schedule_of(seen, status).in_time) {
    case InTime::NoDeadline:
    case InTime::Unknown:
    case InTime::No:
      return {};
    case InTime::Yes:
      return if_it_fits(api::CapacityType::Spot);
    case InTime::NeedsOnDemand:
      return if_it_fits(api::CapacityType::OnDemand);
  }
  return {};
}

void count_trained(api::ResumableJobStatus& status, const api::AttemptEnd& end, kube::Time checkpoint_time) {
  if (!status.ready_time || status.ready_attempt != end.attempt) return;
  const auto trained = std::chrono::floor<seconds>(std::min(checkpoint_time, end.time) - *status.ready_time);
  if (trained > seconds(0)) status.trained_seconds = status.trained_seconds.value_or(0) + trained.count();
}

}  // namespace reprise::controllers::resumablejob
