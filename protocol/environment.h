// Environment variables of a training container.
#pragma once

#include <array>
#include <string_view>

namespace reprise::protocol {

// Operator -> agent.
inline constexpr std::string_view kJobUid = "REPRISE_JOB_UID";
inline constexpr std::string_view kAttempt = "REPRISE_ATTEMPT";     // 1, 2, ...
inline constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";  // 0 .. parallelism-1
inline constexpr std::string_view kParallelism = "REPRISE_PARALLELISM";
inline constexpr std::string_view kDevices = "REPRISE_DEVICES";  // GPUs of each rank; absent: none
// Containers and init containers of the pod, by which its kubelet divides what it reads of their last messages; absent:
// not known.
inline constexpr std::string_view kPodEntries = "REPRISE_POD_ENTRIES";
inline constexpr std::string_view kPodUid = "REPRISE_POD_UID";                // downward API
inline constexpr std::string_view kCheckpointDir = "REPRISE_CHECKPOINT_DIR";  // mount point of the volume
inline constexpr std::string_view kVolumeAccess = "REPRISE_VOLUME_ACCESS";    // Shared | PerIndex
inline constexpr std::string_view kFormat = "REPRISE_CHECKPOINT_FORMAT";      // Auto | Marker | ...
inline constexpr std::string_view kKeep = "REPRISE_CHECKPOINT_KEEP";
inline constexpr std::string_view kVerify = "REPRISE_CHECKPOINT_VERIFY";  // Structure (default) | Full
inline constexpr std::string_view kPeriod = "REPRISE_CHECKPOINT_PERIOD_SECONDS";
inline constexpr std::string_view kGrace = "REPRISE_CHECKPOINT_GRACE_SECONDS";
// "true": a person vouches that what is synced on the volume has reached its storage. Default: by its file system.
inline constexpr std::string_view kTrustSync = "REPRISE_TRUST_SYNC";
// PutAside (default) | Use: the treatment of checkpoints that an attempt whose end nobody saw has left on a disk, and
// that nothing has shown to be there.
inline constexpr std::string_view kUnproven = "REPRISE_UNPROVEN";
inline constexpr std::string_view kResume = "REPRISE_RESUME";               // Latest | Never | FromScratch
inline constexpr std::string_view kExpectedStep = "REPRISE_EXPECTED_STEP";  // absent: none is known yet
// The directory of that step: numbers of directories with dates in their names do not tell which is newer.
inline constexpr std::string_view kExpectedCheckpoint = "REPRISE_EXPECTED_CHECKPOINT";
// The attempt with which FromScratch was requested. Once an attempt from that one on has started, later ones resume its
// checkpoints. Absent: every attempt starts from scratch.
inline constexpr std::string_view kFromScratchSince = "REPRISE_FROM_SCRATCH_SINCE";
inline constexpr std::string_view kNoticeSignal = "REPRISE_NOTICE_SIGNAL";        // "SIGUSR1"; absent: none
inline constexpr std::string_view kNoticeFile = "REPRISE_NOTICE_FILE";            // agent -> trainer too
inline constexpr std::string_view kAnnotationsFile = "REPRISE_ANNOTATIONS_FILE";  // downward API file
inline constexpr std::string_view kTerminationLog = "REPRISE_TERMINATION_LOG";    // default /dev/termination-log

// The pod's own token for live reports, which changes from time to time; where they go is an annotation. Absent: none
// are made.
inline constexpr std::string_view kReportTokenFile = "REPRISE_REPORT_TOKEN_FILE";
// The pattern of what the trainer prints when it is further along: RE2, its first group the step, a second one the last
// step. Absent: what common libraries print.
inline constexpr std::string_view kProgressPattern = "REPRISE_PROGRESS_PATTERN";
// "false": nothing is put between the trainer and its standard output and error. Default true.
inline constexpr std::string_view kWatchOutput = "REPRISE_WATCH_OUTPUT";
// The time without anything new after which the trainer counts as hung (agent/core/progress/hang_watch.h). Absent: it
// never does.
inline constexpr std::string_view kProgressTimeout = "REPRISE_PROGRESS_TIMEOUT_SECONDS";
// Set by the user: the signal, such as "SIGUSR2", that a hung trainer is sent before it is stopped, so that it prints
// where it stands. Only processes that handle it get it. Absent: none.
inline constexpr std::string_view kHangSignal = "REPRISE_HANG_SIGNAL";
// Set by the user: the kind of the checkpoint volume, such as "fuse.gcsfuse", where its mount does not say so. Counts
// for mounts by FUSE of no other name. Absent: what the mount says.
inline constexpr std::string_view kVolumeType = "REPRISE_VOLUME_TYPE";

// The prefix of the operator's variables, and the variables of that prefix that users may set in the container's
// environment themselves.
inline constexpr std::string_view kOwnVariables = "REPRISE_";
inline constexpr std::array kUsersVariables{kProgressPattern, kWatchOutput, kHangSignal, kVolumeType};

// Agent -> trainer.
inline constexpr std::string_view kResumeFrom = "REPRISE_RESUME_FROM";  // absent on a first run
// The file in which the trainer may say how far it is:
// {"step": 120, "totalSteps": 1000, "percentage": 12, "remainingSeconds": 60}
inline constexpr std::string_view kProgressFile = "REPRISE_PROGRESS_FILE";
// Where a trainer that says in its progress file that it saves on notices finds them, if nobody has named a file.
inline constexpr std::string_view kStepFile = "REPRISE_STEP_FILE";

// The agent's own periods; the operator leaves them alone, tests shorten them.
inline constexpr std::string_view kHeartbeatSeconds = "REPRISE_HEARTBEAT_SECONDS";     // default 5; 60 on object stores
inline constexpr std::string_view kWatchSeconds = "REPRISE_WATCH_SECONDS";             // default 1
inline constexpr std::string_view kResumeWaitSeconds = "REPRISE_RESUME_WAIT_SECONDS";  // default 1800
inline constexpr std::string_view kReportSeconds = "REPRISE_REPORT_SECONDS";           // default 10

}  // namespace reprise::protocol
