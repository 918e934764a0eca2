#include "controllers/resumablejob/claims/unproven.h"

#include <algorithm>
#include <utility>

#include "controllers/resumablejob/pods/names.h"
#include "protocol/unproven.h"

namespace reprise::controllers::resumablejob {
namespace {

// Reads what records and reports have alike. Numbers that no agent tells say nothing.
template <class Told>
std::optional<PutAside> put_aside_in(const Told& told) {
  if (told.unproven.value_or(0) <= 0 || told.unproven_step.value_or(-1) < 0) return std::nullopt;
  return PutAside{*told.unproven, *told.unproven_step};
}

const protocol::LiveReport* report_of(const Observation& seen, const Rank& rank) {
  const auto report = seen.reports.find(rank.memory.pod_uid);
  if (report == seen.reports.end()) return nullptr;
  const protocol::LiveReport& said = report->second->said;
  return said.attempt == seen.job->status.attempt ? &said : nullptr;
}

// The step that the agent says; where it says none, that of the newest complete checkpoint that was there before its
// trainer ran.
std::optional<std::int64_t> resumed_from(const protocol::LiveReport& report) {
  const bool was_there = !report.resumed_from && report.checkpoint && report.checkpoint->before;
  return was_there ? std::optional(report.checkpoint->step) : report.resumed_from;
}

// All of them load one step: where they contradict each other, the highest explains the least.
std::optional<PutAside> told_by(const Observation& seen, const std::vector<Rank>& ranks) {
  std::optional<PutAside> told;
  std::optional<std::int64_t> highest;
  for (const Rank& rank : ranks) {
    if (rank.state == RankState::Refused) continue;
    const auto take = [&](const auto& said, const std::optional<std::int64_t>& resumed_from) {
      if (!told) told = put_aside_in(said);
      highest = std::max(highest, resumed_from);
    };
    if (rank.record)
      take(*rank.record, rank.record->resumed_from);
    else if (const auto* report = report_of(seen, rank))
      take(*report, resumed_from(*report));
  }
  if (told) told->resumed_from = highest;
  return told;
}

// The step of what is resumed from, with as much as is known of it.
api::CheckpointStatus proven_checkpoint(PlanBuilder& builder, std::int64_t step, const std::vector<Rank>& ranks) {
  api::CheckpointStatus found;
  found.step = step;
  for (const Rank& rank : ranks) {
    const auto* report = report_of(builder.seen, rank);
    if (rank.record && rank.record->step == step) {
      found.path = rank.record->path;
      found.time = rank.record->checkpoint_time;
      found.verified = rank.record->durable && !rank.record->structure_only;
      break;
    }
    if (report != nullptr && report->checkpoint && report->checkpoint->step == step) {
      found.path = report->checkpoint->path;
      found.time = report->checkpoint->time;
      found.verified = !report->checkpoint->structure_only;
      break;
    }
  }
  const api::ResumableJobStatus& status = builder.status();
  if (!found.time && status.checkpoint && status.checkpoint->step == step) found.time = status.checkpoint->time;
  return found;
}

// The machines of the last attempt went without a word, so that nothing of what was done again is counted yet.
bool went_without_a_word(const api::ResumableJobStatus& status) {
  const auto& last = status.last_interruption;
  return last && status.last_end && last->time == status.last_end->time && !last->asked;
}

// Training since the checkpoint that is resumed from is done again. `since`: until then it is counted already.
void count_work_done_again(api::ResumableJobStatus& status, std::optional<kube::Time> since, kube::Time until) {
  if (!since || *since >= until) return;
  status.lost_seconds += std::chrono::duration_cast<std::chrono::seconds>(until - *since).count();
}

// Expects, from now on, no more of the volume than what this attempt resumes from.
void expect_proven(PlanBuilder& builder, api::CheckpointStatus proven) {
  api::ResumableJobStatus& status = builder.status();
  proven.claim_name = status.checkpoint->claim_name;
  proven.claim_uid = status.checkpoint->claim_uid;
  proven.volume = status.checkpoint->volume;
  if (has_volume_each(*builder.seen.job)) proven.path = {};  // each rank may call it after itself
  if (status.progress) {
    status.progress->checkpoint.reset();
    count_from(proven.step, *status.progress);
  }
  status.trained_seconds.reset();  // nobody knows how much came before this one
  status.checkpoint = std::move(proven);
}

std::string describe(std::int32_t attempt, const PutAside& aside, const std::string& place) {
  const bool one = aside.checkpoints == 1;
  const std::string step = std::to_string(aside.step);
  const std::string what =
      one ? "a complete checkpoint, step " + step + ", is"
          : std::to_string(aside.checkpoints) + " complete checkpoints, up to step " + step + ", are";
  const std::string from = aside.resumed_from ? "resumes from step " + std::to_string(*aside.resumed_from)
                                              : std::string("starts from what was there before");
  return what + " not proven to be on the storage, since an end came that no agent saw: attempt " +
         std::to_string(attempt) + " has put " + (one ? "it" : "them") + " aside and " + from + "; " +
         (one ? "it lies" : "they lie") + " in " + place +
         ", and nobody deletes what lies there. Nothing has to be done; who knows that one is whole suspends the job, "
         "moves it back to its place, sets spec.checkpoint.unproven to Use and resumes the job";
}

}  // namespace

void follow_proof(PlanBuilder& builder, const PutAside& aside, const std::vector<Rank>& ranks,
                  const std::string& place) {
  api::ResumableJobStatus& status = builder.status();
  const bool first = !status.unproven || status.unproven->attempt != status.attempt;
  const bool silent = went_without_a_word(status);
  if (aside.resumed_from) {
    api::CheckpointStatus proven = proven_checkpoint(builder, *aside.resumed_from, ranks);
    const auto& known = status.checkpoint;
    if (first && silent) count_work_done_again(status, proven.time, status.last_end->time);
    if (known && protocol::was_put_aside(known->step, aside.resumed_from, aside.step)) {
      if (!silent && known->time) count_work_done_again(status, proven.time, *known->time);
      expect_proven(builder, std::move(proven));
    }
  }
  if (!first) return;
  api::UnprovenStatus said{.attempt = status.attempt,
                           .checkpoints = aside.checkpoints,
                           .step = aside.step,
                           .resumed_from = aside.resumed_from,
                           .message = describe(status.attempt, aside, place)};
  builder.announce(EventType::Warning, "CheckpointUnproven", "StartAttempt", said.message);
  if (aside.resumed_from)
    builder.outlook.checkpoint = {kube::ConditionStatus::True, {"UnprovenPutAside", said.message}};
  status.unproven = std::move(said);
}

void take_unproven(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const api::ResumableJob& job = *builder.seen.job;
  // The lists tell of it before any rank starts, where ranks have a volume each (common_step.h).
  if (job.spec.checkpoint.unproven == api::UnprovenCheckpoints::Use || has_volume_each(job)) return;
  if (const auto aside = told_by(builder.seen, ranks))
    follow_proof(builder, *aside, ranks, ".reprise/unproven on PersistentVolumeClaim " + claim_name(job, 0));
}

}  // namespace reprise::controllers::resumablejob
