#include "agent/core/record/report.h"

#include "agent/core/aside/volume_scan.h"
#include "agent/core/ends/end_timeouts.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/restore/common_name.h"
#include "agent/core/space/room_of_rank.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
void describe_checkpoint(const CheckpointWatch::Seen& seen, Record& record) {
  const auto& checkpoint = seen.newest ? seen.newest : seen.durable;
  if (!checkpoint) return;
  record.step = checkpoint->step;
  record.path = checkpoint->name;
  record.common_name = told_in_common(checkpoint->name);
  record.format = checkpoint->format;
  record.checkpoint_time = checkpoint->time;
  record.durable = seen.durable == checkpoint;
  record.structure_only = record.durable && seen.structure_only;
  record.size_bytes = record.durable ? seen.size_bytes : std::nullopt;
}

std::vector<std::string> new_among(const std::vector<std::string>& reasons, std::set<std::string>& said) {
  std::vector<std::string> fresh;
  for (const std::string& reason : reasons)
    if (said.insert(naming_of(reason)).second) fresh.push_back(reason);
  return fresh;
}

void describe_volume(Session& session, Record& record) {
  auto seen = std::make_shared<CheckpointWatch::Seen>();
  const bool ended = session.bounded(
      only_look_timeout(session.time_left()),
      [volume = session.volume, holds = held_by_volume(session.env), self = session.self, seen] {
        CheckpointWatch watch(volume,
                              {.holds = holds, .made = read_made(*volume).value_or(MadeCheckpoints{}), .self = self});
        watch.look();
        *seen = watch.seen();
      });
  if (ended) describe_checkpoint(*seen, record);
}

void leave_record(Session& session, Record record) {
  const std::string text = encode_record(record);
  const std::size_t most = protocol::record_bytes_with(static_cast<std::size_t>(session.env.entries));
  session.host.write_termination_log(session.env.termination_log,
                                     encode_record_with_output(record, session.output, most));
  auto problem = std::make_shared<std::string>();
  const auto write = [volume = session.volume, self = session.self, text, problem] {
    if (!owns_files(volume->files, volume->layout, self)) {
      *problem = "the files of this attempt and index belong to another pod, or cannot be read";
      return;
    }
    const auto file = volume->layout.record(self.attempt, self.index);
    auto written = volume->files.write(file, text, Sync::Yes);
    if (!written && write_into_room(volume->files, volume->layout, self, text)) written = {};
    give_up_room(volume->files, volume->layout, self);
    if (!written) {  // some file systems give blocks back only with that
      static_cast<void>(volume->files.sync_volume(volume->layout.root, volume->layout.root));
      written = volume->files.write(file, text, Sync::Yes);
    }
    if (!written) *problem = written.error().message;
  };
  const bool ended = session.bounded(record_timeout(session.time_left()), write);
  const std::string why = ended ? *problem : "the volume did not answer";
  if (why.empty()) return;
  session.host.say("no record on the volume: " + why);
  append(record.message, "no record on the volume: " + why);
  session.host.write_termination_log(session.env.termination_log,
                                     encode_record_with_output(record, session.output, most));
}

}  // namespace reprise::agent
