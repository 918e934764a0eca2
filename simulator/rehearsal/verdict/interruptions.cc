#include "simulator/rehearsal/verdict/interruptions.h"

#include <algorithm>

#include "simulator/rehearsal/verdict/resumption.h"

namespace reprise::simulator {
namespace {

std::optional<std::int64_t> first_printed(const AttemptFacts& attempt) {
  std::optional<std::int64_t> first;
  for (const RankFacts& rank : attempt.ranks)
    if (rank.first_printed) first = std::min(first.value_or(*rank.first_printed), *rank.first_printed);
  return first;
}

void look_at_end(const JobFacts& job, const AttemptFacts& attempt, InterruptionFacts& seen) {
  seen.step_at_notice = attempt.resumed_from.value_or(0);
  for (const CheckpointFacts& each : attempt.checkpoints) {
    if (!each.complete) {
      seen.torn.push_back(each.step);
      continue;
    }
    seen.step_saved = std::max(seen.step_saved.value_or(each.step), each.step);
    if (each.at < seen.at) {
      seen.step_at_notice = std::max(seen.step_at_notice, each.step);
    } else if (seen.noticed && !seen.save_took && !job.deaf(attempt)) {
      seen.save_took = each.at - seen.at;
    }
  }
  seen.step_reached = std::max(seen.step_at_notice, seen.step_saved.value_or(0));
  for (const RankFacts& rank : attempt.ranks)
    seen.step_reached = std::max(seen.step_reached, rank.last_printed.value_or(0));
}

void look_at_next(const JobFacts& job, std::size_t index, InterruptionFacts& seen) {
  const AttemptFacts& next = job.attempts[index];
  for (const RankFacts& rank : next.ranks) {
    const Duration after = rank.began - seen.at;
    seen.resumed_after = std::max(seen.resumed_after.value_or(after), after);
  }
  seen.resumption = resumption_of(job, index);
  seen.step_resumed = seen.resumption == Resumption::StartedOver
                          ? std::max<std::int64_t>(first_printed(next).value_or(1) - 1, 0)
                          : next.resumed_from.value_or(0);
}

bool interrupted(const AttemptFacts& attempt) {
  return attempt.disturbed() && !attempt.failed_by_itself();
}

}  // namespace

std::int64_t InterruptionFacts::steps_lost() const {
  return std::max<std::int64_t>(0, step_reached - step_resumed.value_or(step_saved.value_or(0)));
}

std::vector<InterruptionFacts> interruptions_of(const JobFacts& job) {
  std::vector<InterruptionFacts> all;
  for (std::size_t i = 0; i < job.attempts.size(); ++i) {
    const AttemptFacts& attempt = job.attempts[i];
    if (!interrupted(attempt) || attempt.ranks.empty()) continue;
    InterruptionFacts seen{.attempt = i};
    seen.noticed = attempt.asked().has_value();
    seen.at = attempt.asked().value_or(attempt.ranks.front().ended.value_or(Duration{0}));
    look_at_end(job, attempt, seen);
    if (i + 1 < job.attempts.size()) look_at_next(job, i + 1, seen);
    all.push_back(std::move(seen));
  }
  return all;
}

}  // namespace reprise::simulator
