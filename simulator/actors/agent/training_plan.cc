#include "simulator/actors/agent/training_plan.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace reprise::simulator {
namespace {

std::string_view setting(const Value& pod, std::string_view name) {
  const std::string key = "simulate.reprise.dev/" + std::string(name);
  return text(pod, {"metadata", "annotations", key});
}

std::int64_t whole(const Value& pod, std::string_view name, std::int64_t otherwise) {
  const std::string_view found = setting(pod, name);
  std::int64_t value = otherwise;
  std::from_chars(found.data(), found.data() + found.size(), value);
  return value;
}

}  // namespace

std::string directory_of(const TrainingPlan& plan, std::int64_t step, int rank) {
  constexpr std::int64_t days = 31;
  if (plan.library != Library::None)
    return (plan.folder.empty() ? "" : plan.folder + "/") + checkpoint_named(plan.library, step, rank);
  if (!plan.dated) return "step-" + std::to_string(step);
  return "ckpt-" + std::to_string(step % days + 1) + "-0-v" + std::to_string(step);
}

TrainingPlan read_training_plan(const Value& pod, std::int64_t period_seconds) {
  TrainingPlan plan;
  plan.steps = whole(pod, "steps", plan.steps);
  plan.step = Duration(std::max<std::int64_t>(whole(pod, "step-milliseconds", plan.step.count()), 1));
  plan.load = Duration(whole(pod, "load-milliseconds", plan.load.count()));
  plan.save = Duration(whole(pod, "save-milliseconds", plan.save.count()));
  const std::int64_t by_period = std::max<std::int64_t>(period_seconds * 1000 / plan.step.count(), 1);
  plan.save_every_steps = std::max<std::int64_t>(whole(pod, "save-every-steps", by_period), 1);
  if (setting(pod, "on-term") == "Exit") plan.on_term = OnTerm::Exit;
  if (setting(pod, "on-term") == "Ignore") plan.on_term = OnTerm::Ignore;
  plan.term_exit_code = static_cast<int>(whole(pod, "term-exit-code", plan.term_exit_code));
  if (!setting(pod, "fail-at-step").empty()) plan.fail_at_step = whole(pod, "fail-at-step", 0);
  plan.fail_exit_code = static_cast<int>(whole(pod, "fail-exit-code", plan.fail_exit_code));
  plan.fail_attempt = whole(pod, "fail-attempt", 0);
  if (!setting(pod, "hang-at-step").empty()) plan.hang_at_step = whole(pod, "hang-at-step", 0);
  plan.hang_attempts = whole(pod, "hang-attempts", 0);
  if (setting(pod, "hung") == "Ends") plan.on_hang = OnHang::Ends;
  if (setting(pod, "hung") == "Saves") plan.on_hang = OnHang::Saves;
  plan.tells_steps = setting(pod, "tells-steps") == "true";
  plan.end_spread = Duration(whole(pod, "end-spread-milliseconds", plan.end_spread.count()));
  plan.peer_loss = Duration(whole(pod, "peer-loss-milliseconds", plan.peer_loss.count()));
  plan.peer_hang = Duration(whole(pod, "peer-hang-milliseconds", plan.peer_hang.count()));
  plan.save_spread = Duration(whole(pod, "save-spread-milliseconds", plan.save_spread.count()));
  plan.helpers = whole(pod, "helpers", plan.helpers);
  plan.apart = setting(pod, "ranks") == "Apart";
  plan.dated = setting(pod, "names") == "Dates";
  plan.library = library_named(setting(pod, "library"));
  plan.folder = setting(pod, "folder");
  plan.save_limit = static_cast<int>(whole(pod, "save-limit", plan.save_limit));
  plan.former_runs = whole(pod, "former-runs", plan.former_runs);
  return plan;
}

}  // namespace reprise::simulator
