// How one rank ended: written to .reprise/attempts/<attempt>/<index>.json on the volume (the truth) and, the same text,
// as the container's termination message (a cache of it). This is the operator's side; the agent writes it with
// agent/core/record/record.h, which links no JSON library of the operator. tests/contract holds both against each
// other.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/reported_room.h"
#include "protocol/reported_volume.h"
#include "runtime/kube/meta.h"

namespace reprise::protocol {

struct Record {
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  std::int32_t exit_code = 0;  // the agent's own
  bool finished = false;       // "finished": the trainer ended by itself with 0, and was never asked for anything
  // "asked": a stop was requested; with exit code 0 also: a checkpoint was requested, or a signal was passed on.
  bool stop_requested = false;
  // "requestOnly": whether "asked" stands for a mere request to save, and nobody requested a stop. An older agent does
  // not say.
  std::optional<bool> request_only;
  bool saved = false;                // "saved": a newer complete, durable checkpoint came after the stop request
  std::optional<std::int64_t> step;  // "step": newest complete checkpoint
  std::string path;                  // "path": its directory, relative to the volume
  // "commonName": the fingerprint under which other ranks' volumes have that save (common_checkpoint.h); empty: the
  // path's own.
  std::string common_name;
  std::string format;                         // "format": by which it is known to be complete, "HuggingFace"
  std::optional<std::int64_t> size_bytes;     // "sizeBytes"
  std::optional<kube::Time> checkpoint_time;  // "checkpointTime"
  bool durable = false;                       // "durable": it has reached the storage
  bool structure_only = false;                // "structureOnly": nothing has shown that it is
  std::optional<ReportedVolume> volume;       // "volume": from the rank that keeps it
  std::optional<std::int64_t> resumed_from;   // "resumedFromStep"
  std::string resumed_path;                   // "resumedFromPath"; it may be none that "path" can name: "last.ckpt"
  // "unproven": how many complete checkpoints the start has put aside, since nothing proves that they are on the
  // storage; "unprovenStep": the highest step of them.
  std::optional<std::int64_t> unproven, unproven_step;
  std::optional<std::int64_t> told_step;    // "toldStep": the last step that a finished trainer has printed
  std::optional<std::int64_t> total_steps;  // "totalSteps": of how many
  std::optional<ReportedRoom> full;         // "full": the trainer failed because its saves found no room
  std::string reason;                       // "reason": "CheckpointLost", "Fenced", ... empty otherwise
  std::string message;                      // "message": for people
  std::string warning;                      // "warning": what a person should mend although training went on
  std::string damaged;                      // "damaged": a checkpoint that a full read has found damaged, and how
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("index", self.index);
    field("exitCode", self.exit_code);
    field("finished", self.finished);
    field("asked", self.stop_requested);
    field("requestOnly", self.request_only);
    field("saved", self.saved);
    field("step", self.step);
    field("path", self.path);
    field("commonName", self.common_name);
    field("format", self.format);
    field("sizeBytes", self.size_bytes);
    field("checkpointTime", self.checkpoint_time);
    field("durable", self.durable);
    field("structureOnly", self.structure_only);
    field("volume", self.volume);
    field("resumedFromStep", self.resumed_from);
    field("resumedFromPath", self.resumed_path);
    field("unproven", self.unproven);
    field("unprovenStep", self.unproven_step);
    field("toldStep", self.told_step);
    field("totalSteps", self.total_steps);
    field("full", self.full);
    field("reason", self.reason);
    field("message", self.message);
    field("warning", self.warning);
    field("damaged", self.damaged);
  }
};

// Reads a termination message or record file. Text that is not a record (a trainer may write its own) is an error. A
// record that was cut off is read up to its last whole field, as long as it says whether a stop was asked for.
[[nodiscard]] std::expected<Record, kube::DecodeError> decode_record(std::string_view json);
[[nodiscard]] std::string encode_record(const Record& record);

}  // namespace reprise::protocol
