#include "rehearsal/outcome/outcome.h"

#include <algorithm>

namespace reprise::rehearsal {
namespace {

using simulator::number;
using simulator::text;
using simulator::Value;

constexpr std::int64_t kAttemptsInVain = 3;

const Value* condition(const Value& job, std::string_view type) {
  for (const Value& each : simulator::array(job, {"status", "conditions"}))
    if (text(each, {"type"}) == type && text(each, {"status"}) == "True") return &each;
  return nullptr;
}

std::string message_of(const Value& condition) {
  return std::string(text(condition, {"message"}));
}

}  // namespace

bool is_stalled(const Value& job) {
  return condition(job, "Stalled") != nullptr;
}

bool had_nothing_left(const JobFacts& seen) {
  const auto over = std::ranges::find_if(seen.attempts.rbegin(), seen.attempts.rend(),
                                         [](const AttemptFacts& each) { return each.ended().has_value(); });
  if (over == seen.attempts.rend() || !over->resumed_from) return false;
  return std::ranges::all_of(over->ranks, [&](const RankFacts& rank) {
    return !rank.killed && rank.exit_code == 0 && rank.last_printed.value_or(0) <= *over->resumed_from;
  });
}

JobState state_of(const Value& job, const JobFacts& seen, bool stalled_long) {
  using Outcome = JobFacts::Outcome;
  if (condition(job, "Complete") != nullptr) return {Outcome::Complete, {}, "Complete"};
  if (const Value* failed = condition(job, "Failed")) return {Outcome::Failed, message_of(*failed), "Failed"};
  if (const Value* suspended = condition(job, "Suspended"))
    return {Outcome::Suspended, message_of(*suspended), "Suspended"};
  if (const Value* stalled = condition(job, "Stalled")) {
    const auto reason = text(*stalled, {"reason"});
    const bool final = stalled_long || reason == "CheckpointLost" || reason == "NoProgress";
    return {final ? Outcome::Stalled : Outcome::Running, message_of(*stalled), "Stalled"};
  }
  const auto in_vain = number(job, {"status", "attemptsWithoutProgress"});
  if (in_vain >= kAttemptsInVain && !had_nothing_left(seen))
    return {Outcome::Stalled, std::to_string(in_vain) + " attempts in a row brought no newer checkpoint", "Stalled"};
  JobState state;
  if (const Value* working = condition(job, "Reconciling")) {
    state.word = text(*working, {"reason"});
    state.message = message_of(*working);
  }
  if (condition(job, "PodsReady") != nullptr) state.word = "Running";
  if (condition(job, "Interrupted") != nullptr) state.word = "Interrupted";
  if (state.word.empty()) state.word = "Starting";
  return state;
}

}  // namespace reprise::rehearsal
