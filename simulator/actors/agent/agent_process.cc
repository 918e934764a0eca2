#include "simulator/actors/agent/agent_process.h"

#include <utility>

#include "protocol/agent_protocol.h"

namespace reprise::simulator {
namespace {

constexpr Duration kLookAtEnd{200};  // the last look at the volume and the record

}  // namespace

AgentProcess::AgentProcess(Cluster& cluster, Volumes& volumes, Gangs& gangs, AgentSetting setting,
                           std::function<void(ProgramEnd)> on_end)
    : cluster_(cluster),
      volumes_(volumes),
      gangs_(gangs),
      setting_(std::move(setting)),
      on_end_(std::move(on_end)),
      judge_(self()),
      timers_(cluster.loop, setting_.standstill),
      fence_check_(
          cluster.loop, [this] { check_fence(); }, setting_.standstill),
      stop_check_(
          cluster.loop, [this] { go_on_stopping(); }, setting_.standstill),
      look_(
          cluster.loop, [this] { look(); }, setting_.standstill) {
  const auto done = [this](AgentStarted outcome) {
    timers_.after(Duration{0}, [this, outcome = std::move(outcome)]() mutable { started(std::move(outcome)); });
  };
  start_ = std::make_unique<AgentStart>(
      cluster_, volumes_,
      AgentPlace{.volume = setting_.volume, .machine = setting_.machine, .standstill = setting_.standstill},
      setting_.env, done);
  hang_listener_ =
      volumes_.listen_to_hangs(setting_.volume, setting_.machine, [this](bool hangs) { volume_hangs(hangs); });
}

agent::Identity AgentProcess::self() const {
  const agent::Environment& env = setting_.env;
  return {.job_uid = env.job_uid, .pod_uid = env.pod_uid, .attempt = env.attempt, .index = env.index};
}

AgentProcess::~AgentProcess() {
  volumes_.stop_listening(listener_);
  volumes_.stop_listening(hang_listener_);
  start_.reset();
  if (trainer_runs_) gang_->leave(setting_.env.index);
  if (DiskBeat* beat = own_beat()) beat->until = cluster_.loop.now();
}

DiskBeat* AgentProcess::own_beat() {
  Disk* disk = volumes_.disk(setting_.volume);
  if (disk == nullptr) return nullptr;
  const auto attempt = disk->attempts.find(setting_.env.attempt);
  if (attempt == disk->attempts.end()) return nullptr;
  const auto beat = attempt->second.beats.find(setting_.env.index);
  const bool own = beat != attempt->second.beats.end() && beat->second.pod_uid == setting_.env.pod_uid;
  return own ? &beat->second : nullptr;
}

void AgentProcess::started(AgentStarted started) {
  start_.reset();
  from_ = std::move(started);
  if (from_.end) {
    end_early(std::move(*from_.end));
    return;
  }
  run_trainer();
  // The signal came between the last step of the start and the trainer.
  if (stopped_early_) terminate();
}

void AgentProcess::run_trainer() {
  const agent::Environment& env = setting_.env;
  listener_ = volumes_.listen(setting_.volume, [this] {
    // Seen with the next beat.
    const DiskBeat* beat = own_beat();
    fence_check_.within(beat != nullptr ? beat->period : setting_.env.beat);
    if (!stuck()) look_.within(setting_.env.watch);
  });
  const TrainerId id{.pod_uid = env.pod_uid, .job_uid = env.job_uid, .attempt = env.attempt, .rank = env.index};
  gang_ = gangs_.of(id, setting_.plan, env.parallelism);
  trainer_runs_ = true;
  gang_->join(env.index, Trainer{.id = id,
                                 .machine = setting_.machine,
                                 .volume = setting_.volume,
                                 .loaded = from_.resume.value_or(-1),
                                 .on_begun =
                                     [this] {
                                       if (setting_.env.keeps_volume()) look_.within(setting_.env.watch);
                                     },
                                 .on_saved = [this](std::int64_t step) { saved(step); },
                                 .on_exit =
                                     [this](int exit_code) {
                                       trainer_runs_ = false;
                                       timers_.after(kLookAtEnd, [this, exit_code] { trainer_exited(exit_code); });
                                     }});
  if (cut_off_) gang_->cut_off(env.index, true);
}

void AgentProcess::check_fence() {
  if (ended_ || stuck()) return;
  const Disk* disk = volumes_.disk(setting_.volume);
  if (disk == nullptr) return;
  if (trainer_runs_) gang_->looked(setting_.env.index);
  std::string why;
  if (!disk->fence_job_uid.empty())
    why = judge_.judge(
        agent::Fence{.job_uid = disk->fence_job_uid, .attempt = static_cast<std::int32_t>(disk->fence_attempt)});
  if (const auto attempt = disk->attempts.find(setting_.env.attempt); attempt != disk->attempts.end()) {
    const auto beat = attempt->second.beats.find(setting_.env.index);
    if (beat != attempt->second.beats.end() && beat->second.pod_uid != setting_.env.pod_uid)
      why = "pod UID " + beat->second.pod_uid + " has taken over this place";
  }
  if (why.empty()) return;
  cluster_.log.add("agent " + setting_.env.pod_uid, "is fenced: " + why);
  if (trainer_runs_) gang_->leave(setting_.env.index);
  trainer_runs_ = false;
  finish(protocol::kFencedExitCode, std::string(protocol::kReasonFenced), std::move(why));
}

// Who listens to the volume looks at the fence when it answers.
void AgentProcess::volume_hangs(bool hangs) {
  cut_off_ = hangs;
  if (DiskBeat* beat = own_beat()) {
    if (hangs)
      beat->hold(cluster_.loop.now());
    else
      beat->release(cluster_.loop.now());
  }
  if (trainer_runs_) gang_->cut_off(setting_.env.index, hangs);
}

// Beats go on from where they were, so the fence is looked at when the rest of a period is over; the trainer does not
// wait for that.
void AgentProcess::stood_still(bool still) {
  const Duration now = cluster_.loop.now();
  Duration to_next_beat = setting_.env.beat;
  if (DiskBeat* beat = own_beat()) {
    if (still)
      beat->hold(now);
    else
      beat->release(now);
    to_next_beat = beat->period - (now - beat->since) % beat->period;
  }
  if (!trainer_runs_) return;
  gang_->stood_still(setting_.env.index, still);
  if (still) return;
  fence_check_.cancel();
  fence_check_.within(to_next_beat);
}

void AgentProcess::trainer_exited(int exit_code) {
  if (!ended_) finish(exit_code);
}

}  // namespace reprise::simulator
