// What the operator and the agent say to each other: environment names, files on the checkpoint volume, the record.
// The agent itself does not link this folder; tests/contract keeps both sides equal.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta.h"

namespace reprise::api::agent_protocol {

// Operator -> agent, as environment of the training container.
inline constexpr std::string_view kJobUid = "REPRISE_JOB_UID";
inline constexpr std::string_view kAttempt = "REPRISE_ATTEMPT";     // 1, 2, ...
inline constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";  // 0 .. parallelism-1
inline constexpr std::string_view kParallelism = "REPRISE_PARALLELISM";
inline constexpr std::string_view kPodUid = "REPRISE_POD_UID";                // downward API
inline constexpr std::string_view kCheckpointDir = "REPRISE_CHECKPOINT_DIR";  // mount point of the volume
inline constexpr std::string_view kVolumeAccess = "REPRISE_VOLUME_ACCESS";    // Shared | PerIndex
inline constexpr std::string_view kFormat = "REPRISE_CHECKPOINT_FORMAT";      // Auto | Marker | ...
inline constexpr std::string_view kKeep = "REPRISE_CHECKPOINT_KEEP";
inline constexpr std::string_view kPeriod = "REPRISE_CHECKPOINT_PERIOD_SECONDS";
inline constexpr std::string_view kGrace = "REPRISE_CHECKPOINT_GRACE_SECONDS";
inline constexpr std::string_view kResume = "REPRISE_RESUME";               // Latest | Never | FromScratch
inline constexpr std::string_view kExpectedStep = "REPRISE_EXPECTED_STEP";  // absent: none is known yet
// The directory of that step: numbers of directories with dates in their names do not tell which is newer.
inline constexpr std::string_view kExpectedCheckpoint = "REPRISE_EXPECTED_CHECKPOINT";
// With FromScratch: the attempt with which it was asked for. Once an attempt from that one on has started, later ones
// resume its checkpoints. Absent: every attempt starts from scratch.
inline constexpr std::string_view kFromScratchSince = "REPRISE_FROM_SCRATCH_SINCE";
inline constexpr std::string_view kNoticeSignal = "REPRISE_NOTICE_SIGNAL";        // "SIGUSR1"; absent: none
inline constexpr std::string_view kNoticeFile = "REPRISE_NOTICE_FILE";            // agent -> trainer too
inline constexpr std::string_view kAnnotationsFile = "REPRISE_ANNOTATIONS_FILE";  // downward API file
inline constexpr std::string_view kTerminationLog = "REPRISE_TERMINATION_LOG";    // default /dev/termination-log
// Agent -> trainer.
inline constexpr std::string_view kResumeFrom = "REPRISE_RESUME_FROM";  // absent on a first run

// Pod annotation by which the operator asks for a checkpoint without an end; the value changes with each request.
inline constexpr std::string_view kCheckpointRequestAnnotation = "reprise.dev/checkpoint-request";

inline constexpr std::int32_t kCheckpointedExitCode = 85;  // "checkpointed, run me again"
// Exit codes of the agent itself, outside what trainers commonly use.
inline constexpr std::int32_t kCheckpointLostExitCode = 86;  // volume lacks the expected step; needs a person
inline constexpr std::int32_t kFencedExitCode = 87;  // a newer attempt owns the volume, or an older writer moves
inline constexpr std::int32_t kUsageExitCode = 2;

// How one member ended: written to .reprise/attempts/<attempt>/<index>.json on the volume (the truth) and, the same
// text, as the container's termination message (a cache of it).
struct Record {
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  std::int32_t exit_code = 0;  // "exitCode": what the agent exits with
  bool finished = false;       // "finished": the trainer ended by itself with 0, and was never asked for anything
  bool asked = false;          // "asked": a stop was requested; with exit code 0 also a checkpoint, or by a signal
  bool saved = false;          // "saved": a newer complete, durable checkpoint came after the stop request
  std::optional<std::int64_t> step;          // "step": newest complete checkpoint
  std::string path;                          // "path": its directory, relative to the volume
  std::optional<std::int64_t> size_bytes;    // "sizeBytes"
  std::optional<Time> checkpoint_time;       // "checkpointTime"
  bool durable = false;                      // "durable": syncfs has returned for it
  std::optional<std::int64_t> resumed_from;  // "resumedFromStep"
  std::string reason;                        // "reason": "CheckpointLost", "Fenced", ... empty otherwise
  std::string message;                       // "message": for people
  std::string warning;                       // "warning": what a person should mend although training went on
};

// Reads a termination message or record file. Text that is not a record (a trainer may write its own) is an error.
[[nodiscard]] std::expected<Record, DecodeError> decode_record(std::string_view json);
[[nodiscard]] std::string encode_record(const Record& record);

}  // namespace reprise::api::agent_protocol
