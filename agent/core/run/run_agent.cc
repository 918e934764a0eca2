#include "agent/core/run/run_agent.h"

#include <algorithm>
#include <utility>

#include "agent/core/heartbeats/probe_volume.h"
#include "agent/core/progress/reporter.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/record/report.h"
#include "agent/core/run/session.h"
#include "agent/core/run/startup.h"
#include "agent/core/run/supervise.h"
#include "agent/core/space/space_at_end.h"
#include "agent/core/sums/shared_sums.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

std::string joined(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
  return text;
}

Record blank_record(const Session& session, const Startup& startup) {
  Record record;
  record.job_uid = session.self.job_uid;
  record.pod_uid = session.self.pod_uid;
  record.attempt = session.self.attempt;
  record.index = session.self.index;
  record.message = joined(startup.notes);
  record.unproven = static_cast<std::int32_t>(startup.unproven.size());
  record.unproven_step = highest_step(startup.unproven);
  return record;
}

Record ended_early(Session& session, const EarlyEnd& end, Record record) {
  record.exit_code = end.exit_code;
  record.stop_requested = end.stop_requested;
  record.reason = end.reason;
  // No trainer of this rank has run.
  record.synced = end.reason != protocol::kReasonFenced && keeps_proofs(session.volume->files);
  record.message = end.message + (record.message.empty() ? "" : "; ") + record.message;
  // The next attempt should expect no checkpoint that is to be put aside, that other ranks may not have, or that
  // somebody else is writing.
  const bool told = session.env.resume != ResumePolicy::FromScratch && !session.env.agrees_on_step();
  if (told && end.reason != protocol::kReasonFenced) describe_volume(session, record);
  if (end.reason == protocol::kReasonVolumeFull) look_for_room_at_start(session, record);
  session.host.say(record.message);
  return record;
}

}  // namespace

Ended run_agent(const Environment& env, std::shared_ptr<const Volume> volume, Host& host,
                const std::vector<std::string>& command) {
  const Identity self{.job_uid = env.job_uid,
                      .pod_uid = env.pod_uid,
                      .attempt = env.attempt,
                      .index = env.index,
                      .gang = {.ranks = env.parallelism, .devices = env.devices}};
  Session session{.env = env, .self = self, .volume = std::move(volume), .host = host};
  session.env.heartbeat_period = heartbeat_period(env, session.volume->files.kind());
  session.sums = share_sums(session);
  const auto reporter = start_reporter(session);
  const Startup startup = start_up(session);
  Record record = blank_record(session, startup);
  record = startup.end ? ended_early(session, *startup.end, std::move(record))
                       : supervise(session, command, startup, std::move(record));
  record.synced = record.synced && !session.follows_unsynced_end;
  // A report under way has the time of the record to end; nothing waits for it.
  if (reporter) static_cast<void>(reporter->finish(std::chrono::milliseconds(0)));
  record.volume = session.volume->findings->get();
  leave_record(session, record);
  const bool reports_ended = !reporter || reporter->finish(std::chrono::milliseconds(50));
  const bool heartbeats_ended =
      !session.heartbeat_worker || session.heartbeat_worker->finish(std::chrono::milliseconds(500));
  const bool probe_ended = !session.probing || session.probing->finish(std::chrono::milliseconds(50));
  return {.exit_code = record.exit_code,
          .all_threads = heartbeats_ended && reports_ended && probe_ended && session.all_ended};
}

}  // namespace reprise::agent
