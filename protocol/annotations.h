// Annotations of pods that the operator writes and the agent reads from the downward API's file.
#pragma once

#include <string_view>

namespace reprise::protocol {

// Asks for a checkpoint without an end; the value changes with each request.
inline constexpr std::string_view kCheckpointRequestAnnotation = "reprise.dev/checkpoint-request";

// The address to which the agent reports (live_report.h), and the one certificate that it is to trust there:
// "URL CERTIFICATE", the latter as DER in base64. The annotation changes when the operator has another certificate;
// without it no reports are made.
inline constexpr std::string_view kReportToAnnotation = "reprise.dev/report-to";

// For ranks with a volume each (common_checkpoint.h). The first is the step that this attempt resumes from, written
// once; the second is the newest step that every rank is known to have now, and may move on: that checkpoint and newer
// ones must stay.
inline constexpr std::string_view kResumeStepAnnotation = "reprise.dev/resume-step";
inline constexpr std::string_view kCommonStepAnnotation = "reprise.dev/common-step";

}  // namespace reprise::protocol
