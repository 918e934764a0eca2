// The modelled agent chooses what to resume from, and says so; the other ranks wait for that word.
#include <algorithm>
#include <ranges>
#include <utility>

#include "agent/checkpoint_name.h"
#include "agent/choose_resume.h"
#include "agent/resume_point.h"
#include "protocol/agent_protocol.h"
#include "simulator/actors/agent/agent_start.h"
#include "simulator/actors/agent/disk_scan.h"

namespace reprise::simulator {
namespace {

std::string fence_reason() {
  return std::string(protocol::kReasonFenced);
}

}  // namespace

void AgentStart::settle_policy(const Disk& disk) {
  agent::ScratchQuestion question{.policy = env_.resume,
                                  .since = env_.from_scratch_since,
                                  .self = self_,
                                  .checkpoint_expected = env_.expected_step.has_value()};
  for (const auto& [number, attempt] : disk.attempts) {
    if (!attempt.resume || attempt.resume->job_uid != self_.job_uid) continue;
    question.published.push_back({.job_uid = attempt.resume->job_uid,
                                  .attempt = static_cast<std::int32_t>(number),
                                  .pod_uid = attempt.resume->pod_uid,
                                  .step = attempt.resume->step,
                                  .path = {},
                                  .refusal = attempt.resume->refusal});
  }
  env_.resume = agent::policy_in_force(question);
}

void AgentStart::choose(Disk& disk) {
  disk.forget_gone(env_.expected_checkpoint);
  const agent::Checkpoints found = scan(cluster_.loop, disk);
  const agent::ResumeChoice choice =
      agent::choose_resume({.found = found,
                            .made = disk.made,
                            .policy = env_.resume,
                            .expected_step = env_.expected_step,
                            .expected_checkpoint = env_.expected_checkpoint,
                            // The modelled trainers write markers: a checkpoint without one is torn.
                            .format_is_certain = true});
  std::vector<std::int64_t> ignored;
  if (env_.resume == agent::ResumePolicy::Never)
    for (const auto& each : found) ignored.push_back(each.step);
  DiskAttempt& attempt = disk.attempts[self_.attempt];
  if (attempt.resume && attempt.resume->job_uid == self_.job_uid) {
    const DiskResume word = *attempt.resume;
    const auto now = choice.resume ? disk.step_in(choice.resume->name) : std::nullopt;
    const bool same = now == word.step;
    if (env_.resume == agent::ResumePolicy::Latest && word.refusal.empty() && !same) {
      finish(End{.exit_code = protocol::kFencedExitCode,
                 .reason = fence_reason(),
                 .message = "this attempt has published another checkpoint before: start a new attempt"});
      return;
    }
    begin(word, std::move(ignored));
    return;
  }
  put_aside(disk, choice.put_aside);
  attempt.resume = DiskResume{.job_uid = self_.job_uid,
                              .pod_uid = self_.pod_uid,
                              .step = choice.resume ? disk.step_in(choice.resume->name) : std::nullopt,
                              .refusal = choice.refusal,
                              .from_scratch = env_.resume == agent::ResumePolicy::FromScratch};
  cluster_.log.add("agent " + self_.pod_uid,
                   choice.refusal.empty()
                       ? "publishes resume from " + (choice.resume ? choice.resume->name : std::string("the start"))
                       : "refuses: " + choice.refusal);
  const DiskResume word = *attempt.resume;
  volumes_.changed(volume_);
  begin(word, std::move(ignored));
}

void AgentStart::put_aside(Disk& disk, const std::vector<std::string>& directories) const {
  bool room_made = false;
  for (auto& checkpoint : disk.checkpoints | std::views::values) {
    const std::string directory = checkpoint.directory();
    if (std::ranges::find(directories, directory) == directories.end()) continue;
    if (checkpoint.quarantined && disk.traits.moves) continue;
    const bool ours = !checkpoint.complete && agent::made_by(env_.job_uid, directory, disk.made);
    if (!disk.traits.moves) {
      if (ours) continue;  // goes from where it is
      checkpoint.quarantined = true;
      disk.set_aside.push_back(
          {.step = checkpoint.step, .complete = checkpoint.complete, .time = checkpoint.time, .name = checkpoint.name});
      continue;
    }
    checkpoint.quarantined = true;
    if (ours && !std::exchange(room_made, true)) std::erase_if(disk.aside, [](const auto& each) { return each.ours; });
    disk.aside.push_back({.directory = directory, .ours = ours});
  }
}

void AgentStart::begin(const DiskResume& word, std::vector<std::int64_t> ignored) {
  const Disk* disk = volumes_.disk(volume_);
  if (!word.refusal.empty()) {
    finish(End{.exit_code = protocol::kCheckpointLostExitCode,
               .reason = std::string(protocol::kReasonCheckpointLost),
               .message = word.refusal});
    return;
  }
  beat_again();
  AgentStarted started;
  started.resume = word.step;
  if (disk != nullptr) {
    if (env_.keeps_volume()) started.before = scan(cluster_.loop, *disk);
    if (word.step)
      if (const auto from = disk->checkpoints.find(*word.step); from != disk->checkpoints.end())
        started.number = agent::step_of(from->second.directory());
  }
  started.ignored = std::move(ignored);
  finish(std::move(started));
}

void AgentStart::follow(const Disk& disk) {
  const auto found = disk.attempts.find(self_.attempt);
  const bool there =
      found != disk.attempts.end() && found->second.resume && found->second.resume->job_uid == self_.job_uid;
  if (there) {
    begin(DiskResume(*found->second.resume), {});
    return;
  }
  const Duration waited = cluster_.loop.now() - started_;
  if (waited >= env_.resume_wait) {
    finish(End{.exit_code = protocol::kCheckpointedExitCode,
               .reason = std::string(protocol::kReasonResumeNotPublished),
               .message = "index 0 of attempt " + std::to_string(self_.attempt) +
                          " has not said which checkpoint to resume from"});
    return;
  }
  wait(env_.resume_wait - waited);  // or when something is written there
}

}  // namespace reprise::simulator
