#include "rehearsal/outcome.h"

namespace reprise::rehearsal {
namespace {

using simulator::text;
using simulator::Value;

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

JobState state_of(const Value& job, bool stalled_long) {
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
