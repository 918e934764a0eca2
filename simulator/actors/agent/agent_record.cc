// The modelled agent ends, and leaves word of how.
#include <utility>

#include "agent/checkpoint_order.h"
#include "agent/judge_end.h"
#include "protocol/agent_protocol.h"
#include "simulator/actors/agent/agent_process.h"
#include "simulator/actors/agent/disk_scan.h"

namespace reprise::simulator {
namespace {}  // namespace

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
