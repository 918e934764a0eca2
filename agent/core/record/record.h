// How one rank ended: the text on the volume (the truth) and in the termination message (a cache of it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/ends/told_end.h"
#include "protocol/agent_protocol.h"
#include "protocol/reported_room.h"
#include "protocol/reported_volume.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Adds a clause to what a record or a line says; an empty one adds nothing.
inline void append(std::string& message, const std::string& more) {
  if (more.empty()) return;
  message += (message.empty() ? "" : "; ") + more;
}

struct Record {
  std::string job_uid;
  std::string pod_uid;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  std::int32_t exit_code = 0;
  bool finished = false;  // the trainer ended by itself with 0, and was never asked for anything
  bool stop_requested =
      false;  // a stop was requested; with exit code 0 also: a checkpoint was, or a signal was passed on
  bool request_only = false;  // `stop_requested` stands for a mere request, and nobody requested a stop
  bool saved = false;         // a newer complete, durable checkpoint came after the stop request
  std::optional<std::int64_t> step;
  std::string path;           // relative to the volume
  std::string common_name{};  // common_name.h
  std::string format;         // format by which it is known to be complete
  std::optional<std::int64_t> size_bytes;
  std::optional<runtime::WallTime> checkpoint_time;
  bool durable = false;
  bool structure_only = false;  // only its structure shows that it is complete
  // After the trainer's end all that was written to the volume had reached its disk, and no write of this rank's time
  // had failed: what the next attempt finds there is whole (proofs/unproven.h). Of disks of one machine alone.
  bool synced = false;
  // The checkpoints that the start has put aside since nothing proves them: how many, and their highest step.
  std::int32_t unproven = 0;
  std::optional<std::int64_t> unproven_step{};
  std::optional<protocol::ReportedVolume> volume;
  std::optional<std::int64_t> resumed_from;
  std::string resumed_path{};  // relative to the volume; what has saved nothing newer may still name another in `path`
  std::optional<ToldEnd> told{};                 // how far a trainer that has finished says it came
  std::optional<protocol::ReportedRoom> full{};  // the trainer failed because its saves found no room on the volume
  std::string reason;
  std::string message;
  std::string warning;    // a fault that a person should mend although training went on
  std::string damaged{};  // a checkpoint that a full read has found damaged, and how
  bool operator==(const Record&) const = default;
};

// Compact JSON of at most protocol::kMaxRecordBytes: a message that is too long is cut. What decides (how it ended,
// what was asked, the checkpoint) comes first, in at most protocol::kMaxDecidingBytes; a path that does not fit is left
// out.
[[nodiscard]] std::string encode_record(Record record);
// The same with the last of what the trainer printed, for people: its last line, before the other texts, and as much of
// its end as there is room for, as the last field. In at most `most` bytes, whatever else has to go, but for what
// decides.
[[nodiscard]] std::string encode_record_with_output(Record record, std::string output,
                                                    std::size_t most = protocol::kMaxRecordBytes);
// Empty when the text is not a record (a trainer may write there too).
[[nodiscard]] std::optional<Record> decode_record(std::string_view text);

}  // namespace reprise::agent
