// What operator and agent say to each other, as the agent knows it: names of environment variables, files on the
// checkpoint volume, exit codes. Equal to protocol/agent_protocol.h by protocol_test.cc; the agent links nothing of
// api/.
#pragma once

#include <string_view>

namespace reprise::agent::protocol {

inline constexpr std::string_view kJobUid = "REPRISE_JOB_UID";
inline constexpr std::string_view kAttempt = "REPRISE_ATTEMPT";
inline constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";
inline constexpr std::string_view kParallelism = "REPRISE_PARALLELISM";
inline constexpr std::string_view kPodUid = "REPRISE_POD_UID";
inline constexpr std::string_view kCheckpointDir = "REPRISE_CHECKPOINT_DIR";
inline constexpr std::string_view kVolumeAccess = "REPRISE_VOLUME_ACCESS";
inline constexpr std::string_view kFormat = "REPRISE_CHECKPOINT_FORMAT";
inline constexpr std::string_view kKeep = "REPRISE_CHECKPOINT_KEEP";
inline constexpr std::string_view kPeriod = "REPRISE_CHECKPOINT_PERIOD_SECONDS";
inline constexpr std::string_view kGrace = "REPRISE_CHECKPOINT_GRACE_SECONDS";
inline constexpr std::string_view kResume = "REPRISE_RESUME";
inline constexpr std::string_view kExpectedStep = "REPRISE_EXPECTED_STEP";
inline constexpr std::string_view kExpectedCheckpoint = "REPRISE_EXPECTED_CHECKPOINT";
inline constexpr std::string_view kFromScratchSince = "REPRISE_FROM_SCRATCH_SINCE";
inline constexpr std::string_view kNoticeSignal = "REPRISE_NOTICE_SIGNAL";
inline constexpr std::string_view kNoticeFile = "REPRISE_NOTICE_FILE";
inline constexpr std::string_view kAnnotationsFile = "REPRISE_ANNOTATIONS_FILE";
inline constexpr std::string_view kTerminationLog = "REPRISE_TERMINATION_LOG";
inline constexpr std::string_view kResumeFrom = "REPRISE_RESUME_FROM";

inline constexpr std::string_view kCheckpointRequestAnnotation = "reprise.dev/checkpoint-request";

// The agent's own periods; the operator leaves them alone, tests shorten them.
inline constexpr std::string_view kBeatSeconds = "REPRISE_BEAT_SECONDS";               // default 5
inline constexpr std::string_view kWatchSeconds = "REPRISE_WATCH_SECONDS";             // default 1
inline constexpr std::string_view kResumeWaitSeconds = "REPRISE_RESUME_WAIT_SECONDS";  // default 1800

inline constexpr int kUsageExitCode = 2;
inline constexpr int kCheckpointedExitCode = 85;
inline constexpr int kCheckpointLostExitCode = 86;
inline constexpr int kFencedExitCode = 87;
inline constexpr int kNotExecutableExitCode = 126;  // as shells have it
inline constexpr int kNotFoundExitCode = 127;

inline constexpr std::string_view kReasonCheckpointLost = "CheckpointLost";
inline constexpr std::string_view kReasonFenced = "Fenced";
inline constexpr std::string_view kReasonResumeNotPublished = "ResumeNotPublished";
inline constexpr std::string_view kReasonCannotStart = "CannotStart";

// The kubelet reads at most so much of a termination message.
inline constexpr std::size_t kMaxRecordBytes = 4096;

}  // namespace reprise::agent::protocol
