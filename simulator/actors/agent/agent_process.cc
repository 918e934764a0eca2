#include "simulator/actors/agent/agent_process.h"

#include <algorithm>
#include <utility>

#include "agent/core/aside/list_checkpoints.h"
#include "agent/core/aside/volume_scan.h"
#include "agent/core/run/run_agent.h"
#include "protocol/agent_protocol.h"

namespace reprise::simulator {
namespace {

// A look or two, which on a slow volume take so many calls.
constexpr Duration kUntilSeen{30'000};
constexpr int kCallsUntilSeen = 210;

// The agent's own sum: its patience, and the grace in which a trainer ends that was asked to.
Duration longest_hang(const AgentSetting& setting, Volumes& volumes) {
  const agent::Environment& env = setting.env;
  if (!env.watches_for_hangs() || !env.is_volume_leader()) return Duration{0};
  const auto patience =
      setting.plan.tells_steps ? env.progress_timeout : std::max(env.progress_timeout, env.save_period * 2);
  const Disk* disk = volumes.disk(setting.volume);
  const Duration call = disk == nullptr ? Duration{0} : disk->traits.call;
  return patience + env.grace + kUntilSeen + call * kCallsUntilSeen;
}

TrainerPlace trainer_place(const AgentSetting& setting, Volumes& volumes) {
  const agent::Environment& env = setting.env;
  return {.id = {.pod_uid = env.pod_uid, .job_uid = env.job_uid, .attempt = env.attempt, .rank = env.index},
          .namespace_ = setting.namespace_,
          .pod = setting.pod,
          .machine = setting.machine,
          .volume = setting.volume,
          .plan = setting.plan,
          .ranks = env.parallelism,
          .leads = env.is_volume_leader(),
          .notice_signal = env.notice_signal,
          .grace = env.grace,
          .longest_hang = longest_hang(setting, volumes)};
}

}  // namespace

std::string annotations_file(const Value& pod) {
  std::string file;
  for (const std::string_view key :
       {protocol::kCheckpointRequestAnnotation, protocol::kCommonStepAnnotation, protocol::kResumeStepAnnotation}) {
    const std::string_view value = text(pod, {"metadata", "annotations", key});
    if (!value.empty()) file += std::string(key) + "=\"" + std::string(value) + "\"\n";
  }
  return file;
}

AgentProcess::AgentProcess(Cluster& cluster, Volumes& volumes, Gangs& gangs, AgentSetting setting,
                           std::function<void(ProgramEnd)> on_end)
    : cluster_(cluster),
      volumes_(volumes),
      setting_(std::move(setting)),
      on_end_(std::move(on_end)),
      timers_(cluster.loop, setting_.standstill),
      fibers_(cluster.loop, setting_.standstill),
      threads_(cluster.loop, fibers_),
      host_(cluster, volumes, gangs, fibers_, threads_, trainer_place(setting_, volumes)) {
  show_annotations();
  listener_ = volumes_.listen(setting_.volume, [this] {
    threads_.changed();
    if (!volumes_.stuck(setting_.volume, setting_.machine)) fibers_.call();
  });
  hang_listener_ =
      volumes_.listen_to_hangs(setting_.volume, setting_.machine, [this](bool hangs) { volume_hangs(hangs); });
  main_ = fibers_.start([this] { run(); }, [this] { ended(); });
}

AgentProcess::~AgentProcess() {
  volumes_.stop_listening(listener_);
  volumes_.stop_listening(hang_listener_);
  fibers_.end();
  if (DiskHeartbeat* heartbeat = own_heartbeat()) heartbeat->until = cluster_.loop.now();
}

void AgentProcess::run() {
  DiskAccess access{.cluster = cluster_,
                    .volumes = volumes_,
                    .fibers = fibers_,
                    .threads = threads_,
                    .env = setting_.env,
                    .volume = setting_.volume,
                    .machine = setting_.machine,
                    .local_files = local_files_,
                    .local_written =
                        [this] {
                          if (local_files_.contains(setting_.env.notice_file)) host_.request_checkpoint();
                        },
                    .fence_seen = [this] { host_.looked(); }};
  auto volume = std::make_shared<const agent::Volume>(
      setting_.env.checkpoint_dir, agent::make_format(setting_.env.format, agent::parts_held(setting_.env)).value(),
      std::make_unique<DiskFiles>(std::move(access)));
  exit_code_ = setting_.command == AgentCommand::ListCheckpoints
                   ? agent::list_for_operator(setting_.env, std::move(volume), host_).exit_code
                   : agent::run_agent(setting_.env, std::move(volume), host_, {"train"}).exit_code;
}

// The process's other threads end with it, wherever they are.
void AgentProcess::ended() {
  fibers_.end();
  if (DiskHeartbeat* heartbeat = own_heartbeat()) heartbeat->until = cluster_.loop.now();
  cluster_.log.add("agent " + setting_.env.pod_uid, "exits with " + std::to_string(*exit_code_));
  ProgramEnd end{.exit_code = *exit_code_, .message = host_.termination_message()};
  timers_.after(Duration{10}, [tell = on_end_, outcome = std::move(end)] { tell(outcome); });
}

DiskHeartbeat* AgentProcess::own_heartbeat() {
  Disk* disk = volumes_.disk(setting_.volume);
  if (disk == nullptr) return nullptr;
  const auto attempt = disk->attempts.find(setting_.env.attempt);
  if (attempt == disk->attempts.end()) return nullptr;
  const auto heartbeat = attempt->second.heartbeats.find(setting_.env.index);
  const bool own = heartbeat != attempt->second.heartbeats.end() && heartbeat->second.pod_uid == setting_.env.pod_uid;
  return own ? &heartbeat->second : nullptr;
}

void AgentProcess::hold_heartbeat(bool held) {
  DiskHeartbeat* heartbeat = own_heartbeat();
  if (heartbeat == nullptr) return;
  if (held)
    heartbeat->hold(cluster_.loop.now());
  else
    heartbeat->release(cluster_.loop.now());
}

void AgentProcess::terminate() {
  if (exit_code_) return;
  cluster_.log.add("agent " + setting_.env.pod_uid,
                   "is asked to stop within " + std::to_string(setting_.env.grace.count()) + " ms");
  host_.terminate();
}

// The hook speaks to the trainer; the agent does not hear of it.
void AgentProcess::pre_stop() {
  host_.pre_stop();
}

void AgentProcess::show_annotations() {
  if (setting_.env.annotations_file.empty() || setting_.annotations.empty()) return;
  local_files_[setting_.env.annotations_file] = setting_.annotations;
}

void AgentProcess::annotations_changed(const Value& pod) {
  setting_.annotations = annotations_file(pod);
  show_annotations();
  if (setting_.env.agrees_on_step()) threads_.changed();  // its watch reads them, too
  host_.raised().wake();
}

// Threads that wait for the volume go on when it answers.
void AgentProcess::volume_hangs(bool hangs) {
  hold_heartbeat(hangs);
  host_.cut_off(hangs);
}

// The heartbeat goes on from where it was; the agent looks at the fence with its next heartbeat, and the trainer does
// not wait for that.
void AgentProcess::stood_still(bool still) {
  hold_heartbeat(still);
  host_.stood_still(still);
  if (!still) threads_.changed();
}

}  // namespace reprise::simulator
