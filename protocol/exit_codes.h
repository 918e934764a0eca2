// Exit codes with a meaning of their own, outside what trainers commonly use, and the reasons in a record beside them.
#pragma once

#include <cstdint>
#include <string_view>

namespace reprise::protocol {

// The trainer's: "checkpointed, run me again".
inline constexpr std::int32_t kCheckpointedExitCode = 85;
// "Failed for good, do not run me again": what NVIDIA's resiliency extension ends a trainer with.
inline constexpr std::int32_t kDoNotRestartExitCode = 93;
// The agent's.
inline constexpr std::int32_t kUsageExitCode = 2;
inline constexpr std::int32_t kCheckpointLostExitCode = 86;  // volume lacks the expected step; needs a person
inline constexpr std::int32_t kFencedExitCode = 87;  // a newer attempt owns the volume, or an older writer moves
inline constexpr std::int32_t kHungExitCode = 88;    // the trainer hung and was ended, whatever it ended with
inline constexpr std::int32_t kNotExecutableExitCode = 126;  // as shells have it
inline constexpr std::int32_t kNotFoundExitCode = 127;

inline constexpr std::string_view kReasonCheckpointLost = "CheckpointLost";
// No checkpoint is complete, none of this job ever was, and the volume holds those of an earlier training.
inline constexpr std::string_view kReasonNotRecognised = "NotRecognised";
inline constexpr std::string_view kReasonFenced = "Fenced";
inline constexpr std::string_view kReasonResumeNotPublished = "ResumeNotPublished";
// The step that all ranks are to resume from is not on this one's volume any more.
inline constexpr std::string_view kReasonResumeStepGone = "ResumeStepGone";
inline constexpr std::string_view kReasonHung = "Hung";
// The volume has no room for the agent's own files either.
inline constexpr std::string_view kReasonVolumeFull = "VolumeFull";
inline constexpr std::string_view kReasonCannotStart = "CannotStart";

}  // namespace reprise::protocol
