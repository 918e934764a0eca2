// The attempts that have left something on the volume.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/volume.h"

namespace reprise::agent {

// The number that is the name of a directory there; empty: it is none of an attempt.
[[nodiscard]] std::optional<std::int32_t> attempt_of(std::string_view directory);

// The record that a rank leaves beside the heartbeat of that file name; empty: it is none of a heartbeat.
[[nodiscard]] std::optional<std::string> record_beside(std::string_view heartbeat);

// Newest first. Of this job and of earlier ones: what lies there names its job.
[[nodiscard]] runtime::Result<std::vector<std::int32_t>> list_attempts(const Volume& volume);

}  // namespace reprise::agent
