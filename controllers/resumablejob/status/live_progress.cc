// Takes over what ranks say while they train, for status.progress.
#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/status/told_checkpoint.h"
#include "controllers/resumablejob/steps/room.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using protocol::RankActivity;
using reports::RankReport;

// The reports in the order of the ranks, those that have fallen silent last: what they have said may have been
// overtaken. A rank that has ended says no more: what it did before is over, and its record tells the rest.
std::vector<const RankReport*> reports_of(const Observation& seen, const std::vector<Rank>& ranks) {
  std::vector<const RankReport*> found;
  for (const Rank& rank : ranks) {
    if (rank.ended()) continue;
    const auto report = seen.reports.find(rank.memory.pod_uid);
    if (report != seen.reports.end() && report->second->said.attempt == seen.job->status.attempt)
      found.push_back(report->second.get());
  }
  std::ranges::stable_partition(found, [&](const RankReport* each) { return seen.speaks(*each); });
  return found;
}

kube::Time in_seconds(kube::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

// A gang trains when all of its ranks do: the first that does not says what is waited for.
const RankReport& slowest(const std::vector<const RankReport*>& reports) {
  const auto held_up = std::ranges::find_if(reports, [](const RankReport* each) {
    return each->said.activity == RankActivity::WaitingForPeer || each->said.activity == RankActivity::Restoring;
  });
  return held_up == reports.end() ? *reports.front() : **held_up;
}

// The report with the least step, of ranks with a volume each, whose job goes on from what all have; null while one of
// them has told of none.
const RankReport* least_saved(const std::vector<const RankReport*>& reports, std::size_t ranks) {
  const bool all = reports.size() == ranks && std::ranges::all_of(reports, [](const RankReport* each) {
                     return each->said.checkpoint.has_value();
                   });
  if (!all) return nullptr;
  return *std::ranges::min_element(reports, {}, [](const RankReport* each) { return each->said.checkpoint->step; });
}

// The first report of a checkpoint that is the job's own, on a shared volume. Ranks other than 0 may take what an
// earlier training has left there for the job's.
const RankReport* first_own(const Observation& seen, const std::vector<const RankReport*>& reports) {
  const auto found = std::ranges::find_if(reports, [&](const RankReport* each) {
    const auto& saved = each->said.checkpoint;
    return saved && (each->said.index == 0 || is_no_older_than_job(seen, seen.job->status, saved->time));
  });
  return found == reports.end() ? nullptr : *found;
}

void take_progress(const protocol::ReportedProgress& said, api::ProgressStatus& progress) {
  progress.step = said.step;
  progress.percentage = said.percentage;
  progress.estimated_remaining_seconds = said.remaining_seconds;
  progress.steps_per_second = said.steps_per_second;
}

// A checkpoint that was there before the trainer ran was made by an earlier attempt, whenever this one has seen it
// first.
kube::Time complete_since(const RankReport& report, const api::ResumableJobStatus& status) {
  const protocol::ReportedCheckpoint& said = *report.said.checkpoint;
  const kube::Time first_seen = in_seconds(report.received - std::chrono::seconds(said.age_seconds));
  if (!said.before || !status.attempt_start_time) return first_seen;
  return std::min({first_seen, *status.attempt_start_time, said.time.value_or(first_seen)});
}

// The checkpoint's time stays as it was first said, or as a record has it: each report counts back from another moment.
void take_checkpoint(const RankReport& report, const api::ResumableJobStatus& status, api::ProgressStatus& progress) {
  const protocol::ReportedCheckpoint& said = *report.said.checkpoint;
  auto& known = progress.checkpoint;
  const auto is_said = [&said](const auto& other) {
    return other && other->step == said.step && (said.path.empty() || other->path == said.path);
  };
  if (is_said(known)) {
    if (said.save_seconds) known->save_seconds = said.save_seconds;
    known->verified = !said.structure_only;
    return;
  }
  const auto& recorded = status.checkpoint;
  known = api::LiveCheckpointStatus{
      .step = said.step,
      .path = said.path,
      .format = {},
      .time = is_said(recorded) && recorded->time ? *recorded->time : complete_since(report, status),
      .size_bytes = said.size_bytes,
      .save_seconds = said.save_seconds,
      .verified = !said.structure_only};
  if (api::is_checkpoint_format(said.format)) known->format = said.format;
}

// Each report counts back from another moment: an activity that began within a few seconds of it is the same.
void take_activity(const RankReport& report, api::ProgressStatus& progress) {
  constexpr std::chrono::seconds kSame(5);
  const kube::Time began = in_seconds(report.received - std::chrono::seconds(report.said.activity_seconds));
  const bool goes_on = progress.activity == protocol::name(report.said.activity) && progress.activity_time &&
                       began - kSame <= *progress.activity_time && *progress.activity_time <= began + kSame;
  progress.activity = protocol::name(report.said.activity);
  progress.message = report.said.message;
  if (!goes_on) progress.activity_time = began;
}

// Noted once, for the attempt that recovers the job: where an earlier one was ready without saying so, nobody knows any
// more.
void note_training(PlanBuilder& builder, const std::vector<const RankReport*>& reports) {
  const api::ResumableJobStatus& status = builder.status();
  const auto& last = status.last_interruption;
  if (!last || last->training_time || !status.attempt_start_time) return;
  if (last->recovered_time && *last->recovered_time < *status.attempt_start_time) return;
  for (const RankReport* report : reports) {
    const auto& told = report->said.progress;
    if (!told || !told->trained_seconds) continue;
    builder.status().last_interruption->training_time =
        in_seconds(report->received - std::chrono::seconds(*told->trained_seconds));
    return;
  }
}

// The time before which the status is too young to be written again; empty: it may be now.
std::optional<kube::Time> not_before(const Observation& seen) {
  const auto& progress = seen.job->status.progress;
  if (!progress || !progress->last_updated_time) return std::nullopt;
  const kube::Time last = *progress->last_updated_time;
  if (seen.job->status.attempt_start_time && last < *seen.job->status.attempt_start_time) return std::nullopt;
  const kube::Time next = last + seen.progress_interval;
  return last <= seen.now && seen.now < next ? std::optional(next) : std::nullopt;
}

}  // namespace

void take_reports(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const auto reports = reports_of(builder.seen, ranks);
  if (reports.empty()) return;
  note_training(builder, reports);
  const kube::Time newest = in_seconds((*std::ranges::max_element(reports, {}, &RankReport::received))->received);
  const api::ProgressStatus before = builder.status().progress ? *builder.status().progress : api::ProgressStatus();
  api::ProgressStatus progress = before;
  const auto first_with = [&](auto member) {
    const auto found =
        std::ranges::find_if(reports, [&](const RankReport* each) { return (each->said.*member).has_value(); });
    return found == reports.end() ? nullptr : *found;
  };
  if (const auto* trained = first_with(&protocol::LiveReport::progress))
    take_progress(*trained->said.progress, progress);
  const RankReport* saved =
      has_volume_each(*builder.seen.job) ? least_saved(reports, ranks.size()) : first_own(builder.seen, reports);
  if (saved != nullptr) take_checkpoint(*saved, builder.status(), progress);
  if (const auto* found_out = first_with(&protocol::LiveReport::volume)) {
    if (auto volume = volume_as(found_out->said.volume)) progress.volume = std::move(volume);
  }
  progress.room = short_room(builder.seen, reports, progress.room);
  take_activity(slowest(reports), progress);
  if (progress == before) return;
  if (const auto later = not_before(builder.seen)) return builder.plan.wake_by(*later);
  progress.last_updated_time = newest;
  builder.status().progress = std::move(progress);
}

void point_reports(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  if (!builder.seen.report_to || !builder.plan.actions.empty()) return;
  const std::string wanted = builder.seen.report_to->annotation();
  for (const Rank& rank : ranks) {
    if (!rank.pod || rank.state != RankState::Running) continue;
    const std::string_view found = rank.pod->meta.annotation(protocol::kReportToAnnotation);
    if (found.empty() || found == wanted) continue;  // a pod without one has no token for reports
    builder.plan.actions.emplace_back(PointReports{rank.memory.pod_name, rank.memory.pod_uid, wanted});
  }
}

void forget_activity(api::ResumableJobStatus& status) {
  if (!status.progress) return;
  status.progress->activity = {};
  status.progress->message = {};
  status.progress->activity_time.reset();
}

void show_recorded_checkpoint(api::ResumableJobStatus& status, const api::ResumableJobStatus& written) {
  const bool shown = status.progress && status.progress->checkpoint;
  if (!status.checkpoint || shown || status == written) return;
  if (!status.progress) status.progress.emplace();
  status.progress->checkpoint = api::LiveCheckpointStatus{.step = status.checkpoint->step,
                                                          .path = status.checkpoint->path,
                                                          .format = status.checkpoint->format,
                                                          .time = status.checkpoint->time,
                                                          .size_bytes = status.checkpoint->size_bytes,
                                                          .save_seconds = {},
                                                          .verified = status.checkpoint->verified};
}

}  // namespace reprise::controllers::resumablejob
