// How a start ends that starts no trainer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/core/restore/resume_point.h"
#include "agent/core/run/startup.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

[[nodiscard]] EarlyEnd fenced(std::string message);
[[nodiscard]] EarlyEnd volume_unavailable(std::string message);
// Nobody would see who trains here, and the next attempt would begin beside it.
[[nodiscard]] EarlyEnd without_heartbeat(const Volume& volume, const std::string& problem);
[[nodiscard]] EarlyEnd run_again(std::string_view reason, std::string message);
// Empty: the choice may be trained from.
[[nodiscard]] std::optional<EarlyEnd> rejection(const ResumePoint& point);

}  // namespace reprise::agent
