#include "agent/core/report.h"

#include <algorithm>

#include "agent/core/heartbeat_writer.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWithoutStop{30'000};  // nobody kills, and nobody waits for the end of a pod for ever

// A heartbeat without a record beside it is one that every later attempt has to watch until it is still: on a volume
// whose calls take seconds a record takes half a minute, which a stop request leaves time for.
milliseconds time_for_record(const Session& session) {
  const auto left = session.stop_requested ? session.grace_left() : std::min(session.env.grace, kWithoutStop);
  return std::max(left, milliseconds(5'000));
}

milliseconds time_for_look(const Session& session) {
  return std::clamp(session.grace_left() / 3, milliseconds(1'000), milliseconds(5'000));
}

}  // namespace

void describe_checkpoint(const CheckpointWatch::Seen& seen, Record& record) {
  const auto& checkpoint = seen.newest ? seen.newest : seen.durable;
  if (!checkpoint) return;
  record.step = checkpoint->step;
  record.path = checkpoint->name;
  record.checkpoint_time = checkpoint->time;
  record.durable = seen.durable == checkpoint;
  record.size_bytes = record.durable ? seen.size_bytes : std::nullopt;
}

void describe_volume(Session& session, Record& record) {
  auto seen = std::make_shared<CheckpointWatch::Seen>();
  const bool ended = session.bounded(time_for_look(session), [volume = session.volume, seen] {
    CheckpointWatch watch(volume, {.made = read_made(*volume).value_or(MadeCheckpoints{})});
    watch.look();
    *seen = watch.seen();
  });
  if (ended) describe_checkpoint(*seen, record);
}

void leave_record(Session& session, Record record) {
  const std::string text = encode_record(record);
  session.host.write_termination_log(session.env.termination_log, text);
  auto problem = std::make_shared<std::string>();
  const auto write = [volume = session.volume, self = session.self, text, problem] {
    if (!owns_files(volume->files, volume->layout, self)) {
      *problem = "the files of this attempt and index belong to another pod, or cannot be read";
      return;
    }
    const auto written = volume->files.write(volume->layout.record(self.attempt, self.index), text, Sync::Yes);
    if (!written) *problem = written.error().message;
  };
  const bool ended = session.bounded(time_for_record(session), write);
  const std::string why = ended ? *problem : "the volume did not answer";
  if (why.empty()) return;
  session.host.say("no record on the volume: " + why);
  record.message += (record.message.empty() ? "" : "; ") + ("no record on the volume: " + why);
  session.host.write_termination_log(session.env.termination_log, encode_record(record));
}

}  // namespace reprise::agent
