#include "simulator/actors/agent/agent_process.h"

#include <algorithm>
#include <csignal>
#include <ranges>
#include <utility>

#include "agent/checkpoint_order.h"
#include "agent/choose_pruned.h"
#include "agent/judge_end.h"
#include "agent/protocol.h"
#include "agent/stop_targets.h"

namespace reprise::simulator {
namespace {

namespace protocol = agent::protocol;

constexpr Duration kSync{300};          // syncfs of a volume that has just been written
constexpr Duration kLookAtEnd{200};     // the last look at the volume and the record
constexpr Duration kStoppingLook{100};  // supervise.cc: how often it looks while a checkpoint is waited for
constexpr int kKilled = 137;
constexpr pid_t kAgentPid = 1, kTrainerPid = 2;

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

void AgentProcess::saved(std::int64_t) {
  look_.within((stop_ ? kStoppingLook : setting_.env.watch) + kSync);
}

std::optional<agent::Checkpoint> AgentProcess::newest(const Disk& disk) const {
  agent::Checkpoints found = scan(cluster_.loop, disk);
  std::erase_if(found, [this](const auto& each) {
    return each.complete && std::ranges::find(from_.ignored, each.step) != from_.ignored.end();
  });
  return agent::newest_complete(found, disk.made);
}

void AgentProcess::write_down(Disk& disk) const {
  for (const auto& entry : agent::newly_made(scan(cluster_.loop, disk), from_.before, disk.made, self()))
    disk.made.push_back(entry);
}

// The marker is there and syncfs has returned.
void AgentProcess::look() {
  if (ended_ || stuck()) return;
  Disk* disk = volumes_.disk(setting_.volume);
  if (disk == nullptr) return;
  if (setting_.env.keeps_volume() && trainer_runs_) write_down(*disk);
  const auto found = newest(*disk);
  if (!found || (durable_ && !agent::is_newer(*found, durable_))) return;
  disk->sync(setting_.machine);
  const auto step = disk->step_in(found->name);
  // Its writer's machine has it in memory alone.
  if (step && !disk->checkpoints[*step].unsynced_on.empty()) return;
  durable_ = found;
  if (setting_.env.keeps_volume()) prune(*disk);
  if (stop_) stop_check_.within(Duration{0});
}

void AgentProcess::prune(Disk& disk) {
  const agent::PruneQuestion question{.found = scan(cluster_.loop, disk),
                                      .made = disk.made,
                                      .job_uid = setting_.env.job_uid,
                                      .durable_step = durable_->step,
                                      .resumed_from = from_.number,
                                      .gang = setting_.env.is_gang(),
                                      .keep = setting_.env.keep};
  auto gone = agent::choose_pruned(question);
  const bool newer = agent::outlives_torn(*durable_, from_.before);
  if (newer) std::ranges::copy(agent::choose_torn(question, from_.before), std::back_inserter(gone));
  const auto goes = [&](const std::string& directory) { return std::ranges::find(gone, directory) != gone.end(); };
  std::erase_if(disk.checkpoints,
                [&](const auto& each) { return !each.second.quarantined && goes(each.second.directory()); });
  std::erase_if(disk.data, [&](const auto& each) { return goes(each.first); });
  if (newer) std::erase_if(disk.aside, [](const auto& each) { return each.ours; });
  disk.forget_gone();
}

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

void AgentProcess::describe(const Disk& disk, agent::Record& record) const {
  const auto found = newest(disk);
  if (!found) return;
  record.step = found->step;
  record.path = found->name;
  record.checkpoint_time = found->time;
  record.durable = durable_ == found;
  if (record.durable) record.size_bytes = 1 << 20;
  record.warning = agent::out_of_order(scan(cluster_.loop, disk), disk.made, setting_.env.job_uid);
}

void AgentProcess::finish(int exit_code, std::string reason, std::string message) {
  const auto& env = setting_.env;
  const bool fenced = reason == protocol::kReasonFenced;
  if (!fenced) look();
  agent::Record record{.job_uid = env.job_uid,
                       .pod_uid = env.pod_uid,
                       .attempt = env.attempt,
                       .index = env.index,
                       .exit_code = exit_code,
                       .resumed_from = from_.number,
                       .reason = std::move(reason),
                       .message = std::move(message)};
  const auto verdict =
      agent::judge_end({.exit_code = exit_code, .stop = stop_.has_value(), .requested = requested_, .fenced = fenced});
  record.finished = verdict.finished;
  record.asked = verdict.asked;
  record.saved = stop_ && durable_ && agent::is_newer(*durable_, stop_baseline_);
  if (const Disk* disk = volumes_.disk(setting_.volume)) describe(*disk, record);
  leave(record, {.job_uid = env.job_uid,
                 .pod_uid = env.pod_uid,
                 .exit_code = exit_code,
                 .step = record.step,
                 .path = record.path,
                 .asked = record.asked,
                 .saved = record.saved,
                 .finished = record.finished,
                 .durable = record.durable});
}

void AgentProcess::end_early(AgentStarted::End end) {
  const auto& env = setting_.env;
  agent::Record record{.job_uid = env.job_uid,
                       .pod_uid = env.pod_uid,
                       .attempt = env.attempt,
                       .index = env.index,
                       .exit_code = end.exit_code,
                       .asked = end.asked,
                       .reason = end.reason,
                       .message = end.message};
  if (const Disk* disk = volumes_.disk(setting_.volume);
      disk != nullptr && !from_.renounces && end.reason != protocol::kReasonFenced) {
    describe(*disk, record);
  }
  leave(record, {.job_uid = env.job_uid,
                 .pod_uid = env.pod_uid,
                 .exit_code = end.exit_code,
                 .step = record.step,
                 .path = record.path,
                 .asked = record.asked,
                 .saved = false,
                 .finished = record.finished,
                 .durable = record.durable});
}

// The termination message first; the volume when it answers and the place is still this pod's.
void AgentProcess::leave(const agent::Record& record, const DiskRecord& on_disk) {
  ended_ = true;
  fence_check_.cancel();
  stop_check_.cancel();
  look_.cancel();
  timers_.cancel_all();
  const auto& env = setting_.env;
  Disk* disk = volumes_.disk(setting_.volume);
  if (disk != nullptr && !stuck()) {
    DiskAttempt& attempt = disk->attempts[env.attempt];
    const auto beat = attempt.beats.find(env.index);
    if (beat == attempt.beats.end() || beat->second.pod_uid == env.pod_uid) attempt.records[env.index] = on_disk;
    volumes_.changed(setting_.volume);
  }
  cluster_.log.add("agent " + env.pod_uid,
                   "exits with " + std::to_string(record.exit_code) +
                       (record.step ? ", newest checkpoint " + std::to_string(*record.step) : std::string()) +
                       (record.reason.empty() ? "" : " (" + record.reason + ")"));
  ProgramEnd end{.exit_code = record.exit_code, .message = agent::encode_record(record)};
  timers_.after(Duration{10}, [tell = on_end_, outcome = std::move(end)] { tell(outcome); });
}

}  // namespace reprise::simulator
