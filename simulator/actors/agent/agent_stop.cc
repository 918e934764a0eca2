// The modelled agent is asked to stop, or for a checkpoint, and asks its trainer.
#include <csignal>
#include <utility>

#include "agent/stop_targets.h"
#include "protocol/agent_protocol.h"
#include "simulator/actors/agent/agent_process.h"

namespace reprise::simulator {
namespace {

constexpr Duration kLookAtEnd{200};  // the last look at the volume and the record
constexpr int kKilled = 137;
constexpr pid_t kAgentPid = 1, kTrainerPid = 2;

}  // namespace

void AgentProcess::terminate() {
  if (ended_ || stop_) return;
  if (start_) {
    stopped_early_ = true;
    start_->terminate();
    return;
  }
  const auto& env = setting_.env;
  if (const Disk* disk = volumes_.disk(setting_.volume)) stop_baseline_ = newest(*disk);
  const bool asked = env.notice_signal != 0 || !env.notice_file.empty();
  stop_.emplace(cluster_.loop.steady(), env.grace, asked);
  cluster_.log.add("agent " + env.pod_uid, "is asked to stop within " + std::to_string(env.grace.count()) + " ms");
  if (asked && trainer_runs_) gang_->ask(env.index);
  stop_check_.within(Duration{0});
}

// The hook speaks to the trainer; the agent hears of nothing.
void AgentProcess::pre_stop() {
  if (trainer_runs_) gang_->end_by_hook(setting_.env.index);
}

void AgentProcess::go_on_stopping() {
  if (ended_ || !stop_ || !trainer_runs_) return;
  const bool saved = durable_ && agent::is_newer(*durable_, stop_baseline_);
  switch (stop_->next(cluster_.loop.steady(), {.saved = saved})) {
    case agent::StopPlan::Action::Wait:
      break;
    case agent::StopPlan::Action::Terminate:
      for (const pid_t pid : agent::stop_targets(SIGTERM, kTrainerPid, processes()).pids) {
        if (pid == kTrainerPid)
          terminate_trainer();
        else
          lose_helpers();
      }
      break;
    case agent::StopPlan::Action::TerminateTrainer:
      terminate_trainer();
      break;
    case agent::StopPlan::Action::TerminateGroup:
      terminate_trainer();
      lose_helpers();
      break;
    case agent::StopPlan::Action::Kill:
      gang_->leave(setting_.env.index);
      trainer_runs_ = false;
      timers_.after(kLookAtEnd, [this] { trainer_exited(kKilled); });
      return;
  }
  const auto left = std::chrono::duration_cast<Duration>(stop_->wake_at() - cluster_.loop.steady());
  if (left > Duration{0}) stop_check_.within(left);
}

void AgentProcess::terminate_trainer() {
  if (trainer_runs_) gang_->terminate(setting_.env.index);
}

void AgentProcess::lose_helpers() {
  if (!trainer_runs_ || setting_.plan.helpers == 0) return;
  const auto left = std::chrono::duration_cast<Duration>(stop_->end() - cluster_.loop.steady());
  gang_->lose_helpers(setting_.env.index, left, std::chrono::duration_cast<Duration>(setting_.env.grace));
}

// As /proc would show them.
std::vector<agent::Process> AgentProcess::processes() const {
  const std::uint64_t sigterm = std::uint64_t{1} << (SIGTERM - 1);
  const bool ignores = setting_.plan.on_term == OnTerm::Ignore;
  std::vector<agent::Process> all{{.pid = kTrainerPid,
                                   .parent = kAgentPid,
                                   .caught = ignores ? 0 : sigterm,
                                   .ignored = ignores ? sigterm : 0,
                                   .name = "python3"}};
  for (std::int64_t helper = 1; helper <= setting_.plan.helpers; ++helper)
    all.push_back({.pid = static_cast<pid_t>(kTrainerPid + helper), .parent = kTrainerPid, .name = "python3"});
  return all;
}

void AgentProcess::annotations_changed(const Value& pod) {
  const std::string_view request = text(pod, {"metadata", "annotations", protocol::kCheckpointRequestAnnotation});
  if (request == setting_.checkpoint_request || ended_ || stop_ || !trainer_runs_) return;
  setting_.checkpoint_request = request;
  if (setting_.env.notice_signal == 0 && setting_.env.notice_file.empty()) return;
  requested_ = true;
  gang_->ask(setting_.env.index);
}

}  // namespace reprise::simulator
