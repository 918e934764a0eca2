// Annotations of pods that the operator writes and the agent reads from the downward API's file.
#pragma once

#include <string_view>

namespace reprise::protocol {

// Asks for a checkpoint without an end; the value changes with each request.
inline constexpr std::string_view kCheckpointRequestAnnotation = "reprise.dev/checkpoint-request";

// Where the agent reports (live_report.h), and the one certificate that it is to trust there: "URL CERTIFICATE", the
// latter as DER in base64. It changes when the operator has another certificate; without it no reports are made.
inline constexpr std::string_view kReportToAnnotation = "reprise.dev/report-to";

// Of ranks with a volume each (common_checkpoint.h). What this attempt resumes from, written once; and the newest step
// that every rank is known to have now, which it may move on: what is newer than that, or that itself, must stay.
inline constexpr std::string_view kResumeStepAnnotation = "reprise.dev/resume-step";
inline constexpr std::string_view kCommonStepAnnotation = "reprise.dev/common-step";

}  // namespace reprise::protocol
