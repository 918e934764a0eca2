#include "controllers/resumablejob/claims/common_step.h"

#include <algorithm>

#include "controllers/resumablejob/claims/unproven.h"
#include "controllers/resumablejob/pods/names.h"
#include "protocol/agent_protocol.h"
#include "protocol/unproven.h"

namespace reprise::controllers::resumablejob {
namespace {

using protocol::CommonStep;
using protocol::ListedCheckpoint;

bool is_same(const ListedCheckpoint& a, const ListedCheckpoint& b) {
  return a.step == b.step && a.name == b.name;
}

bool has(const Rank& rank, const ListedCheckpoint& checkpoint) {
  return std::ranges::any_of(rank.listed->checkpoints, [&](const auto& each) { return is_same(each, checkpoint); });
}

bool has_durable(const Rank& rank, const ListedCheckpoint& checkpoint) {
  return std::ranges::any_of(rank.listed->checkpoints,
                             [&](const auto& each) { return is_same(each, checkpoint) && each.is_durable; });
}

bool is_unproven(const Rank& rank, const ListedCheckpoint& checkpoint) {
  return std::ranges::any_of(rank.listed->checkpoints,
                             [&](const auto& each) { return is_same(each, checkpoint) && each.is_unproven; });
}

bool has_step(const Rank& rank, std::int64_t step) {
  return std::ranges::find(rank.listed->checkpoints, step, &ListedCheckpoint::step) != rank.listed->checkpoints.end();
}

bool all_have_listed(const std::vector<Rank>& ranks) {
  return !ranks.empty() && std::ranges::all_of(ranks, [](const Rank& rank) { return rank.listed.has_value(); });
}

std::optional<CommonStep> told(const Rank& rank, std::string_view key) {
  return rank.pod ? protocol::decode_common_step(rank.pod->meta.annotation(key)) : std::nullopt;
}

void tell(PlanBuilder& builder, const std::vector<Rank>& ranks, std::string_view key, const CommonStep& common) {
  for (const Rank& rank : ranks) {
    if (!rank.pod || rank.ended() || rank.pod->meta.deletion_timestamp || told(rank, key) == common) continue;
    builder.plan.actions.emplace_back(
        AnnotatePod{rank.memory.pod_name, rank.memory.pod_uid, key, protocol::encode_common_step(common)});
  }
}

// The checkpoints that a rank which reports now has durable, in this attempt, newest first: the others may be one save
// behind.
std::vector<ListedCheckpoint> reported_checkpoints(const Observation& seen, const Rank& rank) {
  const auto report = seen.reports.find(rank.memory.pod_uid);
  if (rank.ended() || report == seen.reports.end() || !seen.speaks(*report->second)) return {};
  const protocol::LiveReport& said = report->second->said;
  if (said.attempt != seen.job->status.attempt || !said.checkpoint || said.checkpoint->structure_only) return {};
  std::vector<ListedCheckpoint> saved{
      {said.checkpoint->step, protocol::fingerprint_of(said.checkpoint->common_name, said.checkpoint->path)}};
  if (report->second->saved_before) saved.push_back(*report->second->saved_before);
  return saved;
}

// All hold it: whatever comes, a volume without it has been emptied or swapped, or has lost what it never showed to be
// durable. As with a shared volume a person says what is to be given up.
void expect(PlanBuilder& builder, const CommonStep& common) {
  api::ResumableJobStatus& status = builder.status();
  if (!common.step || (status.checkpoint && status.checkpoint->step >= *common.step)) return;
  api::CheckpointStatus checkpoint;
  checkpoint.step = *common.step;
  checkpoint.claim_name = claim_name(*builder.seen.job, 0);
  for (const api::ClaimStatus& claim : status.claims) {
    if (claim.name == checkpoint.claim_name) checkpoint.claim_uid = claim.uid;
  }
  status.checkpoint = std::move(checkpoint);
  status.attempts_without_progress = 0;
  status.attempts_cut_short = 0;
}

// No checkpoint is complete on any volume: a first start, or saves that never are.
void tell_what_is_never_complete(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const auto is_unfit = [](const Rank& rank) { return !rank.listed->unfit.empty(); };
  const auto first = std::ranges::find_if(ranks, is_unfit);
  if (first == ranks.end()) return;
  const auto others = std::ranges::count_if(ranks, is_unfit) - 1;
  builder.announce(EventType::Warning, "NoCommonCheckpoint", "StartAttempt",
                   "no checkpoint on the volumes of the ranks is complete, so that all start anew: on that of rank " +
                       std::to_string(first->memory.index) + " " + first->listed->unfit +
                       (others > 0 ? "; " + std::to_string(others) + " more volumes have the like" : ""));
}

void tell_what_is_given_up(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  if (std::ranges::all_of(ranks, [](const Rank& rank) { return rank.listed->checkpoints.empty(); }))
    return tell_what_is_never_complete(builder, ranks);
  std::string saved;
  for (const Rank& rank : ranks) {
    const auto& all = rank.listed->checkpoints;
    saved += (saved.empty() ? "rank " : ", rank ") + std::to_string(rank.memory.index) +
             (all.empty() ? " has saved none" : " has saved step " + std::to_string(all.front().step));
  }
  builder.announce(EventType::Warning, "NoCommonCheckpoint", "StartAttempt",
                   "no checkpoint is on the volumes of all ranks, so that all start anew: " + saved +
                       "; what they have is kept in .reprise on their volumes");
}

// The checkpoints that all volumes hold: the newest that is to be resumed from, and before it, in the order of rank 0's
// volume, those that some rank cannot prove.
struct OnAllVolumes {
  std::optional<CommonStep> common;
  PutAside unproven;
};

OnAllVolumes look_for_common(const std::vector<Rank>& ranks, api::UnprovenCheckpoints policy) {
  OnAllVolumes found;
  if (!all_have_listed(ranks)) return found;
  const bool use = policy == api::UnprovenCheckpoints::Use;
  bool unclear = std::ranges::any_of(ranks, [](const Rank& rank) { return rank.listed->cut; });
  for (const ListedCheckpoint& each : ranks.front().listed->checkpoints) {
    if (!std::ranges::all_of(ranks, [&](const Rank& rank) { return has(rank, each); })) {
      unclear = unclear || std::ranges::all_of(ranks, [&](const Rank& rank) { return has_step(rank, each.step); });
      continue;
    }
    if (!use && std::ranges::any_of(ranks, [&](const Rank& rank) { return is_unproven(rank, each); })) {
      ++found.unproven.checkpoints;
      found.unproven.step = std::max(found.unproven.step, each.step);
      continue;
    }
    const bool is_durable = std::ranges::all_of(ranks, [&](const Rank& rank) { return has_durable(rank, each); });
    found.common = CommonStep{each.step, each.name, is_durable};
    found.unproven.resumed_from = each.step;
    if (found.unproven.step > each.step) found.common->unproven_step = found.unproven.step;
    return found;
  }
  if (!unclear) found.common = CommonStep{};
  return found;
}

// Returns false when no rank starts, and a person is asked.
bool is_no_loss(const OnAllVolumes& found, const std::optional<api::CheckpointStatus>& expected) {
  const auto& from = found.unproven.resumed_from;
  if (!expected || (from && *from >= expected->step)) return true;
  return protocol::was_put_aside(expected->step, from, found.unproven.step);
}

// Called once, by the first pass that knows it: its status is written before any rank is told.
void decide_for_all(PlanBuilder& builder, const OnAllVolumes& found, const std::vector<Rank>& ranks) {
  if (found.unproven.checkpoints > 0) {
    if (!is_no_loss(found, builder.status().checkpoint)) return;
    return follow_proof(builder, found.unproven, ranks,
                        ".reprise/unproven on the volumes of ranks that cannot prove them, and in .reprise/ahead on "
                        "those of the others");
  }
  if (!found.common->step) tell_what_is_given_up(builder, ranks);
}

}  // namespace

std::optional<CommonStep> newest_common_step(const std::vector<Rank>& ranks, api::UnprovenCheckpoints unproven) {
  return look_for_common(ranks, unproven).common;
}

std::optional<std::int64_t> unproven_on_all(const std::vector<Rank>& ranks) {
  const PutAside found = look_for_common(ranks, api::UnprovenCheckpoints::PutAside).unproven;
  return found.checkpoints > 0 ? std::optional(found.step) : std::nullopt;
}

// Goes by what the pods were made with: those that were to resume nothing have listed nothing.
void agree_on_step(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  if (!has_volume_each(*builder.seen.job)) return;
  std::optional<CommonStep> common;
  for (const Rank& rank : ranks) {
    if (!common) common = told(rank, protocol::kResumeStepAnnotation);
  }
  if (!common) {
    const OnAllVolumes found = look_for_common(ranks, builder.seen.job->spec.checkpoint.unproven);
    common = found.common;
    if (common) decide_for_all(builder, found, ranks);
  }
  if (common) {
    expect(builder, *common);
    return tell(builder, ranks, protocol::kResumeStepAnnotation, *common);
  }
}

std::string why_no_step_is_common(const Observation& seen, const std::vector<Rank>& ranks) {
  if (!has_volume_each(*seen.job) || !all_have_listed(ranks)) return {};
  const bool is_told = std::ranges::any_of(
      ranks, [](const Rank& rank) { return told(rank, protocol::kResumeStepAnnotation).has_value(); });
  if (is_told || newest_common_step(ranks, seen.job->spec.checkpoint.unproven)) return {};
  const std::string of_job = " " + seen.job->meta.name + " -n " + seen.job->meta.namespace_;
  return "no checkpoint is on the volumes of all ranks under one name, and one may be in common all the same: it has "
         "other names on some, could not be read on one, or is older than the newest " +
         std::to_string(protocol::kMostListedSteps) +
         " of one; name it alike, or move away what ranks have saved since, and tell the job so: kubectl reprise "
         "suspend" +
         of_job + " && kubectl reprise resume" + of_job + "; or accept the loss: set spec.resume to FromScratch";
}

bool is_one_save(const protocol::Record& a, const protocol::Record& b) {
  return a.step == b.step &&
         protocol::fingerprint_of(a.common_name, a.path) == protocol::fingerprint_of(b.common_name, b.path);
}

void move_common_step(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  if (!agrees_on_step(*builder.seen.job) || ranks.empty()) return;
  for (const ListedCheckpoint& each : reported_checkpoints(builder.seen, ranks.front())) {
    const bool common = std::ranges::all_of(ranks, [&](const Rank& rank) {
      const auto saved = reported_checkpoints(builder.seen, rank);
      return std::ranges::find(saved, each) != saved.end();
    });
    if (common) return tell(builder, ranks, protocol::kCommonStepAnnotation, CommonStep{each.step, each.name});
  }
}

}  // namespace reprise::controllers::resumablejob
