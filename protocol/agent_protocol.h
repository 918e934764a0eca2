// The agreement between operator and agent: environment, annotations and exit codes; the record of an end is in
// record.h, live reports are in live_report.h. Both sides and the simulator include this; nothing here needs a library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/annotations.h"
#include "protocol/environment.h"
#include "protocol/exit_codes.h"
#include "protocol/reported_volume.h"

namespace reprise::protocol {

// The kubelet reads at most kMaxRecordBytes of a termination message, which holds a record, and kMaxMessagesOfPod of
// all containers of a pod together: each has an equal part of it, whether it says something or not (Kubernetes 1.35,
// pkg/kubelet/status/status_manager.go, normalizeStatus).
inline constexpr std::size_t kMaxRecordBytes = 4096, kMaxMessagesOfPod = std::size_t{12} << 10U;
// The size of a record's beginning that holds everything that decides: a pod of twelve containers has so much for each.
inline constexpr std::size_t kMaxDecidingBytes = 1024;
// The bytes of a record that are left in a pod of so many entries, and one more: of `kubectl debug`, or one that
// admission adds.
[[nodiscard]] constexpr std::size_t record_bytes_with(std::size_t entries) {
  return std::clamp(kMaxMessagesOfPod / (entries + 1), kMaxDecidingBytes, kMaxRecordBytes);
}

// Live reports (live_report.h).
inline constexpr std::size_t kMaxLiveReportBytes = std::size_t{16} << 10U;
inline constexpr std::int64_t kMaxReportedSeconds = std::int64_t{10} * 366 * 24 * 3600;
inline constexpr std::size_t kMaxReportedText = 1024, kMaxReportedFormat = 32, kMaxReportedType = 64;  // bytes
inline constexpr std::int32_t kMaxReportedKeep = 1000;
inline constexpr std::string_view kLiveReportPath = "/v1/reports";
// The name in the operator's certificate for live reports, and the audience of the tokens that it takes.
inline constexpr std::string_view kReportServerName = "reprise-operator";
inline constexpr std::string_view kReportAudience = "reprise.dev/reports";

}  // namespace reprise::protocol
